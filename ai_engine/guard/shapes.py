"""What a subquery, a common table expression or a SELECT looks like from outside."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from math import prod

from sqlglot import exp

from ai_engine.guard.output_names import leftmost
from ai_engine.guard.policy import Policy
from ai_engine.guard.scopes import OutputColumn, Shape, Source, local_nodes, small
from ai_engine.guard.series import rows_of_item

_FEW_ROWS = 1_000
_OTHER_NARROW_TYPES = {exp.DataType.Type.BOOLEAN, exp.DataType.Type.INTERVAL, exp.DataType.Type.YEAR}
_NARROW_TYPES = exp.DataType.NUMERIC_TYPES - {exp.DataType.Type.BIT} | exp.DataType.TEMPORAL_TYPES | _OTHER_NARROW_TYPES
_NUMBERS_AND_DATES = (exp.Neg, exp.Count)
_NUMBERS_OF_SQLITE = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_BEFORE_A_NUMBER = {"duckdb": "_", "sqlite": ":"}
_NO_TEXT = re.compile(
    r"(?!.*\b(?:collate|is|not|and|x?or|i?like|glob|regexp|rlike|div|mod|similar|between|case|interval|null|true|false"
    r"|current_\w+|local\w+|utc_\w+)\b)[^\W\d][\w ]*"
)
"""What no engine calls a column that is computed and has no name: the text of it has signs, or one of these words."""


def derived(
    alias: exp.Identifier, shape: Shape, fresh: str, dialect: str, names: Callable[[int], list[str]] | None = None
) -> Source:
    """The source that a subquery or a common table expression makes; of columns with one name the first counts.

    A column that is computed and has no name cannot be named, nor one that is called as an engine might call it.
    `names` makes names for columns that have none yet in the statement that runs; None leaves them their own.
    """
    listed = named_apart(shape, dialect).columns
    has_unnamed = any(column.unnamed is not None for column in listed)
    if names is not None and not all(column.inner for column in listed):
        made = names(len(listed))
        listed = tuple(replace(column, inner=name) for column, name in zip(listed, made, strict=True))
    columns: dict[str, OutputColumn] = {}
    for column in listed:
        name = column.name.lower()
        if column.unnamed is None and (not has_unnamed or _NO_TEXT.fullmatch(name)):
            columns.setdefault(name, column)
    return Source(alias, columns, listed, fresh, most_rows=shape.most_rows, condensed=shape.condensed)


def named_apart(shape: Shape, dialect: str) -> Shape:
    """What a query gives, its columns called as in a subquery: of two called a the second is a_1 or a:1."""
    called = [small(column.name, dialect) for column in shape.columns if column.unnamed is None]
    if dialect not in _BEFORE_A_NUMBER or len(set(called)) == len(called):
        return shape
    sign, taken = _BEFORE_A_NUMBER[dialect], set[str]()
    numbers: dict[str, Iterator[int]] = {}
    columns: list[OutputColumn] = []
    for column in shape.columns:
        if column.unnamed is None:
            name, key = column.name, small(column.name, dialect)
            while small(name, dialect) in taken:
                name = f"{column.name}{sign}{next(numbers.setdefault(key, count(1)))}"
            taken.add(small(name, dialect))
            columns.append(replace(column, name=name))
        else:
            columns.append(column)
    return replace(shape, columns=tuple(columns))


def both(left: OutputColumn, right: OutputColumn, *, written_out: bool) -> OutputColumn:
    """The column that a set operation makes of one column of each side; of rows `written_out` each may differ."""
    constant = left.constant and right.constant and not written_out
    size, chars = left.size + right.size, max(left.chars, right.chars)
    return replace(left, constant=constant, chars=chars, longest=max(left.longest, right.longest), size=size)


def renamed(shape: Shape, alias: exp.TableAlias | None) -> Shape:
    """Apply `AS name(a, b)` to what a query gives."""
    names = alias.args.get("columns") if alias is not None else None
    if not names:
        return shape
    new = [identifier.name for identifier in names]
    columns = [replace(column, name=name, unnamed=None) for name, column in zip(new, shape.columns, strict=False)]
    columns += [OutputColumn(name) for name in new[len(columns) :]]
    return replace(shape, columns=(*columns, *shape.columns[len(new) :]))


def stepped(first: Shape, recursive: exp.Expr, policy: Policy, dialect: str) -> Shape:
    """What a step of a recursive query sees of itself: text so wide that none may put two of it together.

    Each step would make it twice as wide as the one before. On SQLite a column is of no type, and may be a number at
    first and become a text.
    """
    wide = policy.max_value_chars * 2 // 3
    narrow = _narrow_items(recursive.this, _NUMBERS_AND_DATES)
    if dialect == "sqlite":
        later = _narrow_items(recursive.args["expression"], (*_NUMBERS_AND_DATES, *_NUMBERS_OF_SQLITE))
        narrow = [before and after for before, after in zip(narrow, later, strict=False)]
    columns = [
        column if place < len(narrow) and narrow[place] else replace(column, chars=max(column.chars, wide))
        for place, column in enumerate(first.columns)
    ]
    return replace(first, columns=tuple(columns))


def after_steps(first: Shape, seen: Shape, shape: Shape) -> Shape:
    """What a recursive query gives: each step may have as many rows as the first, and add to its text."""
    columns = [
        replace(column, chars=column.chars - before.chars + start.chars) if column.chars >= before.chars else column
        for start, before, column in zip(first.columns, seen.columns, shape.columns, strict=True)
    ]
    return replace(shape, columns=tuple(columns), most_rows=None, condensed=False)


def _narrow_items(query: exp.Expr, kinds: tuple[type[exp.Expr], ...]) -> list[bool]:
    """Whether the items of a list of columns are plainly numbers or dates, being of these kinds; [] for a star."""
    select = leftmost(query)
    return [] if select.is_star else [_is_narrow(item, kinds) for item in select.expressions]


def _is_narrow(item: exp.Expr, kinds: tuple[type[exp.Expr], ...]) -> bool:
    value = item.unalias().unnest()
    if isinstance(value, exp.Cast):
        return value.to.this in _NARROW_TYPES
    return isinstance(value, kinds) or (isinstance(value, exp.Literal) and not value.is_string)


def most_rows(select: exp.Select, sources: Iterable[Source], max_series_rows: int) -> int | None:
    """How many rows a SELECT can give at most; None where the tables decide, which a LIMIT above one leaves to them."""
    bounds = [source.most_rows for source in sources]
    rows = None if None in bounds else prod(bound for bound in bounds if bound is not None)
    if not bounds:
        rows = max((rows_of_item(item, max_series_rows) for item in select.expressions), default=1)
    elif collapses_rows(select):
        return 1
    limit = _limited_to(select)
    if limit is None:
        return rows
    if rows is None:
        return limit if limit <= 1 else None
    return min(limit, rows)


def is_condensed(select: exp.Select, sources: Iterable[Source]) -> bool:
    """Whether a SELECT likely gives fewer rows than the tables below it have."""
    if any(select.args.get(arg) is not None for arg in ("group", "distinct")) or collapses_rows(select):
        return True
    limit = _limited_to(select)
    return (limit is not None and limit <= _FEW_ROWS) or all(source.condensed for source in sources)


def _limited_to(select: exp.Select) -> int | None:
    """The plain number in a LIMIT."""
    limit = select.args.get("limit")
    options = limit.args.get("limit_options") if limit is not None else None
    if limit is None or (options is not None and (options.args.get("percent") or options.args.get("with_ties"))):
        return None
    count = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression
    if isinstance(count, exp.Literal) and not count.is_string and count.this.isdecimal():
        return int(count.this[:9])
    return None


def collapses_rows(select: exp.Select) -> bool:
    """Whether all rows become one, by an aggregate without GROUP BY."""
    return select.args.get("group") is None and any(
        isinstance(node, exp.AggFunc) and not isinstance(node, exp.Anonymous) and _collapses(node, select)
        for node in local_nodes(*select.expressions)
    )


def _collapses(aggregate: exp.Expr, select: exp.Select) -> bool:
    """An aggregate with a window gives one value per row; an order or a filter may stand between the two."""
    node = aggregate.parent
    while node is not None and node is not select:
        if isinstance(node, exp.Window) and not _is_argument(aggregate, node):
            return False
        node = node.parent
    return True


def _is_argument(aggregate: exp.Expr, window: exp.Window) -> bool:
    """In `SUM(SUM(x)) OVER ()` the inner sum collapses the rows, the outer one does not."""
    called = window.this
    while isinstance(called, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
        called = called.this
    return aggregate is not called
