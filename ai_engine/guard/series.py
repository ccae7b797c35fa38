"""generate_series, range and UNNEST of a written list: the only table functions, and only over constants."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

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
    if isinstance(item.this, exp.Explode):
        return "col", *rows_listed(item.this.this, max_rows)
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


@dataclass(frozen=True, slots=True)
class Sequence:
    """MariaDB's `seq_1_to_12_step_2`, which is a series and no table; backwards, the step is below 0."""

    first: int
    rows: int
    step: int

    def written_out(self, column: str, fresh: Callable[[], str]) -> exp.Select:
        """A query for the same rows in the same order: a table of that name would be read in place of the series.

        Args:
            column: what its column is called.
            fresh: makes names that nothing else bears.
        """
        names = [fresh() for _ in str(self.rows - 1)]
        lists = [exp.Subquery(this=_digits(column), alias=exp.TableAlias(this=_quoted(name))) for name in names]
        digits = [exp.Column(this=_quoted(column), table=_quoted(name)) for name in names]
        value: exp.Expr = exp.Literal.number(self.first)
        kind = exp.Add if self.step > 0 else exp.Sub
        for digit, power in zip(digits, reversed(range(len(digits))), strict=True):
            far = exp.Literal.number(abs(self.step) * 10**power)
            value = kind(this=value, expression=exp.Mul(this=digit.copy(), expression=far))
        return exp.Select(
            expressions=[exp.Alias(this=exp.cast(value, exp.DataType.Type.UBIGINT), alias=_quoted(column))],
            from_=exp.From(this=lists[0]),
            joins=[exp.Join(this=rows, kind="CROSS") for rows in lists[1:]],
            order=exp.Order(expressions=[exp.Ordered(this=digit, nulls_first=True) for digit in digits]),
            limit=exp.Limit(expression=exp.Literal.number(self.rows)),
        )


def sequence_of(table: exp.Table, max_rows: int) -> Sequence | None:
    """The series that a name stands for on MariaDB; None for any other name.

    Raises:
        SqlRejected: it has more than `max_rows` rows.
    """
    found = _SEQUENCE.fullmatch(table.name)
    if found is None or any(value for arg, value in table.args.items() if arg not in {"this", "alias"}):
        return None
    first, last, step = (int(digits) for digits in found.groups("1"))
    rows = abs(last - first) // step + 1 if step else max_rows + 1
    if rows > max_rows:
        raise refuse(f"a series may have at most {max_rows} rows", table.name)
    return Sequence(first, rows, step) if last >= first else Sequence(last + (rows - 1) * step, rows, -step)


def _digits(column: str) -> exp.Expr:
    """SELECT 0 UNION ALL SELECT 1 … SELECT 9."""
    selects: list[exp.Expr] = [exp.Select(expressions=[exp.Literal.number(digit)]) for digit in range(10)]
    selects[0] = exp.Select(expressions=[exp.Alias(this=exp.Literal.number(0), alias=_quoted(column))])
    return reduce(lambda rows, select: exp.Union(this=rows, expression=select, distinct=False), selects)


def _quoted(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=True)


def _series_rows(series: exp.Expr, max_rows: int) -> int:
    first, last, step = (series.args.get(arg) for arg in ("start", "end", "step"))
    if last is None:
        first, last = exp.Literal.number(0), first
    stride = stride_length(step)
    return int(series_length(first, last) / stride) + 1 if stride > 0 else max_rows + 1
