"""Days kept as numbers or texts of the form 20261121, as keys of date dimensions mostly are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.types import Scalar

FORMAT = "%Y%m%d"
_DAY = re.compile(r"(?:19|20)\d{6}")
_UNKNOWN = frozenset({"-1", "-2", "0", "99991231"})
_MONTH = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])")


def spell_days(values: Sequence[Scalar]) -> bool:
    """Tell whether there are values and each of them is a day, as 20261121, or stands for an unknown one."""
    texts = [str(value).strip() if isinstance(value, int | str) else "" for value in values]
    known = [text for text in texts if text not in _UNKNOWN]
    return bool(known) and all(_is_day(text) for text in known)


def spell_months(values: Sequence[Scalar]) -> bool:
    """Tell whether there are values and each of them is a month, as 202611."""
    return bool(values) and all(isinstance(value, int | str) and _MONTH.fullmatch(str(value)) for value in values)


def _is_day(text: str) -> bool:
    if not _DAY.fullmatch(text):
        return False
    try:
        datetime.strptime(text, FORMAT)  # noqa: DTZ007 - only whether there is such a day
    except ValueError:
        return False
    return True


def day_expression(column: str, *, number: bool) -> str:
    """Return the SQL that reads a column of such values as dates."""
    return f"STR_TO_DATE({f'CAST({column} AS VARCHAR)' if number else column}, '{FORMAT}')"


def stored_day(expression: str) -> tuple[str, bool] | None:
    """Return the column that `day_expression` reads and whether it holds numbers; None for any other expression."""
    if not expression.startswith("STR_TO_DATE("):
        return None
    try:
        tree = sqlglot.parse_one(expression)
    except SqlglotError:
        return None
    if not isinstance(tree, exp.StrToDate) or tree.args["format"].name != FORMAT:
        return None
    number = isinstance(tree.this, exp.Cast)
    column = tree.this.this if number else tree.this
    return (column.name, number) if isinstance(column, exp.Column) else None


def spelled(day: date, *, number: bool) -> int | str:
    """Return a day as such a column stores it."""
    text = day.strftime(FORMAT)
    return int(text) if number else text
