"""A finished statement, put into forms that the database it is for knows.

The compiler writes what most databases know. What one of them does not know is rewritten here into what means the same
there, or refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.joined_lookups import lookups_joined

Rewriting: TypeAlias = Callable[[exp.Select], exp.Select]
_CONDITIONS = (exp.Predicate, exp.Connector, exp.Not, exp.Boolean)
_HOLDS_CONDITIONS = (exp.Connector, exp.Not, exp.Where, exp.Having)


def in_idiom(query: exp.Select, dialect: Dialect) -> exp.Select:
    """Return a statement as a database says it.

    Raises:
        IntentNotCovered: the database has no way to say it.
    """
    for rewritten in IDIOMS[dialect]:
        query = rewritten(query)
    return query


def _grouped_by_values(query: exp.Select) -> exp.Select:
    """Group by what a column computes, where its name is not known to GROUP BY."""
    for select in query.find_all(exp.Select):
        group = select.args.get("group")
        shown = _shown(select)
        for key in group.expressions if group is not None else ():
            if isinstance(key, exp.Column) and not key.table and key.name in shown:
                key.replace(shown[key.name].copy())
    return query


def _shown(select: exp.Select) -> dict[str, exp.Expr]:
    return {item.alias: item.this for item in select.selects if isinstance(item, exp.Alias)}


def _truth_as_numbers(query: exp.Select) -> exp.Select:
    """Do without a type for truth: columns hold 1 and 0, and only conditions are true or false."""
    for node in list(query.find_all(exp.Boolean)):
        node.replace(exp.Literal.number(1 if node.this else 0))
    for column in list(query.find_all(exp.Column)):
        if _is_condition(column):
            column.replace(exp.EQ(this=column.copy(), expression=exp.Literal.number(1)))
    for condition in list(query.find_all(*_CONDITIONS)):
        if isinstance(condition.parent, exp.Alias | exp.AggFunc | exp.Group | exp.Ordered | exp.Distinct | exp.EQ):
            kept = condition.copy()
            yes = exp.If(this=kept, true=exp.Literal.number(1))
            no = exp.If(this=exp.Not(this=exp.paren(kept.copy(), copy=False)), true=exp.Literal.number(0))
            condition.replace(exp.Case(ifs=[yes, no]))
    return query


def _is_condition(column: exp.Expr) -> bool:
    holder = column.parent
    if isinstance(holder, exp.If):
        case = holder.parent
        return column.arg_key == "this" and isinstance(case, exp.Case) and case.this is None
    if isinstance(holder, exp.Paren):
        return _is_condition(holder)
    return isinstance(holder, _HOLDS_CONDITIONS)


def _equal_or_both_missing(query: exp.Select) -> exp.Select:
    """Spell out that two values are equal or both missing."""
    for same in list(query.find_all(exp.NullSafeEQ)):
        left, right = same.this, same.expression
        missing = exp.and_(*(exp.Is(this=side.copy(), expression=exp.Null()) for side in (left, right)))
        equal = exp.EQ(this=left.copy(), expression=right.copy())
        same.replace(exp.paren(exp.or_(equal, missing), copy=False))
    return query


def _averaged_in_doubles(query: exp.Select) -> exp.Select:
    """Average doubles: an average of whole or exact numbers would be cut to their own decimals."""
    for average in query.find_all(exp.Avg):
        average.set("this", exp.Mul(this=exp.Literal.number("1e0"), expression=_operand(average.this)))
    return query


def _operand(value: exp.Expr) -> exp.Expr:
    return exp.paren(value.copy(), copy=False) if isinstance(value, exp.Binary | exp.Neg) else value.copy()


def _missing_last_by_a_key(query: exp.Select) -> exp.Select:
    """Sort missing values last by a key before the value, over what the value's name stands for."""
    return _with_keys(query, exp.Select, exp.Window)


def _missing_last_by_a_key_of_windows(query: exp.Select) -> exp.Select:
    return _with_keys(query, exp.Window)


def _with_keys(query: exp.Select, *within: type[exp.Expr]) -> exp.Select:
    for order in [order for order in query.find_all(exp.Order) if isinstance(order.parent, within)]:
        shown = _shown(order.parent) if isinstance(order.parent, exp.Select) else {}
        keys: list[exp.Expr] = []
        for key in order.expressions:
            if not key.args.get("desc") and not key.args.get("nulls_first"):
                bare = isinstance(key.this, exp.Column) and not key.this.table
                value = shown.get(key.this.name, key.this) if bare else key.this
                absent = exp.If(this=exp.Is(this=value.copy(), expression=exp.Null()), true=exp.Literal.number(1))
                keys.append(exp.Ordered(this=exp.Case(ifs=[absent], default=exp.Literal.number(0)), nulls_first=True))
            key.set("nulls_first", not key.args.get("desc"))
            keys.append(key)
        order.set("expressions", keys)
    return query


def _distinct_before_it_is_sorted(query: exp.Select) -> exp.Select:
    """Take distinct rows first: they can be sorted there only by what they show, and a key for NULL is not shown."""
    if query.args.get("distinct") is None or query.args.get("order") is None:
        return query
    outer = exp.Select().select(*(exp.column(item.output_name) for item in query.selects))
    for part in ("order", "limit", "offset", "with_"):
        outer.set(part, query.args.pop(part, None))
    for key in outer.args["order"].expressions:
        if isinstance(key.this, exp.Column):
            key.this.set("table", None)
    return outer.from_(query.subquery("listed", copy=False), copy=False)


def _tables_at_the_top(query: exp.Select) -> exp.Select:
    """Bring the tables named within subqueries before the whole statement."""
    moved: dict[str, exp.Expr] = {}
    for inner in list(query.find_all(exp.With)):
        if inner.parent is not query:
            for table in inner.expressions:
                known = moved.setdefault(table.alias, table)
                if known != table:
                    raise IntentNotCovered("two steps of one statement would have the same name")
            inner.pop()
    own = query.args.get("with_")
    if not moved:
        return query
    if own is not None and {table.alias for table in own.expressions} & set(moved):
        raise IntentNotCovered("two steps of one statement would have the same name")
    every = [*moved.values(), *(own.expressions if own is not None else ())]
    query.set("with_", exp.With(expressions=every))
    return query


def _counted_in_long_numbers(query: exp.Select) -> exp.Select:
    for count in query.find_all(exp.Count):
        count.set("big_int", True)
    return query


def _earlier_row_may_be_missing(query: exp.Select) -> exp.Select:
    """Let the row before the first be NULL, and not the zero of its type."""
    for before in query.find_all(exp.Lag):
        before.set("this", exp.Anonymous(this="toNullable", expressions=[before.this.copy()]))
    return query


def _deviation_by_its_usual_name(query: exp.Select) -> exp.Select:
    for deviation in list(query.find_all(exp.StddevSamp)):
        deviation.replace(exp.Stddev(this=deviation.this.copy()))
    return query


IDIOMS: Mapping[Dialect, tuple[Rewriting, ...]] = {
    "duckdb": (),
    "sqlite": (),
    "postgres": (),
    "mysql": (),
    "trino": (_grouped_by_values, _averaged_in_doubles),
    "spark": (lookups_joined,),
    "databricks": (lookups_joined,),
    "tsql": (
        lookups_joined,
        _distinct_before_it_is_sorted,
        _tables_at_the_top,
        _grouped_by_values,
        _averaged_in_doubles,
        _equal_or_both_missing,
        _truth_as_numbers,
        _missing_last_by_a_key,
        _counted_in_long_numbers,
    ),
    "oracle": (_grouped_by_values, _equal_or_both_missing, _truth_as_numbers),
    "snowflake": (_deviation_by_its_usual_name,),
    "bigquery": (_equal_or_both_missing, _missing_last_by_a_key_of_windows),
    "clickhouse": (_earlier_row_may_be_missing,),
}
