"""The answer in words, by rule: the figure, what narrows it, what stands out; no number that is not in the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.insight.reading import Reading, read_task
from ai_engine.insight.summary_alone import describe_alone
from ai_engine.insight.summary_compared import describe_compared, is_compared
from ai_engine.insight.summary_groups import describe_groups
from ai_engine.insight.summary_series import describe_series, describe_several_series
from ai_engine.insight.summary_within import describe_leaders, names_leaders
from ai_engine.insight.wording import HEADLINE_CHARS, enumerate_words, inside, is_plural, opening
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import ChartKind, Insight

_TOLD_CELLS = 6
_SMALL_GROUPING = 2


def explain(task: InsightTask, vocabulary: Vocabulary, chart: ChartKind) -> Insight:
    """Put a result into words, the first sentence as its headline."""
    headline, *others = told(task, vocabulary)
    return Insight(" ".join((headline, *others)), chart, headline)


def summarise(task: InsightTask, vocabulary: Vocabulary) -> str:
    """Tell in one to three sentences what a result shows."""
    return " ".join(told(task, vocabulary))


def told(task: InsightTask, vocabulary: Vocabulary) -> Sequence[str]:
    """Tell what a result shows, in sentences of which the first stands alone.

    Every number is a cell, a count of rows, or a sum, difference or share of cells in exact decimals, rounded as a
    sentence is. A total, a highest or a lowest is claimed only where the statement shows that no row which could change
    it was left out.
    """
    sentences = _sentences(task, vocabulary)
    for scope in task.scope.briefer:
        if len(sentences[0]) > HEADLINE_CHARS:
            sentences = _sentences(replace(task, scope=scope), vocabulary)
    return sentences


def _sentences(task: InsightTask, vocabulary: Vocabulary) -> Sequence[str]:
    reading = read_task(task, vocabulary)
    if task.result.row_count == 0:
        return [_nothing_found(reading)]
    if is_compared(reading):
        return describe_compared(reading)
    if task.result.row_count == 1 and not task.result.truncated:
        return _describe_row(reading)
    return _describe_rows(reading)


def _nothing_found(reading: Reading) -> str:
    things = reading.task.scope.things
    if things:
        return f"There are no {things}{reading.during}{reading.why_none}."
    asked = reading.task.restatement.strip().rstrip(".?!")
    return f"No rows match: {asked}{reading.why_none}." if asked else f"No rows match this question{reading.during}."


def _describe_row(reading: Reading) -> Sequence[str]:
    shape, row = reading.shape, reading.task.result.rows[0]
    others = (*shape.times, *shape.groups, *shape.names)
    if reading.task.scope.alone:
        return [describe_alone(reading)]
    if reading.task.scope.things and reading.facts.ordered_by not in shape.measures:
        return _describe_list(reading)
    if not shape.measures:
        cells = [f"{inside(shape.columns[i].label)} {reading.written(row[i], i)}" for i in sorted(others)[:_TOLD_CELLS]]
        return [f"One row matches{reading.during}: {', '.join(cells)}."]
    if not others:
        return [_describe_figures(reading)]
    if reading.facts.ordered_by in shape.measures and not reading.facts.whole:
        return describe_groups(reading)
    name = reading.row_name(0, others[:_SMALL_GROUPING])
    figures = [f"{inside(shape.columns[i].label)} {_or_missing(reading, i)}" for i in shape.measures[:_TOLD_CELLS]]
    return [f"{opening(name)}{reading.during}: {enumerate_words(figures)}{reading.why_none}."]


def _describe_figures(reading: Reading) -> str:
    shape, row = reading.shape, reading.task.result.rows[0]
    first, *rest = shape.measures
    if row[first] is None:
        label = opening(shape.columns[first].label)
        why = reading.why_none or ": nothing that matches was recorded"
        missing = f"{label}{reading.during} has no value{why}."
        return missing if not rest else f"{missing[:-1]}; {_listed(reading, rest)}."
    head = told_count(reading, first) or reading.states(first, row[first])
    head = f"{head}; {_listed(reading, rest)}" if rest else head
    return f"{head}{reading.why_none}."


def told_count(reading: Reading, position: int) -> str | None:
    """Say "There are 9,812 active customers in Pune" where the label is what was counted."""
    column, value = reading.shape.columns[position], reading.task.result.rows[0][position]
    counted = column.label.lower().removeprefix("number of ")
    named = counted.endswith("s") or is_plural(counted.partition(" ")[0])  # "accounts opened"
    if column.unit != "count" or value == 1 or not named:
        return None
    if counted == column.label.lower() and " of " in counted:
        return None
    noun = column.label[-len(counted) :]
    return f"There are {reading.written(value, position)} {inside(noun)}{reading.during}"


def _listed(reading: Reading, positions: list[int]) -> str:
    shown = positions[: _TOLD_CELLS - 1]
    return enumerate_words([f"{inside(reading.shape.columns[i].label)} {_or_missing(reading, i)}" for i in shown])


def _or_missing(reading: Reading, position: int) -> str:
    value = reading.task.result.rows[0][position]
    return "has no value" if value is None else reading.written(value, position)


def _describe_rows(reading: Reading) -> Sequence[str]:
    shape = reading.shape
    if not any(number is not None for position in shape.measures for number in shape.numbers(position)):
        return _describe_list(reading)
    if names_leaders(reading):
        return describe_leaders(reading)
    by_time = bool(shape.times) and (len(shape.times) == 1 or reading.facts.grouped)
    if by_time and not shape.names and not shape.groups and shape.distinct(*shape.times) == shape.result.row_count:
        return describe_series(reading) or _describe_list(reading)
    if len(shape.times) == 1 and shape.groups and not shape.names and shape.distinct(shape.times[0]) > 1:
        return describe_several_series(reading)
    if shape.groups or shape.names or shape.times:
        listed = bool(shape.names or reading.task.scope.things)
        is_list = listed and not reading.facts.grouped and reading.facts.ordered_by not in shape.measures
        return _describe_list(reading) if is_list else describe_groups(reading)
    return [_describe_spread(reading)]


def _describe_list(reading: Reading) -> Sequence[str]:
    """ "154 loans where NPA status is NPA, the first 100 shown, sorted by outstanding principal, highest first." """
    scope, result = reading.task.scope, reading.task.result
    shown, things = reading.count(result.row_count), scope.things or "rows"
    if result.row_count == 1 and not result.truncated:
        things = scope.thing or "row"
    total = shown if not result.truncated else reading.count(result.total_rows) if result.total_rows else None
    head = f"{total or f'More than {shown}'} {things}{reading.during}"
    head += f", the first {shown} shown" if result.truncated else ""
    return [f"{head}{f', {scope.order}' if scope.order else ''}."]


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
