"""Sentences about figures over time: from where to where, the peak and the low."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from ai_engine.insight.amounts import PERCENTAGES, format_number, round_half_up, spoken_percent
from ai_engine.insight.reading import Reading
from ai_engine.insight.shape import in_time
from ai_engine.insight.wording import enumerate_words, inside, opening, superlative

_TOLD_MEASURES = 2
_YEAR = re.compile(r" \d{4}$")
_ONE_DAY = re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}|\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4}")


def describe_series(reading: Reading) -> Sequence[str]:
    """Tell first, last, growth, peak and low of up to two measures with one row per point in time, whole steps only."""
    sentences: list[str] = []
    for position in reading.shape.measures[:_TOLD_MEASURES]:
        points = _points(reading, position)
        whole = [(time, number) for time, number, is_whole in points if is_whole]
        if whole:
            sentences += _tell_run(reading, position, whole)
        elif points:
            ((_, number, _), *_) = points
            sentences.append(f"{opening(reading.states(position, number))}.")
        sentences += _tell_undated(reading, position)
    sentences += _left_out(reading)
    if reading.task.result.truncated:
        sentences.append(
            f"Only the first {reading.count(reading.shape.result.row_count)} rows are shown; there are more."
        )
    return sentences


def _left_out(reading: Reading) -> Sequence[str]:
    """Name the days of the steps that are covered only in part: their figures are no rise and no fall."""
    days = [days for place in reading.shape.times for _, days in reading.shape.columns[place].part_steps]
    return [f"Covered only in part and not compared: {enumerate_words(days)}."] if days else []


def describe_several_series(reading: Reading) -> Sequence[str]:
    """Tell the groups' standing at the latest whole point in time, and the highest figure overall."""
    shape = reading.shape
    time, position = shape.times[0], _first_with_numbers(reading)
    part = {cell for cell, _ in shape.columns[time].part_steps}
    figures = [(row, number) for row, number in enumerate(shape.numbers(position)) if number is not None]
    figures = [item for item in figures if shape.result.rows[item[0]][time] not in part] or figures
    high = max(number for _, number in figures)
    label = inside(shape.columns[position].label)
    peak_row = next(row for row, number in figures if number == high)
    peak = f"{reading.figure(high, position)} ({reading.row_name(peak_row, (*shape.groups, time))})"
    if not reading.facts.whole:
        count = reading.count(shape.result.row_count)
        more = ["More rows exist than are shown."] if reading.task.result.truncated else []
        return [f"Among the {count} rows listed{reading.during}, the {superlative('highest', label)} is {peak}.", *more]
    cells = {shape.result.rows[row][time] for row, _ in figures} - {None}
    latest = in_time(list(cells))[-1] if cells else None
    last = [(number, row) for row, number in figures if shape.result.rows[row][time] == latest]
    overall = f"The {superlative('highest', label)} overall is {peak}."
    if len(last) < 2:
        return [overall, *_left_out(reading)]
    when = opening(_when(reading.written(latest, time)))
    return [f"{when}, {_standing(reading, position, last)}.", overall, *_left_out(reading)]


def _standing(reading: Reading, position: int, last: list[tuple[Decimal, int]]) -> str:
    label = inside(reading.shape.columns[position].label)
    ends = [(max(number for number, _ in last), "highest"), (min(number for number, _ in last), "lowest")]
    if ends[0][0] == ends[1][0]:
        every = "both" if len(last) == 2 else f"all {reading.count(len(last))}"
        return f"{every} have the same {label}{reading.where}, {reading.figure(ends[0][0], position)}"
    told = []
    for bound, rank in ends:
        names = [reading.row_name(row, reading.shape.groups) for number, row in last if number == bound]
        verb = "has" if len(names) == 1 else "have"
        what = f"{superlative(rank, label)}{reading.where}" if rank == "highest" else rank
        told.append(f"{enumerate_words(names)} {verb} the {what}, {reading.figure(bound, position)}")
    return " and ".join(told)


def _first_with_numbers(reading: Reading) -> int:
    shape = reading.shape
    return next(i for i in shape.measures if any(number is not None for number in shape.numbers(i)))


def _points(reading: Reading, position: int) -> list[tuple[str, Decimal, bool]]:
    """Return (spelled time, number, whether all its days are covered) in order of time, without what lacks either."""
    shape = reading.shape
    rows = [(tuple(row[i] for i in shape.times), index) for index, row in enumerate(shape.result.rows)]
    rows = [(times, index) for times, index in rows if None not in times]
    if len(shape.times) == 1:
        order = {cell: rank for rank, cell in enumerate(in_time([key[0] for key, _ in rows]))}
        rows.sort(key=lambda item: order[item[0][0]])
    numbers = shape.numbers(position)
    part = {cell for place in shape.times for cell, _ in shape.columns[place].part_steps}
    return [
        (reading.row_name(index, shape.times), number, part.isdisjoint(times))
        for times, index in rows
        if (number := numbers[index]) is not None
    ]


def _tell_run(reading: Reading, position: int, points: list[tuple[str, Decimal]]) -> list[str]:
    label = f"{opening(reading.shape.columns[position].label)}{reading.where}"
    (start, first), (end, last) = points[0], points[-1]
    if len(points) == 1:
        return [f"{label} {_when(start)}: {reading.figure(first, position)}; no other whole step has a value."]
    if min(number for _, number in points) == max(number for _, number in points):
        return [f"{label} stayed at {reading.figure(first, position)} from {start} to {end}."]
    if first == last == 0:  # a way from nothing to nothing says nothing
        return [f"{label}: {_extremes(reading, position, points)}"]
    way = "rose" if last > first else "fell" if last < first else "went"
    year = _YEAR.search(end)
    began = _when(start).removesuffix(year[0] if year else "")
    path = f"{label} {way} from {reading.figure(first, position)} {began} to {reading.figure(last, position)}"
    return [
        f"{path} {_when(end)}{_change(reading, position, first, last)}.",
        opening(_extremes(reading, position, points)),
    ]


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
    if (percent := PERCENTAGES.get(reading.shape.columns[position].unit or "")) is not None:
        return f", {way} {format_number(round_half_up(difference * percent, 2))} percentage points"
    share = spoken_percent(difference * 100 / first) if first > 0 else reading.figure(difference, position)
    return f", {way} {share}"


def _extremes(reading: Reading, position: int, points: list[tuple[str, Decimal]]) -> str:
    told = []
    for bound, word in ((max(n for _, n in points), "peak"), (min(n for _, n in points), "low")):
        times = [time for time, number in points if number == bound]
        often = f", reached {reading.count(len(times))} times, first" if len(times) > 1 else ""
        told.append(f"the {word} was {reading.figure(bound, position)}{often} {_when(times[0])}")
    among = "" if reading.facts.whole else f"Among the {reading.count(len(points))} points listed, "
    return f"{among}{told[0]} and {told[1]}."


def _when(time: str) -> str:
    if time.startswith("week of"):
        return f"in the {time}"
    return f"on {time}" if _ONE_DAY.match(time) else f"in {time}"
