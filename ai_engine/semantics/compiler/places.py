"""Which places of a ranking are shown: the first few, or those after the ones left out."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.semantics.compiler.dialects import literal
from ai_engine.semantics.intent import Intent

RANKED = "ranked"
POSITION = "position"
LEVEL = "level_place"
FURTHER_PLACES = 10
"""Places looked at behind the last one of each group, for rows that are level with it."""


def first_rows(query: exp.Select, intent: Intent) -> exp.Select:
    """Return a sorted statement cut down to the places asked for; whole where no limit is asked."""
    if intent.limit is None:
        return query
    query = query.limit(intent.limit)
    return query.offset(intent.skip) if intent.skip else query


def has_place(intent: Intent, *, level_too: bool = False) -> exp.Expr:
    """Return the condition that a row numbered by its place is among those asked for, or level with the last of them.

    Args:
        intent: the question.
        level_too: keep rows a few places further on too whose rank, at which level rows stand together, is asked for.
    """
    last = intent.skip + (intent.limit or 0)
    position = exp.column(POSITION)
    condition: exp.Expr = exp.LTE(this=position, expression=literal(last + FURTHER_PLACES * level_too))
    if level_too:
        condition = exp.and_(condition, exp.LTE(this=exp.column(LEVEL), expression=literal(last)))
    if intent.skip:
        condition = exp.and_(exp.GT(this=position.copy(), expression=literal(intent.skip)), condition)
    return condition
