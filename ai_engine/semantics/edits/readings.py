"""What was assumed and can be read otherwise: the fiscal year and not the calendar year, the other way to a thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel

from ai_engine.semantics.calendar_days import around
from ai_engine.semantics.edits.edit import Edit, changed, compiles, edit, offered
from ai_engine.semantics.edits.periods import dated
from ai_engine.semantics.edits.ways import base_of, other_ways
from ai_engine.semantics.intent import FieldRef, Grain, Intent, Membership, Period, parts_of
from ai_engine.semantics.join_paths import describe, many_to_one_path
from ai_engine.semantics.settled_periods import settled
from ai_engine.semantics.vocabulary import Vocabulary

_FISCAL: dict[Grain, Grain] = {"quarter": "fiscal_quarter", "year": "fiscal_year"}
_CALENDAR: dict[Grain, Grain] = {"fiscal_quarter": "quarter", "fiscal_year": "year"}
_SHIFTS = {"this": 0, "last": -1, "next": 1}
_YEAR = re.compile(r"(this|last|next) (fiscal )?year")
_JANUARY = 1


def other_readings(intent: Intent, vocabulary: Vocabulary) -> tuple[Edit, ...]:
    """Return the question as it could have been meant as well, once for each thing that was assumed."""
    if not compiles(intent, vocabulary):
        return ()
    found = (*_other_year(intent, vocabulary), *_other_ways(intent, vocabulary))
    return tuple(offered(found, intent, vocabulary))


def _other_year(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the fiscal year in the place of the calendar year, or the other way round."""
    model = vocabulary.model
    named = _YEAR.fullmatch(intent.period.label) if intent.period is not None else None
    along = {item.field.grain for item in intent.dimensions}
    if model.fiscal_year_start_month == _JANUARY or not (named or along & {*_FISCAL, *_CALENDAR}):
        return
    fiscal = bool(along & {*_CALENDAR} or (named and (named[2] or model.plain_year == "fiscal")))
    steps = _CALENDAR if fiscal else _FISCAL

    def at_other(ref: FieldRef) -> FieldRef:
        is_year = model.dataset(ref.dataset).field(ref.field).is_year
        return (
            ref if ref.grain is None or is_year else ref.model_copy(update={"grain": steps.get(ref.grain, ref.grain)})
        )

    other, notes = _with_refs(intent, at_other), tuple[str, ...]()
    if named:
        other, notes = settled(dated(other, _year(named[1], vocabulary, fiscal=not fiscal)), vocabulary)
    said = f"{'Calendar' if fiscal else 'Fiscal'} {'year' if named or along & {'year', 'fiscal_year'} else 'quarter'}"
    yield edit(f"{said} instead", said, other, vocabulary, notes)


def _year(which: str, vocabulary: Vocabulary, *, fiscal: bool) -> Period:
    fiscal_start = vocabulary.model.fiscal_year_start_month
    start, end = around("fiscal year" if fiscal else "year", vocabulary.as_of, _SHIFTS[which], fiscal_start)
    return Period(start=start, end=end, label=f"{which} fiscal year" if fiscal else str(start.year))


def _other_ways(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the question with the other branch, the customer's own, wherever the branch of the account is in it."""
    model, base, seen = vocabulary.model, base_of(intent, vocabulary.model), set()
    for ref in parts_of(intent, FieldRef):
        for other in other_ways(ref, intent, model):
            if base is None or (ref.dataset, ref.via) in seen:
                continue
            seen.add((ref.dataset, ref.via))
            way = describe(model, many_to_one_path(model, base, other.dataset, other.via) or ())
            role = way.rpartition("'s ")[2]
            said = f"The {role}" if role != model.dataset(ref.dataset).label else way[:1].upper() + way[1:]
            yield edit(f"{said} instead", said, _by_way(intent, ref, other.via), vocabulary)


def _by_way(intent: Intent, old: FieldRef, via: tuple[str, ...]) -> Intent:
    def put(ref: FieldRef) -> FieldRef:
        same = (ref.dataset, ref.via) == (old.dataset, old.via)
        return ref.model_copy(update={"via": via}) if same else ref

    return _with_refs(intent, put)


def _with_refs(intent: Intent, put: Callable[[FieldRef], FieldRef]) -> Intent:
    """Return an intent with other fields in its filters, groupings, columns and order."""
    parts = ("filters", "dimensions", "columns", "order", "limit_within")
    return changed(intent, **{name: _put(getattr(intent, name), put) for name in parts})


def _put(part: Any, put: Callable[[FieldRef], FieldRef]) -> Any:
    if isinstance(part, FieldRef):
        return put(part)
    if isinstance(part, tuple):
        return tuple(_put(item, put) for item in part)
    if isinstance(part, BaseModel) and not isinstance(part, Membership):  # whose fields are reached from its own rows
        return part.model_copy(update={name: _put(value, put) for name, value in part})
    return part
