"""Sentences about figures over time: from where to where, the peak and the low."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from ai_engine.insight.amounts import exact, format_number, format_percent
from ai_engine.insight.dates import is_unfinished
from ai_engine.insight.reading import Reading
from ai_engine.insight.wording import enumerate_words, inside, opening, superlative
from ai_engine.types import Scalar

_TOLD_MEASURES = 2
_STARTS_WITH_YEAR = re.compile(r"\d{4}\b")
_ONE_DAY = re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}")


def describe_series(reading: Reading) -> str:
    """Tell first, last, change, peak and low of up to two measures with one row per point in time."""
    sentences = []
    for position in reading.shape.measures[:_TOLD_MEASURES]:
        points = _points(reading, position)
        if points:
            sentences += _tell_run(reading, position, points)
        sentences += _tell_undated(reading, position)
    unfinished = _unfinished(reading)
    if unfinished is not None:
        sentences.append(f"{opening(reading.written(unfinished, reading.shape.times[0]))} is not over yet.")
    if reading.task.result.truncated:
        sentences.append(
            f"Only the first {reading.count(reading.shape.result.row_count)} rows are shown; there are more."
        )
    return " ".join(sentences)


def _unfinished(reading: Reading) -> Scalar:
    """Return the latest point in time if it was still running on the as-of date: its figure is no fall."""
    shape = reading.shape
    cells = shape.cells(shape.times[0])
    dated = [cell for cell in cells if cell is not None]
    latest = _in_time(dated)[-1] if dated else None
    runs = (
        latest is not None
        and len(shape.times) == 1
        and is_unfinished(latest, shape.columns[shape.times[0]], dated, reading.as_of)
    )
    return latest if runs else None


def describe_several_series(reading: Reading) -> str:
    """Tell the groups' standing at the latest point in time, and the highest figure overall."""
    shape = reading.shape
    time, position = shape.times[0], _first_with_numbers(reading)
    figures = [(row, number) for row, number in enumerate(shape.numbers(position)) if number is not None]
    high = max(number for _, number in figures)
    label = inside(shape.columns[position].label)
    peak_row = next(row for row, number in figures if number == high)
    peak = f"{reading.figure(high, position)} ({reading.row_name(peak_row, (*shape.groups, time))})"
    if not reading.facts.whole:
        count = reading.count(shape.result.row_count)
        more = " More rows exist than are shown." if reading.task.result.truncated else ""
        return f"Among the {count} rows listed{reading.during}, the {superlative('highest', label)} is {peak}.{more}"
    latest = _in_time([cell for cell in shape.cells(time) if cell is not None])[-1]
    last = [(number, row) for row, number in figures if shape.result.rows[row][time] == latest]
    standing = _standing(reading, position, last) if len(last) > 1 else ""
    when = _when(reading.written(latest, time))
    intro = f"{opening(when)}, the latest point{reading.during}, {standing}. " if standing else ""
    return f"{intro}The {superlative('highest', label)} overall is {peak}."


def _standing(reading: Reading, position: int, last: list[tuple[Decimal, int]]) -> str:
    label = inside(reading.shape.columns[position].label)
    ends = [(max(number for number, _ in last), "highest"), (min(number for number, _ in last), "lowest")]
    if ends[0][0] == ends[1][0]:
        every = "both" if len(last) == 2 else f"all {reading.count(len(last))}"
        return f"{every} have the same {label}, {reading.figure(ends[0][0], position)}"
    told = []
    for bound, rank in ends:
        names = [reading.row_name(row, reading.shape.groups) for number, row in last if number == bound]
        verb = "has" if len(names) == 1 else "have"
        what = superlative(rank, label) if rank == "highest" else rank
        told.append(f"{enumerate_words(names)} {verb} the {what}, {reading.figure(bound, position)}")
    return " and ".join(told)


def _first_with_numbers(reading: Reading) -> int:
    shape = reading.shape
    return next(i for i in shape.measures if any(number is not None for number in shape.numbers(i)))


def _points(reading: Reading, position: int) -> list[tuple[str, Decimal]]:
    """Return (spelled time, number) in order of time, without what has no number or no date."""
    shape = reading.shape
    rows = [(tuple(row[i] for i in shape.times), index) for index, row in enumerate(shape.result.rows)]
    rows = [(times, index) for times, index in rows if None not in times]
    if len(shape.times) == 1:
        order = {cell: rank for rank, cell in enumerate(_in_time([key[0] for key, _ in rows]))}
        rows.sort(key=lambda item: order[item[0][0]])
    numbers = shape.numbers(position)
    return [
        (reading.row_name(index, shape.times), number) for _, index in rows if (number := numbers[index]) is not None
    ]


def _in_time(cells: Sequence[Scalar]) -> Sequence[Scalar]:
    """Sort where the order of the values is the order of time; else keep the result's own order."""
    moments = [cell for cell in cells if isinstance(cell, date)]
    if len(moments) == len(cells) and len({isinstance(cell, datetime) for cell in moments}) == 1:
        return sorted(moments, key=lambda moment: moment.isoformat())
    numbers = [exact(cell) for cell in cells]
    if all(number is not None for number in numbers):
        return sorted(cells, key=lambda cell: exact(cell) or Decimal(0))
    words = [cell for cell in cells if isinstance(cell, str) and _STARTS_WITH_YEAR.match(cell)]
    return sorted(words) if len(words) == len(cells) else cells


def _tell_run(reading: Reading, position: int, points: list[tuple[str, Decimal]]) -> list[str]:
    label = opening(reading.shape.columns[position].label)
    (start, first), (end, last) = points[0], points[-1]
    if len(points) == 1:
        return [f"{label} {_when(start)}: {reading.figure(first, position)}; no other point in time has a value."]
    if min(number for _, number in points) == max(number for _, number in points):
        steady = f"{label} stayed at {reading.figure(first, position)}{reading.during}"
        return [f"{steady}, from {start} to {end}."]
    path = f"{label} went from {reading.figure(first, position)} {_when(start)} to {reading.figure(last, position)}"
    run = f"{path} {_when(end)}{_change(reading, position, first, last)}."
    return [run, _extremes(reading, position, points)]


def _tell_undated(reading: Reading, position: int) -> list[str]:
    """What has no date is no point of the run, and still part of the figures."""
    shape = reading.shape
    undated = [any(row[i] is None for i in shape.times) for row in shape.result.rows]
    found = [number for number, lacks in zip(shape.numbers(position), undated, strict=True) if lacks and number]
    label = inside(shape.columns[position].label)
    return [f"Without a date: {label} {reading.figure(number, position)}." for number in found]


def _change(reading: Reading, position: int, first: Decimal, last: Decimal) -> str:
    difference = abs(last - first)
    if difference == 0:
        return ", no change in the end"
    way = "up" if last > first else "down"
    if reading.shape.columns[position].unit == "percent":
        return f", {way} {format_number(difference)} percentage points"
    share = f" ({format_percent(difference * 100 / first)})" if first > 0 else ""
    return f", {way} {reading.figure(difference, position)}{share}"


def _extremes(reading: Reading, position: int, points: list[tuple[str, Decimal]]) -> str:
    told = []
    for bound, word in ((max(n for _, n in points), "peak"), (min(n for _, n in points), "low")):
        times = [time for time, number in points if number == bound]
        often = f", reached {reading.count(len(times))} times, first" if len(times) > 1 else ""
        told.append(f"the {word} was {reading.figure(bound, position)}{often} {_when(times[0])}")
    among = "" if reading.facts.whole else f"Among the {reading.count(len(points))} points listed, "
    return f"{opening(f'{among}{told[0]} and {told[1]}')}."


def _when(time: str) -> str:
    if time.startswith("week of"):
        return f"in the {time}"
    return f"on {time}" if _ONE_DAY.match(time) else f"in {time}"
