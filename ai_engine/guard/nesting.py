"""Whether what is printed nests as it did in the tree: a bracket that the printer leaves out changes what is asked."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.statement import Statement

_BETWEEN_TEXTS_AND_LISTS = (exp.In, exp.Between, exp.Like, exp.RegexpLike)


def nests_alike(tree: exp.Expr, again: exp.Expr) -> bool:
    """Whether the conditions of two trees stand in one another alike; what is computed may be printed otherwise."""
    return _conditions(tree) == _conditions(again)


def _conditions(tree: exp.Expr) -> list[tuple[type[exp.Expr], str | None, type[exp.Expr]]]:
    """Every condition that is an operand of another one, with its side and that one, in order."""
    found: list[tuple[type[exp.Expr], str | None, type[exp.Expr]]] = []
    for node in tree.find_all(exp.Connector, exp.Not, exp.Predicate, bfs=False):
        operand = node
        while isinstance(operand.parent, exp.Paren):
            operand = operand.parent
        around = operand.parent
        if around is not None and _is_condition(node) and _is_condition(around):
            found.append((type(node), operand.arg_key, type(around)))
    return found


def _is_condition(node: exp.Expr) -> bool:
    if isinstance(node, (exp.Connector, exp.Not)):
        return True
    return isinstance(node, exp.Predicate) and not isinstance(node, (exp.Func, exp.SubqueryPredicate))


def conditions_stand_alone(statement: Statement) -> None:
    """Refuse conditions beside other operators where sqlglot binds otherwise than engines, and writes it out so.

    `x = i NOT IN (1)` is printed as `x = NOT i IN (1)`, `a < b NOT LIKE c IN (1)` as
    `a < (NOT b LIKE c) IN (1)`, and of `a IS NOT TRUE || b` comes a join of texts within the condition.
    """
    for negation in statement.kinds.get(exp.Not, ()):
        around = negation.parent
        is_operand = isinstance(around, exp.Predicate) and _is_condition(around)
        is_computed_with = isinstance(around, exp.Binary) and not isinstance(around, (exp.Connector, exp.Predicate))
        is_test = _is_condition(negation.this) or isinstance(negation.this, exp.RegexpLike)
        if is_computed_with or (is_operand and (negation.arg_key == "this" or is_test)):
            raise refuse("put brackets around a condition with NOT that is compared with something", "NOT")
    for test in statement.nodes(exp.Predicate):
        inner = test.this.this if isinstance(test.this, exp.Paren) else None
        if inner is None or not _is_condition(inner) or not _is_condition(test):
            continue
        right = inner.args.get("expression")
        is_chained = isinstance(test.parent, exp.Predicate) and _is_condition(test.parent)
        if is_chained or (
            isinstance(inner, exp.Predicate) and isinstance(right, exp.Paren) and _is_condition(right.this)
        ):
            raise refuse("put brackets around conditions that are compared with one another", written(test))
    for test in statement.kinds.get(exp.RegexpFullMatch, ()) if statement.dialect == "duckdb" else ():
        if _is_condition(test.this):  # `a BETWEEN b AND c ~ 'd'` tests c there
            raise refuse("put brackets around what is tested by ~", written(test))
    for test in statement.nodes(*_BETWEEN_TEXTS_AND_LISTS) if statement.dialect == "mysql" else ():
        if _compares_on(test.this):
            raise refuse("put brackets around one of two conditions, or compare it with TRUE", written(test))
    for test in statement.kinds.get(exp.Is, ()) if statement.dialect != "sqlite" else ():
        if not isinstance(test.expression, (exp.Null, exp.Boolean)):
            raise refuse(f"put brackets around what IS tests before {written(test.expression)}", written(test))


def _compares_on(value: exp.Expr) -> bool:
    """Whether MySQL reads the end of a condition with what stands behind it first: of `a LIKE b IN (1)` `b IN (1)`.

    Brackets around one with NOT may be sqlglot's own; an equality without any is what it makes of SOUNDS LIKE.
    """
    inner = value.unnest()
    without_escape = inner.this if isinstance(inner, exp.Escape) else inner
    is_negated = isinstance(inner, exp.Not) or bool(without_escape.args.get("negate"))
    condition = inner.this.unnest() if isinstance(inner, exp.Not) else inner if is_negated else value
    return isinstance(value, exp.EQ) or isinstance(condition, (*_BETWEEN_TEXTS_AND_LISTS, exp.Escape))
