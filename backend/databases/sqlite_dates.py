"""Finds out which columns of a SQLite file hold days, times and truths: the engine keeps any value in any of them."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence, Set
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
_JUDGED = frozenset({"text", "date", "timestamp", "time", "boolean"})
_WHOLE_NUMBERS = frozenset({"boolean", "integer"})


def with_text_dates(catalogue: Catalogue, runner: QueryRunner) -> Catalogue:
    """Return the catalogue with the types "date" and "timestamp" where the values are strict ISO ones, and only there.

    A column is judged by all of its rows, so that the order in which they are kept tells nothing; where they are too
    many to be read in time, one declared as a date by its first rows, and one declared as text is text. A declared date
    that holds something else ("930101", an epoch) is text, and so is a declared time or truth, unless it holds whole
    numbers. A column without values keeps its declared type, as does one that cannot be read, unless its name says that
    it may be secret: then it is text, of which more is kept back.
    """
    return dataclasses.replace(catalogue, tables=tuple(_judge_table(table, runner) for table in catalogue.tables))


def _judge_table(table: Table, runner: QueryRunner) -> Table:
    doubtful = [column for column in table.columns if column.type in _JUDGED]
    if not doubtful:
        return table
    # an index with all of these columns would decide which rows come first, perhaps by one that is kept back
    first_rows = f"{_quoted(table.name)} NOT INDEXED {_order(doubtful, table)} LIMIT {_SAMPLE_ROWS}"
    kinds = _kinds(doubtful, first_rows, runner, _SAMPLE_TIMEOUT_S)
    judged = dict(zip((column.name for column in doubtful), map(_type, doubtful, kinds), strict=True))
    likely = [column for column, found in zip(doubtful, kinds, strict=True) if _may_be_declared(column, found)]
    if likely:
        whole = zip(likely, _kinds(likely, _quoted(table.name), runner, _WHOLE_TIMEOUT_S), strict=True)
        judged |= {
            column.name: _type(column, found) for column, found in whole if found is not None or column.type == "text"
        }
    return dataclasses.replace(
        table,
        columns=tuple(
            dataclasses.replace(column, type=judged.get(column.name, column.type)) for column in table.columns
        ),
    )


def _may_be_declared(column: Column, kinds: Set[str] | None) -> bool:
    """Whether the rows after the first ones could still show that a column is not what these say."""
    return kinds is not None and (not kinds or _type(column, kinds) not in ("text", "integer"))


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


def _kinds(
    columns: Sequence[Column], rows: str, runner: QueryRunner, timeout_s: float
) -> Sequence[frozenset[str] | None]:
    """Ask which kinds of values each column holds, as `_kind` calls them; None where that is not known."""
    names = ", ".join(_quoted(column.name) for column in columns)
    found = ", ".join(f"group_concat(DISTINCT {_kind(column)})" for column in columns)
    try:
        answer = runner.run(
            f"SELECT {found} FROM (SELECT {names} FROM {rows})", max_rows=1, timeout_s=timeout_s, stop=threading.Event()
        )
    except QueryFailed:
        return [None] * len(columns)
    return [frozenset(str(cell).split(",")) if cell is not None else frozenset() for cell in answer.rows[0]]


def _kind(column: Column) -> str:
    name = _quoted(column.name)
    is_text, is_number = f"typeof({name}) = 'text'", f"typeof({name}) = 'integer'"
    is_day = f"{is_text} AND julianday({name}) IS NOT NULL AND {name} GLOB"
    cases = [("date", f"{is_day} '{_DATE_PATTERN}'"), ("timestamp", f"{is_day} '{_TIME_PATTERN}'")]
    if column.type == "time":
        cases.append(("time", f"{is_text} AND {name} GLOB '[0-9]*:[0-9][0-9]*' AND NOT {name} GLOB '*[^0-9:.]*'"))
    if column.type == "boolean":
        cases.append(("boolean", f"{is_number} AND {name} IN (0, 1)"))
    if column.type in ("time", "boolean"):
        cases.append(("integer", is_number))
    whens = " ".join(f"WHEN {condition} THEN '{kind}'" for kind, condition in cases)
    return f"CASE WHEN {name} IS NULL THEN NULL {whens} ELSE 'other' END"


def _type(column: Column, kinds: Set[str] | None) -> ColumnType:
    if kinds is None and is_secret_name(column.name):
        return "text"
    if not kinds or kinds == {column.type}:
        return column.type
    if kinds == {"date"}:
        return "date"
    if kinds == {"timestamp"}:
        return "timestamp"
    return "integer" if kinds <= _WHOLE_NUMBERS else "text"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
