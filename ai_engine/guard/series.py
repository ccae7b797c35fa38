"""generate_series, range and UNNEST of a written list: the only table functions, and only over constants."""

from __future__ import annotations

import re

from sqlglot import exp

from ai_engine.guard.constant_rows import is_constant
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import USUAL_CHARS
from ai_engine.guard.series_length import series_length, stride_length

_SERIES = (exp.GenerateSeries, exp.ExplodingGenerateSeries)


_SEQUENCE = re.compile(r"seq_(\d{1,12})_to_(\d{1,12})(?:_step_(\d{1,12}))?", re.IGNORECASE)
_ONLY_ALIAS = frozenset({"this", "expressions", "alias"})


def listed_rows(item: exp.Expr, max_rows: int) -> tuple[str, int, int]:
    """What an item of FROM lists: the engine's own name for its column, rows at most, characters of a value at most.

    Raises:
        SqlRejected: another table function, or a list that is not constant or longer than `max_rows`.
    """
    if any(value for arg, value in item.args.items() if arg not in _ONLY_ALIAS):
        raise refuse("a series or a list may only be given an alias", written(item))
    if isinstance(item, exp.Unnest):
        if len(item.expressions) != 1:
            raise refuse("UNNEST takes one list", written(item))
        return "unnest", *rows_listed(item.expressions[0], max_rows)
    if not isinstance(item.this, _SERIES):
        raise refuse(f"table functions are not allowed: {written(item.this)}", written(item.this))
    name = "range" if item.this.args.get("is_end_exclusive") else "generate_series"
    return name, *rows_listed(item.this, max_rows)


def rows_listed(value: exp.Expr, max_rows: int) -> tuple[int, int]:
    """Values of a series or a written list, and the characters of the widest one.

    Raises:
        SqlRejected: it is not constant, or longer than `max_rows`.
    """
    if isinstance(value, exp.Array):
        if not all(map(is_constant, value.expressions)):
            raise refuse("a list to be unnested may only hold constants", written(value))
        rows = len(value.expressions)
        chars = max((len(literal.this) for literal in value.find_all(exp.Literal)), default=0)
    elif isinstance(value, _SERIES):
        rows, chars = _series_rows(value, max_rows), 0
    else:
        raise refuse("only a written list or a series may be unnested", written(value))
    if rows > max_rows:
        raise refuse(f"a series may have at most {max_rows} rows", written(value))
    return rows, max(chars, USUAL_CHARS)


def rows_of_item(item: exp.Expr, max_rows: int) -> int:
    """Rows that one item of a list of columns makes by itself; more than one where it unnests a list or a series."""
    made = item.find_all(exp.Explode, exp.ExplodingGenerateSeries)
    lists = (node.this if isinstance(node, exp.Explode) else node for node in made)
    return max((rows_listed(values, max_rows)[0] for values in lists), default=1)


def sequence_rows(table: exp.Table, max_rows: int) -> int | None:
    """Rows of MariaDB's `seq_1_to_12`, which is a series and no table; None for any other name."""
    found = _SEQUENCE.fullmatch(table.name)
    if found is None or any(value for arg, value in table.args.items() if arg not in {"this", "alias"}):
        return None
    first, last, step = (int(digits) for digits in found.groups("1"))
    rows = abs(last - first) // step + 1 if step else max_rows + 1
    if rows > max_rows:
        raise refuse(f"a series may have at most {max_rows} rows", table.name)
    return rows


def _series_rows(series: exp.Expr, max_rows: int) -> int:
    first, last, step = (series.args.get(arg) for arg in ("start", "end", "step"))
    if last is None:
        first, last = exp.Literal.number(0), first
    stride = stride_length(step)
    return int(series_length(first, last) / stride) + 1 if stride > 0 else max_rows + 1
