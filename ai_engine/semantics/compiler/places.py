"""Which places of a ranking are shown: the first few, or those after the ones left out."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.semantics.compiler.dialects import literal
from ai_engine.semantics.intent import Intent


def first_rows(query: exp.Select, intent: Intent) -> exp.Select:
    """Return a sorted statement cut down to the places asked for; whole where no limit is asked."""
    if intent.limit is None:
        return query
    query = query.limit(intent.limit)
    return query.offset(intent.skip) if intent.skip else query


def has_place(position: exp.Expr, intent: Intent) -> exp.Expr:
    """Return the condition that a row numbered by its place is among those asked for."""
    condition: exp.Expr = exp.LTE(this=position, expression=literal(intent.skip + (intent.limit or 0)))
    if intent.skip:
        condition = exp.and_(exp.GT(this=position.copy(), expression=literal(intent.skip)), condition)
    return condition
