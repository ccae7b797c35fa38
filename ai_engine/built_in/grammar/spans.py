"""Where rows begin and end, by the days that they keep."""

from __future__ import annotations

from ai_engine.built_in.grammar.schema import Schema
from ai_engine.semantics.intent import FieldRef
from ai_engine.semantics.model import Field
from ai_engine.semantics.words import stem, words

_BEGUN = frozenset(
    map(stem, "raised opened filed received reported logged lodged submitted requested intimated started began".split())
)
_ENDED = frozenset(map(stem, "resolved closed completed settled decided disposed ended finished".split()))
_NOT_YET = frozenset({"due", "planned", "expected", "last", "next"})


def span_of(s: Schema, dataset: str) -> FieldRef | None:
    """The days that rows take from the day on which they begin to the one on which they end."""
    start, others = _start(s, dataset)
    last = [item for item in others if not _says(item, _BEGUN)]
    ends = last if len(last) == 1 == len(others) else [item for item in others if _says(item, _ENDED)]
    return _between(s, dataset, start, ends)


def days_until(s: Schema, event: FieldRef) -> FieldRef | None:
    """The days from the beginning of rows to what happened to them."""
    start, others = _start(s, event.dataset)
    if start is not None and start.name == event.field:
        first = others[0] if len(others) == 1 else None  # dated by what happened to it last
        return _between(s, event.dataset, first, [start])
    return _between(s, event.dataset, start, [item for item in others if item.name == event.field])


def _start(s: Schema, dataset: str) -> tuple[Field | None, list[Field]]:
    days = [item for item in s.knows.dataset(dataset).fields if item.role == "time" and item.type != "integer"]
    known = [item for item in days if not item.sensitive and _NOT_YET.isdisjoint(words(item.label))]
    begun = [item for item in known if _says(item, _BEGUN)]
    first = begun if len(begun) == 1 else [i for i in known if i.name == s.knows.dataset(dataset).default_time]
    return (first[0], [item for item in known if item != first[0]]) if first else (None, [])


def _between(s: Schema, dataset: str, start: Field | None, ends: list[Field]) -> FieldRef | None:
    """Columns stand in the order of what happens: nothing is approved from the day of its disbursal."""
    names = [item.name for item in s.knows.dataset(dataset).fields]
    if start is None or len(ends) != 1 or names.index(ends[0].name) < names.index(start.name):
        return None
    since = FieldRef(dataset=dataset, field=start.name)
    return FieldRef(dataset=dataset, field=ends[0].name, since=since)


def _says(item: Field, events: frozenset[str]) -> bool:
    return bool(events.intersection(map(stem, words(item.label))))
