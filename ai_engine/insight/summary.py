"""The answer in words, by rule: the figure, its period and what stands out; no number that is not in the result."""

from __future__ import annotations

from ai_engine.insight.reading import Reading, read_task
from ai_engine.insight.summary_groups import describe_groups
from ai_engine.insight.summary_series import describe_series, describe_several_series
from ai_engine.insight.wording import enumerate_words, inside, opening
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary

_NAMED_ROWS = 3
_TOLD_CELLS = 6
_SMALL_GROUPING = 2


def summarise(task: InsightTask, vocabulary: Vocabulary) -> str:
    """Tell in one to three sentences what a result shows.

    Every number is a cell, a count of rows, or a sum, difference or share of cells in exact decimals. A total, a
    highest or a lowest is claimed only where the statement shows that no row which could change it was left out.
    """
    reading = read_task(task, vocabulary)
    if task.result.row_count == 0:
        return _nothing_found(task)
    if task.result.row_count == 1 and not task.result.truncated:
        return _describe_row(reading)
    return _describe_rows(reading)


def _nothing_found(task: InsightTask) -> str:
    asked = task.restatement.strip().rstrip(".?!")
    if not asked:
        return f"No rows match this question{f' ({task.period})' if task.period else ''}."
    period = f" ({task.period})" if task.period and task.period.lower() not in asked.lower() else ""
    return f"No rows match: {asked}{period}."


def _describe_row(reading: Reading) -> str:
    shape, row = reading.shape, reading.task.result.rows[0]
    others = (*shape.times, *shape.groups, *shape.names)
    if not shape.measures:
        told = [f"{inside(shape.columns[i].label)} {reading.written(row[i], i)}" for i in sorted(others)[:_TOLD_CELLS]]
        return f"One row matches{reading.during}: {', '.join(told)}."
    if not others:
        return _describe_figures(reading)
    if reading.facts.ordered_by in shape.measures and not reading.facts.whole:
        return describe_groups(reading)
    name = reading.row_name(0, others[:_SMALL_GROUPING])
    figures = [f"{inside(shape.columns[i].label)} {_or_missing(reading, i)}" for i in shape.measures[:_TOLD_CELLS]]
    return f"{opening(name)}: {enumerate_words(figures)}{reading.during}."


def _describe_figures(reading: Reading) -> str:
    shape, row = reading.shape, reading.task.result.rows[0]
    first, *rest = shape.measures
    if row[first] is None:
        label = opening(shape.columns[first].label)
        missing = f"{label} has no value{reading.during}: nothing that matches was recorded."
        return missing if not rest else f"{missing[:-1]}; {_listed(reading, rest)}."
    head = f"{_told_count(reading, first) or reading.states(first, row[first])}{reading.during}"
    return f"{head}; {_listed(reading, rest)}." if rest else f"{head}."


def _told_count(reading: Reading, position: int) -> str | None:
    """Say "There are 9,812 active customers" where the label is what was counted."""
    column, value = reading.shape.columns[position], reading.task.result.rows[0][position]
    counted = column.label.lower().removeprefix("number of ")
    if column.unit != "count" or value == 1 or not counted.endswith("s"):
        return None
    if counted == column.label.lower() and " of " in counted:
        return None
    noun = column.label[-len(counted) :]
    return f"There are {reading.written(value, position)} {inside(noun)}"


def _listed(reading: Reading, positions: list[int]) -> str:
    shown = positions[: _TOLD_CELLS - 1]
    return enumerate_words([f"{inside(reading.shape.columns[i].label)} {_or_missing(reading, i)}" for i in shown])


def _or_missing(reading: Reading, position: int) -> str:
    value = reading.task.result.rows[0][position]
    return "has no value" if value is None else reading.written(value, position)


def _describe_rows(reading: Reading) -> str:
    shape = reading.shape
    if not any(number is not None for position in shape.measures for number in shape.numbers(position)):
        return _describe_list(reading)
    by_time = bool(shape.times) and (len(shape.times) == 1 or reading.facts.grouped)
    if by_time and not shape.names and not shape.groups and shape.distinct(*shape.times) == shape.result.row_count:
        return describe_series(reading)
    if len(shape.times) == 1 and shape.groups and not shape.names and shape.distinct(shape.times[0]) > 1:
        return describe_several_series(reading)
    if shape.groups or shape.names or shape.times:
        is_list = not reading.facts.grouped and reading.facts.ordered_by not in shape.measures and bool(shape.names)
        return _describe_list(reading) if is_list else describe_groups(reading)
    return _describe_spread(reading)


def _describe_list(reading: Reading) -> str:
    shape, result = reading.shape, reading.task.result
    naming = _naming_columns(reading)
    names = [reading.row_name(row, naming) for row in range(min(_NAMED_ROWS, result.row_count))]
    rest = result.row_count - len(names)
    if result.truncated:
        head = f"More rows match{reading.during} than are shown; these are the first {reading.count(result.row_count)}"
    else:
        head = f"{reading.count(result.row_count)} rows match{reading.during}"
    if not shape.columns:
        return f"{head}."
    listed = f"{'; '.join(names)} and {reading.count(rest)} more" if rest else enumerate_words(names)
    return f"{head}: {listed}."


def _naming_columns(reading: Reading) -> tuple[int, ...]:
    shape = reading.shape
    words = [
        i for i in (*shape.groups, *shape.names) if shape.columns[i].role != "identifier" and _is_filled(reading, i)
    ]
    return (
        tuple(sorted(words)[:_SMALL_GROUPING]) or (shape.names or shape.times or tuple(range(len(shape.columns))))[:1]
    )


def _is_filled(reading: Reading, position: int) -> bool:
    return any(row[position] is not None for row in reading.task.result.rows[:_NAMED_ROWS])


def _describe_spread(reading: Reading) -> str:
    shape = reading.shape
    position = shape.measures[0]
    numbers = [number for number in shape.numbers(position) if number is not None]
    label = inside(shape.columns[position].label)
    count = reading.count(len(numbers))
    low, high = reading.figure(min(numbers), position), reading.figure(max(numbers), position)
    spread = f"all {low}" if low == high else f"from {low} to {high}"
    if reading.task.result.truncated:
        return f"The first {count} values of {label}{reading.during} are {spread}; there are more."
    return f"The {count} values of {label}{reading.during} are {spread}."
