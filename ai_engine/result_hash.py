"""One line that stands for the rows of a result: equal for equal rows, another as soon as one cell differs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.types import QueryResult, Scalar


def result_hash(result: QueryResult, sql: str, dialect: str) -> str:
    """Return the SHA-256 of a result's names and exact cells, in hexadecimal.

    The order of the rows counts where the statement sorts them by columns that tell every row from the next. Where it
    leaves rows in any order, as ties do, it does not count: the database may give them otherwise the next time. Exact
    numbers count by their value, so that 1.50 is 1.5, and never as floating point.

    Args:
        result: as the database gave it.
        sql: the statement.
        dialect: the SQL in which it is written, as sqlglot calls it.
    """
    rows = [_row(row) for row in result.rows]
    if not has_total_order(result, sql, dialect):
        rows.sort()
    said = hashlib.sha256(_row(result.columns))
    for row in rows:
        said.update(b"\n" + row)
    return said.hexdigest()


def has_total_order(result: QueryResult, sql: str, dialect: str) -> bool:
    """Tell whether the statement's own ORDER BY leaves no two of these rows in any order."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return False
    order = tree.args.get("order")
    if not isinstance(order, exp.Order):
        return False
    keys = [_place(key.this, result.columns, tree) for key in order.expressions if isinstance(key, exp.Ordered)]
    known = [place for place in keys if place is not None]
    return len({tuple(_cell(row[place]) for place in known) for row in result.rows}) == len(result.rows)


def _place(key: exp.Expr, columns: Sequence[str], tree: exp.Expr) -> int | None:
    """Find the column of the result by which a key sorts; None for one that the result does not show."""
    if isinstance(key, exp.Literal) and not key.is_string:
        number = int(key.name) if key.name.isdigit() else 0
        return number - 1 if 0 < number <= len(columns) else None
    if isinstance(key, exp.Column) and not key.table and key.name in columns:
        return columns.index(key.name)
    shown = [item.this if isinstance(item, exp.Alias) else item for item in getattr(tree, "selects", ())]
    return shown.index(key) if key in shown and len(shown) == len(columns) else None


def _row(cells: Sequence[Scalar]) -> bytes:
    """Write cells so that no two rows look the same: each with its kind and length in front."""
    return b"".join(_cell(cell) for cell in cells)


def _cell(cell: Scalar) -> bytes:
    kind, text = _spelled(cell)
    written = text.encode("utf-8", "surrogatepass")
    return f"{kind}{len(written)}:".encode() + written


def _spelled(cell: Scalar) -> tuple[str, str]:
    if cell is None:
        return "0", ""
    if isinstance(cell, bool):
        return "b", str(int(cell))
    if isinstance(cell, int | Decimal):
        return "n", _number(cell)
    if isinstance(cell, float):
        return "f", repr(cell)
    if isinstance(cell, bytes):
        return "x", cell.hex()
    if isinstance(cell, datetime):
        return "t", cell.isoformat()
    if isinstance(cell, date | time):
        return "d" if isinstance(cell, date) else "h", cell.isoformat()
    if isinstance(cell, timedelta):
        return "p", f"{cell.days} {cell.seconds} {cell.microseconds}"
    return "s", str(cell)


def _number(cell: int | Decimal) -> str:
    if isinstance(cell, int):
        return str(cell)
    if not cell.is_finite():
        return str(cell)
    digits = f"{cell:f}"
    whole = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if whole == "-0" else whole
