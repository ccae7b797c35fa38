"""Writes down what a workflow found, by rule: Markdown with tables, charts beside it, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ai_engine.agent import TabularResult
from ai_engine.operators.base import Citation
from ai_engine.operators.column_meanings import cell_in_words, meanings_of
from ai_engine.operators.markdown import escaped, table_line, table_text
from ai_engine.tools import ToolContent, WidgetSpec
from ai_engine.types import OutputColumn
from ai_engine.workflows.records import StepRecord, WorkflowResult
from ai_engine.workflows.references import shorten
from ai_engine.workflows.template import ReportSection

_SHOWN_ROWS = 12


@dataclass(frozen=True, slots=True)
class Report:
    """What a workflow found.

    Attributes:
        markdown: what a person reads; texts of the data are escaped in it.
        contents: charts, and tables that are longer than what the text shows.
        citations: of the documents that it quotes.
        missing: what was asked and is not in it, one sentence each; said at its end, too.
    """

    markdown: str
    contents: tuple[ToolContent, ...] = ()
    citations: tuple[Citation, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a step with the meaning of its columns."""

    columns: tuple[OutputColumn, ...]
    rows: Sequence[Mapping[str, Any]]

    def written(self, row: Mapping[str, Any], column: OutputColumn, currency: str | None) -> str:
        cells = [one.get(column.name) for one in self.rows]
        return escaped(cell_in_words(row.get(column.name), column, cells, currency))


def compose_report(
    result: WorkflowResult, currency: str | None, unused: Sequence[str] = (), *, asked: str = ""
) -> Report:
    """Write the report as the template says, or of a workflow without one: its steps in order.

    Args:
        currency: the bank's own, which decides how digits are grouped.
        unused: words of the message that a template does nothing with.
        asked: the message, which is no heading of its own answer unless it is how a template is called.
    """
    template = result.template
    missing = (*(f"This report has nothing about “{shorten(words)}”." for words in unused), *result.missing)
    records = {record.id: record for record in result.steps}
    names = {step.id: step.name for step in result.definition.steps}
    sections = (template.report if template is not None else ()) or tuple(
        ReportSection(heading=step.name, step=step.id) for step in result.definition.steps
    )
    shown = [records[one] for section in sections for one in section.steps if one in records]
    goal = result.definition.goal
    parts = [] if template is None and goal == asked else [f"# {escaped(goal)}"]
    for section in sections:
        parts += [f"## {escaped(section.heading)}", *_of_section(section, records, names, currency)]
    parts += _listed("Not in this report", missing)
    parts += _listed("Assumed", _assumptions(shown))
    contents = [content for section in sections for content in _contents(section, records)]
    return Report(
        "\n\n".join(part for part in parts if part),
        tuple(contents),
        tuple(dict.fromkeys(citation for record in shown for citation in record.citations)),
        missing,
    )


def _of_section(
    section: ReportSection, records: Mapping[str, StepRecord], names: Mapping[str, str], currency: str | None
) -> Iterator[str]:
    for one in section.steps:
        record = records.get(one)
        if record is None or record.status != "succeeded":
            yield f"*{escaped(names[one])} is missing: {escaped(record.message if record else 'it was not done.')}*"
    found = [records[one] for one in section.steps if one in records and records[one].status == "succeeded"]
    if section.side_by_side:
        yield _side_by_side([_table_of(record) for record in found], currency)
        return
    for record in found:
        yield record.text.strip()
        table = _table_of(record)
        if section.table and table is not None and not _says_it_all(table):
            yield _markdown(table, currency)


def _says_it_all(table: _Table) -> bool:
    """Whether a sentence has told every figure of a table."""
    return len(table.rows) <= 1 and len(table.columns) <= 1


def _table_of(record: StepRecord) -> _Table | None:
    if record.columns is None:
        return None
    table = TabularResult(columns=list(record.columns), rows=list(record.rows))
    return _Table(tuple(meanings_of(table, record.metadata).values()), record.rows)


def _markdown(table: _Table, currency: str | None) -> str:
    columns = {column.name: column for column in table.columns}
    rows = TabularResult(columns=list(columns), rows=[dict(row) for row in table.rows])
    return table_text(rows, columns, currency, _SHOWN_ROWS)


def _side_by_side(tables: Sequence[_Table | None], currency: str | None) -> str:
    """Put figures of the same things beside each other: a row for each figure, a column for each thing."""
    with_keys = [table for table in tables if table is not None and len(table.columns) > 1]
    things = list(dict.fromkeys(row.get(one.columns[0].name) for one in with_keys for row in one.rows))
    lines = []
    for table in with_keys:
        key, *figures = table.columns
        by_thing = {row.get(key.name): row for row in table.rows}
        for column in figures:
            written = [table.written(by_thing.get(thing, {}), column, currency) for thing in things]
            lines.append([escaped(column.label), *written])
    if not lines:
        return ""
    heads = ["Figure", *(escaped(str(thing)) for thing in things)]
    return "\n".join(map(table_line, [heads, ["---", *("---:" for _ in things)], *lines]))


def _contents(section: ReportSection, records: Mapping[str, StepRecord]) -> Iterator[ToolContent]:
    for one in section.steps:
        record = records.get(one)
        table = _table_of(record) if record is not None and record.status == "succeeded" else None
        if record is None or table is None or not table.rows:
            continue
        data = {
            "columns": [column.name for column in table.columns],
            "labels": {column.name: column.label for column in table.columns},
            "units": {column.name: column.unit for column in table.columns if column.unit},
            "rows": [dict(row) for row in table.rows],
        }
        kind = section.chart or record.metadata.get("chart")
        if kind not in {None, "none", "table", "metric"} and len(table.rows) > 1:
            title = section.heading if section.step else record.text.split(". ")[0]
            yield ToolContent.widget(WidgetSpec(widget_type="chart", title=title, data={"chart": kind, **data}))
        if len(table.rows) > _SHOWN_ROWS:
            yield ToolContent.widget(WidgetSpec(widget_type="data_table", title=section.heading, data=data))


def _assumptions(records: Sequence[StepRecord]) -> tuple[str, ...]:
    told = [record.metadata.get("assumptions") for record in records if record.status == "succeeded"]
    return tuple(dict.fromkeys(str(text) for one in told if isinstance(one, list) for text in one))


def _listed(heading: str, sentences: Sequence[str]) -> list[str]:
    return [f"## {heading}", "\n".join(f"- {escaped(one)}" for one in sentences)] if sentences else []
