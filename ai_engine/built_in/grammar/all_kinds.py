"""Every construction of the language."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import get_args

from ai_engine.built_in.grammar.chart import Grammar
from ai_engine.built_in.grammar.constructions import (
    amounts,
    bands,
    changes,
    comparisons,
    composed_figures,
    figures,
    glue,
    grouped,
    groups,
    joined,
    lists,
    orders,
    rankings,
    related,
    roles,
    rows,
    scales,
    shares,
    shown,
    values,
)
from ai_engine.built_in.grammar.phrases import LeafReason, Reason

_KINDS = (
    glue, rows, values, comparisons, related, roles, joined, figures, amounts, composed_figures,
    groups, bands, grouped, lists, shown, scales, rankings, orders, changes, shares,
)  # fmt: skip


@cache
def english() -> Grammar:
    """The grammar of all files."""
    return Grammar(construction for kind in _KINDS for construction in kind.says)


def every_price() -> tuple[str, ...]:
    """The names of all prices: of constructions, of reasons against a phrase, and of leaves."""
    return (*(construction.name for construction in english().constructions), *get_args(Reason), *get_args(LeafReason))


def fingerprint() -> str:
    """Tells whether prices were fitted for these constructions."""
    return sha256("\n".join(every_price()).encode()).hexdigest()[:16]
