"""What the intent prompt tells of the vocabulary: the same text for every question where all of it fits.

What a question needs beyond it (synonyms, values that were searched) stands apart, in `told_words`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import groupby

from ai_engine.llm.told_words import ToldWords
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship, SemanticModel
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words

_LISTED_VALUES = 8
_FIRST_VALUES = 4
_LISTED_CHARS = 90
_LONGEST_VALUE_CHARS = 40
_LONGEST_NOTE_CHARS = 75
_LONGEST_EXPRESSION_CHARS = 100
_DEFINED = 4
_CLOSE = 0.3  # one word that three metrics share
_DEFINITIONS_CHARS = 600
_FURTHER = "({} further datasets are left out, being further from the question)"
_DATASET = re.compile(r"(\w+)\.\w+")
_KNOWN_VALUES = 25  # by which a table is found, where not all fit
_SAYS_NOTHING = frozenset(map(stem, "a an and are as at by for in is it its of on or that the to with only".split()))
_NAMING = frozenset({"identifier", "name", "text"})  # whose values name things: what they are is in the field's name
_CONVENTION = re.compile(r"\b(?:only|empty|always|never|may|when|unless|not|without)\b", re.IGNORECASE)
_CASE = re.compile(r"CASE WHEN ((?:(?!CASE|WHEN).)+?) THEN ((?:(?!CASE|WHEN).)+?)(?: ELSE 0)? END")  # told in words
_NOT_NULL = re.compile(r"NULLIF\((\w+\([^()]*\)), 0\)")


class ToldVocabulary:
    """What prompts tell of one vocabulary; each of its texts is written once, however many questions are asked.

    Args:
        vocabulary: what is told of.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.words = ToldWords(vocabulary)

    def datasets(self, text: str, max_chars: int) -> str:
        """List datasets with fields, ways between them and metrics; where not all fit, those closest to the text.

        The order is the model's whatever is asked, so that requests begin alike and a service can keep what it read.
        """
        datasets, texts = self.vocabulary.model.datasets, self._dataset_texts
        kept = closest([texts[one.name] for one in datasets], lambda: self._stems, text, max_chars - len(_FURTHER))
        left_out = len(datasets) - len(kept)
        more = [_FURTHER.format(left_out)] if left_out else []
        return "\n".join([*kept, *self._metric_lines(""), *more])

    def metrics(self, text: str) -> str:
        """Define the metrics that are close to a question, where the vocabulary has too many to define them all."""
        if self._defines_all:
            return "(none)"
        asked, spread = stems(text), Counter(stem for name in self._metric_stems.values() for stem in name)
        closeness = {
            name: sum(1 / spread[stem] for stem in known & asked) for name, known in self._metric_stems.items()
        }
        near = [name for name in closeness if closeness[name] >= _CLOSE]
        defined = sorted(near, key=lambda name: (-closeness[name], name))[:_DEFINED]
        return "\n".join(said.strip() for name, said in self._metric_texts.items() if name in defined) or "(none)"

    @cached_property
    def _dataset_texts(self) -> dict[str, str]:
        return {
            dataset.name: "\n".join([_dataset_text(dataset, self.vocabulary), *self._metric_lines(dataset.name)])
            for dataset in self.vocabulary.model.datasets
        }

    @cached_property
    def _stems(self) -> list[frozenset[str]]:
        return [dataset_stems(dataset, self.vocabulary) for dataset in self.vocabulary.model.datasets]

    @cached_property
    def _metric_texts(self) -> dict[str, str]:
        model = self.vocabulary.model
        return {metric.name: _metric_text(metric, model) for metric in model.metrics}

    @cached_property
    def _metric_stems(self) -> dict[str, frozenset[str]]:
        metrics = self.vocabulary.model.metrics
        return {metric.name: stems(" ".join([metric.name, metric.label, *metric.synonyms])) for metric in metrics}

    @cached_property
    def _defines_all(self) -> bool:
        return sum(map(len, self._metric_texts.values())) <= _DEFINITIONS_CHARS

    @cached_property
    def _metrics_of(self) -> dict[str, list[str]]:
        model, names = self.vocabulary.model, defaultdict(list)
        for metric in model.metrics:
            names[_home(metric, model)].append(metric.name)
        return dict(names)

    def _metric_lines(self, home: str) -> list[str]:
        """Define the metrics of a dataset, or name them where all together are too many."""
        names = self._metrics_of.get(home, [])
        if self._defines_all:
            return [self._metric_texts[name] for name in names]
        return [f" metrics: {', '.join(names)}"] if names else []


def closest(
    texts: Sequence[str], known: Callable[[], Sequence[frozenset[str]]], asked: str, max_chars: int
) -> list[str]:
    """Return the texts that fit into `max_chars`, in their own order; those closest to what is asked are kept first.

    Args:
        texts: to choose from.
        known: gives the stems by which each is found, shape (len(texts),).
        asked: the question.
        max_chars: of all that is returned, with a line break each.
    """
    if sum(len(text) + 1 for text in texts) <= max_chars:
        return list(texts)
    wanted = stems(asked)
    closeness = [len(wanted & own) for own in known()]
    ranked = sorted(range(len(texts)), key=lambda place: -closeness[place])
    kept, room = [], max_chars
    for place in ranked:
        room -= len(texts[place]) + 1
        if room < 0:
            break
        kept.append(place)
    return [texts[place] for place in sorted(kept)]


def shown_values(dataset: Dataset, item: Field, vocabulary: Vocabulary) -> str:
    """Tell the values of a field that groups rows, all or how many; never of one that is sensitive."""
    found = vocabulary.values.values_of(dataset.name, item.name)
    if found is None or not found.values or item.sensitive or item.type == "boolean":
        return ""
    of = f"{len(found.values):,}{'' if found.complete else ' or more'}"
    if item.role == "name":
        return f" = {of} names"
    told = told_values(dataset, item, vocabulary)
    if not told or (found.complete and len(told) == len(found.values)):
        return f" = {' | '.join(told)}" if told else ""
    return f" = {' | '.join(told)} ({len(told)} of {of} values)"


def told_values(dataset: Dataset, item: Field, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the values of a field that a model is told whatever the question: all, or the first where there are more.

    What it says itself is held against no other, as what then comes of it would tell whether a value is stored.
    """
    found = vocabulary.values.values_of(dataset.name, item.name)
    if found is None or not tells_values(item) or item.type == "boolean":
        return ()
    values = tuple(str(value)[:_LONGEST_VALUE_CHARS] for value in found.values)
    listed = found.complete and (len(values) <= _LISTED_VALUES or len(" | ".join(values)) <= _LISTED_CHARS)
    return values if listed else values[:_FIRST_VALUES]


def tells_values(item: Field) -> bool:
    """Tell whether a model may be told values of a field that the question does not have: no names and no keys."""
    return item.role in {"category", "flag"} and not item.sensitive


def field_notes(item: Field) -> tuple[str, ...]:
    """Return what figures and dates of a field are in: unit, scale, how a date is kept."""
    notes = ["fraction (0.085 is 8.5 %)" if item.unit == "fraction" else item.unit] if item.unit else []
    notes += ["a year"] if item.is_year else []
    notes += [f"kept as {item.type}"] if item.role == "time" and item.type == "text" else []
    return tuple(notes)


def _dataset_text(dataset: Dataset, vocabulary: Vocabulary) -> str:
    model, own = vocabulary.model, dataset.name
    links = [link for link in model.relationships_of(own) if link.from_dataset == own]
    linking = {name for link in links for name in link.from_columns}
    keys = [item for item in dataset.fields if item.role == "identifier" and not _news(item, dataset)]
    told = [item.name for item in keys if item.expression not in linking]
    lines = [f" {', '.join(told)}: key"] if told else []
    lines += _field_lines(dataset, [item for item in dataset.fields if item not in keys], vocabulary)
    return "\n".join([f"{own}:{_about(dataset, vocabulary)}", *lines, *map(_way_text, links)])


def _about(dataset: Dataset, vocabulary: Vocabulary) -> str:
    said = dataset.description.strip().rstrip(".") or dataset.label
    notes = [said[:_LONGEST_NOTE_CHARS]]
    if dataset.default_time is not None:
        span = vocabulary.spans.get((dataset.name, dataset.default_time))
        reach = f" ({span.first:%Y} to {span.last:%Y})" if span else ""
        notes.append(f"dated by {dataset.default_time}{reach}")
    if dataset.snapshot_time is not None:
        notes.append(f"each thing anew per {dataset.snapshot_time}, figures as of the latest")
    return " " + "; ".join(" ".join(note.split()) for note in notes)


def _field_lines(dataset: Dataset, fields: Sequence[Field], vocabulary: Vocabulary) -> list[str]:
    """Write a line per field; neighbours of which the same is to be said share one."""
    said = [(item.name, _field_text(dataset, item, vocabulary)) for item in fields]
    alike = groupby(said, key=lambda one: one[1])
    return [f" {', '.join(name for name, _ in same)}{text}" for text, same in alike]


def _field_text(dataset: Dataset, item: Field, vocabulary: Vocabulary) -> str:
    shown, units = shown_values(dataset, item, vocabulary), field_notes(item)
    kind = item.type if item.role in {"time", "measure"} else item.role
    notes = ", ".join(units if units and item.role == "measure" else [*([] if shown else [kind]), *units])
    return f"{': ' + notes if notes else ''}{shown}{_note(_news(item, dataset, shown))}"


def _news(item: Field, dataset: Dataset, shown: str = "") -> str:
    """Return the clauses of a description that say more than name, label and values do."""
    if (item.role in _NAMING or item.sensitive) and not _CONVENTION.search(item.description):
        return ""
    return "; ".join(said for said in item.description.split("; ") if _says_more(said, item, dataset, shown))


def _says_more(said: str, item: Field, dataset: Dataset, shown: str) -> bool:
    """Tell whether something said of a field holds words that name, label and values do not."""
    known = stems(" ".join([item.name, item.label, dataset.label, dataset.name, shown, *item.synonyms]))
    return len(stems(said) - known - _SAYS_NOTHING - {"key"}) > 1


def _metric_text(metric: Metric, model: SemanticModel) -> str:
    expression = _CASE.sub(r"\2 where \1", _NOT_NULL.sub(r"\1", " ".join(metric.expression.split())))
    said = expression.replace(f"{_home(metric, model)}.", "")
    if len(said) > _LONGEST_EXPRESSION_CHARS:
        said = metric.description.rstrip(".") or metric.label
    return f" metric {metric.name}{', percent' if metric.unit == 'percent' else ''} = {said}"


def _home(metric: Metric, model: SemanticModel) -> str:
    """Name the dataset that a metric is about, the first one in its expression."""
    named = _DATASET.findall(metric.expression)
    return next((name for name in named if name in {dataset.name for dataset in model.datasets}), "")


def _way_text(link: Relationship) -> str:
    where = "".join(f", only where {name} = '{text}'" for name, text in link.only_where)
    chosen = " (default)" if link.preferred else ""
    return f" way {link.name} to {link.to_dataset}{where}{chosen}"


def dataset_stems(dataset: Dataset, vocabulary: Vocabulary) -> frozenset[str]:
    """Return the stems by which a dataset is found: of its names, synonyms and values that are not sensitive."""
    texts = [dataset.name, dataset.label, dataset.description, *dataset.synonyms]
    for item in dataset.fields:
        texts += [item.name, item.label, *item.synonyms]
        texts += [word for synonyms in item.value_synonyms.values() for word in synonyms]
        found = None if item.sensitive else vocabulary.values.values_of(dataset.name, item.name)
        if found is not None and item.role in {"category", "flag", "name"}:
            texts += [str(value) for value in found.values[:_KNOWN_VALUES]]
    return stems(" ".join(texts))


def within_bound(parts: Iterable[str], max_chars: int) -> list[str]:
    """Return the first lines that fit."""
    kept: list[str] = []
    room = max_chars
    for part in parts:
        room -= len(part) + 1
        if room < 0:
            break
        kept.append(part)
    return kept


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(stem(word) for word in words(text) if len(word) > 1)


def _note(text: str) -> str:
    return f" -- {' '.join(text.split())[:_LONGEST_NOTE_CHARS]}" if text else ""
