"""Sentences about figures held against those of an earlier period: how much more or less, and where most."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ai_engine.insight.amounts import PERCENTAGES, format_number, round_half_up, spoken_percent
from ai_engine.insight.reading import Reading
from ai_engine.insight.wording import inside, is_plural, opening
from ai_engine.semantics.period_words import during

_NOW, _BEFORE, _CHANGE = 0, 1, 2
_HUNDRED = Decimal(100)


def is_compared(reading: Reading) -> bool:
    """Tell whether the figures are one measure now and before, with the change between them."""
    beside = [reading.shape.columns[place].compared for place in reading.shape.measures]
    return bool(reading.task.scope.compared) and beside == [None, "earlier", "change"]


def describe_compared(reading: Reading) -> Sequence[str]:
    """Tell the figure of now with its change; of several rows the largest rise and the largest fall."""
    now, before = (reading.shape.numbers(reading.shape.measures[place]) for place in (_NOW, _BEFORE))
    if reading.shape.result.row_count == 1:
        return [_one(reading, now[0], before[0])]
    return _several(reading, now, before)


def _one(reading: Reading, now: Decimal | None, before: Decimal | None) -> str:
    position = reading.shape.measures[_NOW]
    label = opening(reading.shape.columns[position].label)
    named = _naming(reading)
    name = f"{reading.row_name(0, named)}: " if named else ""
    label = f"{name}{inside(label) if name else label}"
    verb = "are" if is_plural(label) else "is"
    earlier = during(reading.task.scope.compared)
    if now is None:
        told = f", against {reading.figure(before, position)} {earlier}" if before is not None else ""
        return f"{label}{reading.during} {'have' if verb == 'are' else 'has'} no value{told}."
    head = f"{label}{reading.during} {verb} {reading.figure(now, position)}"
    if before is None:
        return f"{head}; {earlier} there was no value."
    if now == before:
        return f"{head}, the same as {earlier}{reading.why_none}."
    return (
        f"{head}, {_change(reading, now, before)} from {reading.figure(before, position)} {earlier}{reading.why_none}."
    )


def _change(reading: Reading, now: Decimal, before: Decimal) -> str:
    position = reading.shape.measures[_NOW]
    way, difference = "up" if now > before else "down", abs(now - before)
    if (percent := PERCENTAGES.get(reading.shape.columns[position].unit or "")) is not None:
        return f"{way} {format_number(round_half_up(difference * percent, 2))} percentage points"
    if before <= 0:
        return f"{way} {reading.figure(difference, position)}"
    return f"{way} {spoken_percent(difference * _HUNDRED / before)}"


def _several(reading: Reading, now: Sequence[Decimal | None], before: Sequence[Decimal | None]) -> Sequence[str]:
    position = reading.shape.measures[_NOW]
    label = opening(reading.shape.columns[position].label)
    relative = reading.shape.columns[reading.shape.measures[_CHANGE]].unit == "percent"
    pairs = [
        (change, row)
        for row, (a, b) in enumerate(zip(now, before, strict=True))
        if a is not None and b is not None and (change := _difference(a, b, relative=relative)) is not None
    ]
    period = f"{reading.during} against {reading.task.scope.compared}"
    if not pairs:
        return [f"{label}{period}: no figure has both periods."]
    shown = _naming(reading)

    def told(row: int) -> str:
        a, b = now[row], before[row]
        assert a is not None and b is not None  # noqa: S101 - pairs have both
        return f"{_change(reading, a, b)} to {reading.figure(a, position)}"

    ends = [
        (row, verb)
        for (change, row), verb in ((max(pairs), "rose"), (min(pairs), "fell"))
        if change != 0 and (change > 0) == (verb == "rose")
    ]
    if reading.facts.ordered_by == reading.shape.measures[_CHANGE] and not reading.facts.whole and ends:
        row, verb = ends[0 if reading.facts.descending else -1]
        name = opening(reading.row_name(row, shown))
        return [f"{name} {verb} most in {inside(label)}, {told(row)}{period}."]
    rises, falls = sum(change > 0 for change, _ in pairs), sum(change < 0 for change, _ in pairs)
    counted = f"{reading.count(rises)} of {reading.count(len(pairs))} rose, {reading.count(falls)} fell."
    return [
        f"{label}{period}: {counted}",
        *(f"{opening(reading.row_name(row, shown))} {verb} most, {told(row)}." for row, verb in ends),
    ]


def _naming(reading: Reading) -> tuple[int, ...]:
    """The columns that name a row to a person: the key only where there is nothing else."""
    named = (*reading.shape.times, *reading.shape.groups, *reading.shape.names)
    return tuple(place for place in named if reading.shape.columns[place].role != "identifier") or named


def _difference(now: Decimal, before: Decimal, *, relative: bool) -> Decimal | None:
    if not relative:
        return now - before
    return (now - before) / before if before > 0 else None
