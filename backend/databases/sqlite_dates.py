"""Finds out which columns of a SQLite file hold dates: the engine stores them as text, whatever their declaration."""

from __future__ import annotations

import dataclasses
import threading
from typing import TYPE_CHECKING

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import QueryFailed
from ai_engine.types import ColumnType

if TYPE_CHECKING:
    from ai_engine.ports import QueryRunner  # loads the guard and its parser, which no worker needs

_DATE_PATTERN = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
_TIME_PATTERN = _DATE_PATTERN + "[ T][0-9][0-9]:[0-9][0-9]*"
_SAMPLE_ROWS = 5_000
_SAMPLE_TIMEOUT_S = 5.0
_WHOLE_TIMEOUT_S = 2.0


def with_text_dates(catalogue: Catalogue, runner: QueryRunner) -> Catalogue:
    """Return the catalogue with the types "date" and "timestamp" where the values are strict ISO ones, and only there.

    A column declared as a date is judged by its first rows, one declared as text by all of them; a declared date that
    holds something else ("930101", an epoch) is text. A column without values keeps its declared type.
    """
    return dataclasses.replace(catalogue, tables=tuple(_judge_table(table, runner) for table in catalogue.tables))


def _judge_table(table: Table, runner: QueryRunner) -> Table:
    doubtful = [column for column in table.columns if column.type in ("text", "date", "timestamp")]
    if not doubtful:
        return table
    sampled = ", ".join(_quoted(column.name) for column in doubtful)
    # an index with all of these columns would decide which rows come first, perhaps by one that is kept back
    source = f"(SELECT {sampled} FROM {_quoted(table.name)} NOT INDEXED LIMIT {_SAMPLE_ROWS})"
    verdicts = _verdicts(doubtful, source, runner, _SAMPLE_TIMEOUT_S)
    judged = {column.name: _type(column, verdicts[column.name]) for column in doubtful}
    surprising = [column for column in doubtful if column.type == "text" and judged[column.name] != "text"]
    if surprising:
        whole = _verdicts(surprising, _quoted(table.name), runner, _WHOLE_TIMEOUT_S)
        judged |= {column.name: _type(column, whole[column.name]) for column in surprising}
    return dataclasses.replace(
        table,
        columns=tuple(
            dataclasses.replace(column, type=judged.get(column.name, column.type)) for column in table.columns
        ),
    )


def _verdicts(columns: list[Column], source: str, runner: QueryRunner, timeout_s: float) -> dict[str, str | None]:
    """Ask what each column holds: "date", "timestamp", "other", "none", or None where that is not known."""
    cases = ", ".join(f"({_verdict(_quoted(column.name), source)})" for column in columns)
    try:
        row = runner.run(f"SELECT {cases}", max_rows=1, timeout_s=timeout_s, stop=threading.Event()).rows[0]
    except QueryFailed:
        return {column.name: None for column in columns}
    return {column.name: str(cell) for column, cell in zip(columns, row, strict=True)}


def _verdict(name: str, source: str) -> str:
    def unlike(pattern: str) -> str:
        wrong = f"typeof({name}) <> 'text' OR {name} NOT GLOB '{pattern}' OR julianday({name}) IS NULL"
        return f"EXISTS (SELECT 1 FROM {source} WHERE {name} IS NOT NULL AND ({wrong}))"

    return (
        f"CASE WHEN NOT EXISTS (SELECT 1 FROM {source} WHERE {name} IS NOT NULL) THEN 'none' "
        f"WHEN NOT {unlike(_DATE_PATTERN)} THEN 'date' WHEN NOT {unlike(_TIME_PATTERN)} THEN 'timestamp' "
        "ELSE 'other' END"
    )


def _type(column: Column, verdict: str | None) -> ColumnType:
    if verdict == "date":
        return "date"
    if verdict == "timestamp":
        return "timestamp"
    return "text" if verdict == "other" else column.type


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
