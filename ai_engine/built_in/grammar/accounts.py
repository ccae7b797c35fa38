"""What became of each word: its meaning for the person, and whether it stands in the structured question."""

from __future__ import annotations

from collections.abc import Iterator

from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.phrases import Fig
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days, Number, Stored, Thing
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure, Membership, parts_of
from ai_engine.semantics.stored_counts import rows_kept_count_of
from ai_engine.semantics.wording import plural
from ai_engine.types import WordMeaning

_LEAVING_NOTHING_OUT = ":whatever"


def leaves_of(phrase: Phrase) -> Iterator[Phrase]:
    """The words of a phrase with what they were taken for, from left to right."""
    if not phrase.parts:
        yield phrase
    for part in phrase.parts:
        yield from leaves_of(part)


def meanings_of(phrase: Phrase, tokens: tuple[Token, ...], s: Schema) -> tuple[WordMeaning, ...]:
    """The words that became something, each with that."""
    found = []
    for leaf in leaves_of(phrase):
        told = _label(leaf.value, s)
        if told:
            found.append(WordMeaning(" ".join(token.text for token in tokens[leaf.start : leaf.end]), told))
    return tuple(dict.fromkeys(found))


def _label(value: object, s: Schema) -> str:
    match value:
        case Stored():
            place = FieldRef(dataset=value.dataset, field=value.field)
            return f"{s.field(place).label} is {value.value!s}"
        case FieldRef():
            return s.field(value).label
        case Thing():
            return plural(s.knows.dataset(value.dataset).label)
        case Fig(core=Measure(metric=str(name))):
            return s.knows.model.metric(name).label
        case Days(label=label):
            return label
        case Number():
            return f"{value.value:f}"
    return ""


def lost_words(phrase: Phrase, intent: Intent, tokens: tuple[Token, ...], s: Schema) -> tuple[list[str], list[str]]:
    """Names and values that stand nowhere in the structured question.

    Returns:
        Words whose loss makes it another question, and assumptions about those that narrow nothing.
    """
    lost, notes = [], []
    known = _Known(intent, s)
    idle = any(leaf.category == _LEAVING_NOTHING_OUT for leaf in leaves_of(phrase))
    for leaf in leaves_of(phrase):
        if known.has(leaf.value) or idle:
            continue
        text = " ".join(token.text for token in tokens[leaf.start : leaf.end])
        if isinstance(leaf.value, Thing) and (owned := known.belonging_to(leaf.value)):
            label = s.knows.dataset(leaf.value.dataset).label
            notes.append(f"“{text}” leaves nothing out: each {s.knows.dataset(owned).label} belongs to one {label}.")
        else:
            lost.append(text)
    return lost, list(dict.fromkeys(notes))


class _Known:
    """What a structured question speaks of."""

    def __init__(self, intent: Intent, s: Schema) -> None:
        self._s = s
        self._intent = intent
        refs = parts_of(intent, FieldRef)
        measures = parts_of(intent, Measure)
        self._fields = {(ref.dataset, ref.field) for ref in refs}
        self._metrics = {measure.metric for measure in measures if measure.metric}
        self._values = {
            (item.field.dataset, item.field.field, str(value))
            for item in parts_of(intent, Condition)
            for value in item.values
        }
        kept = {ref for ref in refs if s.field(ref).role == "measure"}
        counted = (rows_kept_count_of(s.knows.model, s.knows.dataset(r.dataset), s.field(r)) for r in kept)
        bases = {base for measure in measures if (base := s.knows.base(measure))}
        self._datasets = {dataset for dataset, _ in self._fields} | bases
        self._datasets |= {item.dataset for item in parts_of(intent, Membership)}
        self._datasets |= {dataset for dataset in counted if dataset}
        self._datasets |= {intent.subject} if intent.subject else set()
        told = " ".join(s.knows.model.metric(name).expression for name in self._metrics)
        self._expressions = told

    def has(self, value: object) -> bool:
        """Tell whether the meaning of a word stands in the question."""
        match value:
            case Stored():
                return (value.dataset, value.field, str(value.value)) in self._values
            case Thing():
                return value.dataset in self._datasets or f"{value.dataset}." in self._expressions
            case Fig(core=Measure(metric=str(name))):
                return name in self._metrics or self._s.knows.plain_figure(value.core) is not None
            case FieldRef():
                return self._has_field(value)
            case Days():
                return self._has_days(value)
        return True

    def _has_field(self, ref: FieldRef) -> bool:
        if (ref.dataset, ref.field) in self._fields or f"{ref.dataset}.{ref.field}" in self._expressions:
            return True
        if self._s.field(ref).role != "time":
            return any(item.other is not None for item in parts_of(self._intent, Condition))  # "in the same town"
        own = self._s.knows.time_field(ref.dataset) == ref.model_copy(update={"grain": None, "via": (), "since": None})
        dated = self._intent.period is not None or any(place.grain for place in parts_of(self._intent, FieldRef))
        return own and dated

    def _has_days(self, days: Days) -> bool:
        if self._intent.period is not None or self._intent.compare or days.moment:
            return True
        conditions = [value for item in parts_of(self._intent, Condition) for value in item.values]
        return days.start in conditions or days.end in conditions

    def belonging_to(self, thing: Thing) -> str:
        """The rows in question of which each belongs to just one such thing; "" where there are none."""
        for dataset in sorted(self._datasets):
            if (self._s.up(dataset, thing.dataset) or 0) > 0:
                return dataset
        return ""
