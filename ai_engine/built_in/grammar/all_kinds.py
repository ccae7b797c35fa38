"""Every construction of the language."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import get_args

from ai_engine.built_in.grammar.chart import Grammar
from ai_engine.built_in.grammar.constructions import (
    amounts,
    bands,
    besides,
    bounded_groups,
    changes,
    comparisons,
    composed_figures,
    days,
    demands,
    durations,
    figures,
    glue,
    grouped,
    groups,
    items,
    joined,
    lists,
    moved,
    orders,
    per_each,
    rankings,
    related,
    roles,
    rows,
    said_behind,
    scales,
    several_figures,
    shares,
    shown,
    shown_anyhow,
    summed,
    turn_orders,
    turns,
    values,
    whose,
)
from ai_engine.built_in.grammar.reasons import LeafReason, Reason

_KINDS = (
    glue, rows, values, comparisons, days, durations, related, roles, joined, figures, amounts, per_each,
    composed_figures, several_figures, groups, bands, grouped, said_behind, bounded_groups, demands, moved, summed,
    lists, items, shown, shown_anyhow, besides, whose,
    scales, rankings, orders,
    changes, shares,
)  # fmt: skip


@cache
def english() -> Grammar:
    """The grammar of all files."""
    return Grammar(construction for kind in _KINDS for construction in kind.says)


@cache
def in_conversation() -> Grammar:
    """The same with the parts of turns that lean on the question before; these have no prices of their own."""
    return Grammar((*english().constructions, *turns.says, *turn_orders.says))


def every_price() -> tuple[str, ...]:
    """The names of all prices: of constructions, of reasons against a phrase, and of leaves."""
    return (*(construction.name for construction in english().constructions), *get_args(Reason), *get_args(LeafReason))


def fingerprint() -> str:
    """Tells whether prices were fitted for these constructions."""
    return sha256("\n".join(every_price()).encode()).hexdigest()[:16]
