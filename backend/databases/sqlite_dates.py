"""Finds out which columns of a SQLite file hold dates: the engine stores them as text, whatever their declaration."""

from __future__ import annotations

import dataclasses
import threading
from typing import TYPE_CHECKING

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import QueryFailed
from ai_engine.guard.row_order import kept_by
from ai_engine.semantics.infer.fields import is_secret_name
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

    A column is judged by all of its rows, so that the order in which they are kept tells nothing; where they are too
    many to be read in time, one declared as a date by its first rows, and one declared as text is text. A declared date
    that holds something else ("930101", an epoch) is text. A column without values keeps its declared type.
    """
    return dataclasses.replace(catalogue, tables=tuple(_judge_table(table, runner) for table in catalogue.tables))


def _judge_table(table: Table, runner: QueryRunner) -> Table:
    doubtful = [column for column in table.columns if column.type in ("text", "date", "timestamp")]
    if not doubtful:
        return table
    # an index with all of these columns would decide which rows come first, perhaps by one that is kept back
    first_rows = f"{_quoted(table.name)} NOT INDEXED {_order(doubtful, table)} LIMIT {_SAMPLE_ROWS}"
    verdicts = _verdicts(doubtful, first_rows, runner, _SAMPLE_TIMEOUT_S)
    judged = {column.name: _type(column, verdicts[column.name]) for column in doubtful}
    likely = [column for column in doubtful if verdicts[column.name] in ("date", "timestamp", "none")]
    if likely:
        whole = _verdicts(likely, _quoted(table.name), runner, _WHOLE_TIMEOUT_S)
        judged |= {
            column.name: _type(column, whole[column.name])
            for column in likely
            if column.type == "text" or whole[column.name] is not None
        }
    return dataclasses.replace(
        table,
        columns=tuple(
            dataclasses.replace(column, type=judged.get(column.name, column.type)) for column in table.columns
        ),
    )


def _order(doubtful: list[Column], table: Table) -> str:
    """What the first rows are sorted by where the key in whose order they are kept may be kept back.

    That is what they are judged by, the parts of the key last.
    """
    key = set(kept_by(table, "sqlite"))
    held = {column.name.lower() for column in table.columns if is_secret_name(column.name)}
    seen = [column.name for column in doubtful if column.name.lower() not in held]
    if not seen or ("" not in key and held.isdisjoint(key)):
        return ""
    return "ORDER BY " + ", ".join(
        f"{_quoted(name)} COLLATE BINARY" for name in sorted(seen, key=lambda name: name.lower() in key)
    )


def _verdicts(columns: list[Column], rows: str, runner: QueryRunner, timeout_s: float) -> dict[str, str | None]:
    """Ask what each column holds: "date", "timestamp", "other", "none", or None where that is not known."""
    names = ", ".join(_quoted(column.name) for column in columns)
    found = ", ".join(f"group_concat(DISTINCT {_kind(_quoted(column.name))})" for column in columns)
    try:
        answer = runner.run(
            f"SELECT {found} FROM (SELECT {names} FROM {rows})", max_rows=1, timeout_s=timeout_s, stop=threading.Event()
        )
    except QueryFailed:
        return {column.name: None for column in columns}
    kinds = ("none" if cell is None else str(cell) for cell in answer.rows[0])
    return {column.name: kind for column, kind in zip(columns, kinds, strict=True)}


def _kind(name: str) -> str:
    is_day = f"typeof({name}) = 'text' AND julianday({name}) IS NOT NULL AND {name} GLOB"
    return (
        f"CASE WHEN {name} IS NULL THEN NULL WHEN {is_day} '{_DATE_PATTERN}' THEN 'date' "
        f"WHEN {is_day} '{_TIME_PATTERN}' THEN 'timestamp' ELSE 'other' END"
    )


def _type(column: Column, verdict: str | None) -> ColumnType:
    if verdict == "date":
        return "date"
    if verdict == "timestamp":
        return "timestamp"
    return column.type if verdict in (None, "none") else "text"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
