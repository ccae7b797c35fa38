"""Does a text about the data say only what the catalogue, the vocabulary or the question says?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ai_engine.insight.checking.dates import KnownDates
from ai_engine.insight.checking.figure import Figure, repeats_a_word
from ai_engine.insight.checking.names import catalogue_texts
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.figures import figures_in
from ai_engine.llm.told_vocabulary import told_values
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem

_WORD = re.compile(r"[^\W\d_]+(?:[_'][^\W_]+)*|\w*_\w+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;•*\-\n(\"“‘`]\s*)$")
_COUNTED = re.compile(
    r"[\s-]*(?:more\s+|other\s+|main\s+)?(tables?|datasets?|columns?|fields?|metrics?|figures?|relationships?)\b", re.I
)
_ONE_EACH = re.compile(r"\s+(?:row|record|line|entry)\s+(?:per|for\s+each)\b", re.I)
_TELLING_CHARS = 4  # shorter words of descriptions say nothing of the data
_KNOWN_ANYWAY = frozenset(
    "i i'm i'll i've sql csv excel english banking assistant january february march april may june july august "
    "september october november december monday tuesday wednesday thursday friday saturday sunday "
    "jan feb mar apr jun jul aug sep sept oct nov dec fy ytd mtd qtd yoy mom q h rs inr".split()
)


def unknown_figures(text: str, said: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the numbers of a text that neither stand, beside the same word, in what is known, nor count what exists.

    Known is what was `said` and the names, labels, synonyms, comments, notes and values that a model is told; what
    exists is how many tables, columns, figures and relationships there are.
    """
    told = KnownDates(frozenset({vocabulary.as_of})).left_out_of(plain_digits(text))
    figures = [figure for figure in figures_in(told) if not _counts_what_exists(figure, told[figure.end :], vocabulary)]
    for texts in (iter(said), catalogue_texts(vocabulary), _values(vocabulary)):  # what is short first
        if not figures:
            return ()
        known = " ".join(plain_digits(part).lower() for part in texts)
        figures = [figure for figure in figures if not _stands_in(known, told, figure)]
    return tuple(figure.text for figure in figures)


def unknown_names(text: str, said: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the words of a text that are written as names, with a capital or an underscore, and that nothing has."""
    return _unknown((match.group() for match in _WORD.finditer(text) if _is_name(match, text)), said, vocabulary)


def _unknown(names: Iterable[str], said: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    named = {name: {name.lower()} if "_" in name else set(_words(name)) for name in names}
    for known in ((*_KNOWN_ANYWAY, *said), catalogue_texts(vocabulary)):
        if not named:
            return ()
        forms = {form for part in known for word in _words(part) for form in (word, stem(word))}
        named = {name: words for name, words in named.items() if not (words | set(map(stem, words))) & forms}
    if named:  # there may be very many values
        values = {word for value in _values(vocabulary) for word in _words(value)}
        named = {name: words for name, words in named.items() if not words & values}
    return tuple(named)


def says_nothing_of(text: str, question: str, vocabulary: Vocabulary) -> bool:
    """Tell whether a question speaks of what the data has, and a text that answers it of nothing there."""
    known = {stem(word) for part in catalogue_texts(vocabulary) for word in _words(part) if len(word) >= _TELLING_CHARS}
    said, asked = ({stem(word) for word in _words(part)} & known for part in (text, question))
    return bool(asked) and not said


def _stands_in(known: str, told: str, found: Figure) -> bool:
    """Tell whether a figure stands in what is known as well, with the same word before or after it.

    A word that may be a number and cannot be read may stand anywhere.
    """
    if repeats_a_word(found, told, [known]):
        return True
    figure = re.escape(told[found.start : found.end].lower())
    before, after = re.search(r"\w+\W*$", told[: found.start]), re.match(r"\W*\w+", told[found.end :])
    beside = [
        *([rf"\b{re.escape(before.group().lower())}{figure}(?![\w]|[.,]\d)"] if before else []),
        *([rf"(?<![\w.,]){figure}{re.escape(after.group().lower())}\b"] if after else []),
    ]
    return any(re.search(pattern, known) for pattern in beside)


def _counts_what_exists(figure: Figure, after: str, vocabulary: Vocabulary) -> bool:
    values = {reading.value for parts in figure.readings for reading in parts}
    if 1 in values and _ONE_EACH.match(after):
        return True
    counted = _COUNTED.match(after)
    if counted is None and not after.startswith(":"):  # "two: customers and accounts"
        return False
    tables, model = vocabulary.catalogue.tables, vocabulary.model
    columns = [len(table.columns) for table in tables]
    fields = [len(dataset.fields) for dataset in model.datasets]
    counts: dict[str, set[int]] = {
        "table": {len(tables), len(model.datasets)},
        "dataset": {len(tables), len(model.datasets)},
        "column": {*columns, sum(columns)},
        "field": {*columns, *fields, sum(columns), sum(fields)},
        "metric": {len(model.metrics)},
        "figure": {len(model.metrics)},
        "relationship": {len(model.relationships)},
    }
    kinds = [counted[1].lower().removesuffix("s")] if counted else list(counts)
    return any(not values.isdisjoint(counts[kind]) for kind in kinds)


def _values(vocabulary: Vocabulary) -> Iterator[str]:
    for data in vocabulary.model.datasets:
        for field in data.fields:
            yield from told_values(data, field, vocabulary)


def _is_name(match: re.Match[str], text: str) -> bool:
    word = match.group()
    if "_" in word:
        return True
    return word[:1].isupper() and not _SENTENCE_START.search(text, 0, match.start())


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, and each name that is written with an underscore as it is."""
    if "_" in text:
        yield from (name for name in re.findall(r"\w+", text.lower()) if "_" in name)
    for word in re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.lower()):
        yield word.removesuffix("'s")
