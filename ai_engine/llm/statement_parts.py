"""The parts of a statement by which rows are chosen, sorted and put together, as its tree has them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from ai_engine.llm.read_sources import branches

LISTED = (exp.Values, exp.Unnest)
SOURCES = (exp.Table, exp.Subquery, exp.Lateral, *LISTED)
_AROUND_AGGREGATES = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the parts of a condition that all must hold."""
    for part in condition.flatten() if isinstance(condition, exp.And) else (condition,):
        if isinstance(part.unnest(), exp.And):
            yield from conjuncts(part.unnest())
        else:
            yield part.unnest()


def atoms(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what AND, OR and NOT make a condition of."""
    left = [condition]
    while left:
        one = left.pop().unnest()
        if isinstance(one, (exp.And, exp.Or, exp.Not)):
            left += one.iter_expressions()
        else:
            yield one


def grouped_by(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what a SELECT groups by, a place in the list of columns as what stands there."""
    group = select.args.get("group")
    stack = list(group.expressions) if group is not None else []
    while stack:
        by = stack.pop()
        if isinstance(by, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
            stack += by.expressions
        else:
            yield _placed(by, select)


def _placed(by: exp.Expr, select: exp.Select) -> exp.Expr:
    if isinstance(by, exp.Literal) and by.is_int and 0 < int(by.this) <= len(select.selects):
        return select.selects[int(by.this) - 1].unalias()
    return by.unnest()


def sorted_by(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Select, bool]]:
    """Yield what rows are sorted, made distinct or bounded by, with their SELECT; true: beside rows of no other."""
    for query in tree.find_all(exp.Query):
        order, distinct = query.args.get("order"), query.args.get("distinct")
        by = [part.this for part in order.expressions] if order is not None else []
        if isinstance(distinct, exp.Distinct) and isinstance(distinct.args.get("on"), exp.Tuple):
            by += distinct.args["on"].expressions
        bounds = [query.args[bound] for bound in ("limit", "offset") if query.args.get(bound) is not None]
        selects = list(branches(query))
        for select in selects:
            yield from ((_placed(one, select), select, len(selects) == 1) for one in by)
            yield from ((one, select, False) for bound in bounds for one in bound.iter_expressions())


def merged_by(tree: exp.Expr) -> Iterator[tuple[exp.Select, tuple[exp.Expr, ...]]]:
    """Yield what equal rows become one by, in a SELECT or in each branch of a set operation, with the first SELECT."""
    for query in tree.find_all(exp.Query):
        if isinstance(query, exp.Select):
            distinct = query.args.get("distinct")
            items = [item.unalias() for item in query.selects] if distinct and not distinct.args.get("on") else []
            yield from ((query, (one,)) for one in (*grouped_by(query), *items))
        elif isinstance(query, exp.SetOperation) and (query.args.get("distinct") or not isinstance(query, exp.Union)):
            selects = list(branches(query))
            for place in range(min(len(select.selects) for select in selects)):
                yield selects[0], tuple(select.selects[place].unalias() for select in selects)


def conditions_of(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr, exp.Select]]:
    """Yield each part of a clause that chooses rows, with the clause and the SELECT that has it."""
    for clause in tree.find_all(exp.Join, exp.Where, exp.Having, exp.Qualify):
        condition = clause.args.get("on") if isinstance(clause, exp.Join) else clause.this
        select = clause.find_ancestor(exp.Select)
        if condition is not None and select is not None:
            yield from ((clause, part, select) for part in conjuncts(condition))


def reads_outside(query: exp.Expr) -> bool:
    """Tell whether a query reads columns of one around it."""
    inside = {item.alias for item in query.find_all(*SOURCES)}
    return any(column.table not in inside for column in query.find_all(exp.Column))


def called_by(value: exp.Expr) -> exp.Expr:
    """Return the function that a FILTER, an order or a treatment of NULL belongs to."""
    while isinstance(value, _AROUND_AGGREGATES):
        value = value.this
    return value


def filters_of(value: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the conditions under which an aggregate takes rows in."""
    while isinstance(value, _AROUND_AGGREGATES):
        if isinstance(value, exp.Filter):
            yield value.expression.this
        value = value.this


def taken_in(value: exp.Expr) -> Iterator[exp.Expr]:
    """Yield what an aggregate takes in, a quantile's order too."""
    while isinstance(value, _AROUND_AGGREGATES):
        if not isinstance(value, exp.Filter):
            yield from (part for part in value.iter_expressions() if part.arg_key != "this")
        value = value.this
    yield from value.iter_expressions()


def is_choice(item: exp.Expr) -> bool:
    """Tell whether an expression gives one of the statement's own texts: the bands of a number."""
    return isinstance(item, exp.Case) and all(isinstance(one, (exp.Literal, exp.Null)) for one in results_of(item))


def results_of(case: exp.Case) -> list[exp.Expr]:
    """Return what a CASE may give."""
    default = case.args.get("default")
    return [one.args["true"] for one in case.args["ifs"]] + ([default] if default is not None else [])
