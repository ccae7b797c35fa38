"""Numbers cut into bands, with names that read the same in SQL, tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from sqlglot import exp

from ai_engine.semantics.compiler.dialects import literal


def band_names(edges: Sequence[Decimal], *, whole: bool) -> tuple[str, ...]:
    """Name the bands: below the first edge, between neighbours, from the last on; `whole` numbers end one below."""
    texts = [f"{edge.normalize():f}" for edge in edges]
    between = [
        f"{low} to {int(high) - 1}" if whole and high == int(high) else f"{low} to below {texts[position + 1]}"
        for position, (low, high) in enumerate(zip(texts, edges[1:], strict=False))
    ]
    return (f"Below {texts[0]}", *between, f"{texts[-1]} and over")


def banded(value: exp.Expr, edges: Sequence[Decimal], *, whole: bool) -> exp.Expr:
    """Return the name of the band a value lies in; NULL stays NULL."""
    *below, last = band_names(edges, whole=whole)
    cases = [
        exp.If(this=exp.LT(this=value.copy(), expression=literal(edge)), true=exp.Literal.string(name))
        for edge, name in zip(edges, below, strict=True)
    ]
    over = exp.GTE(this=value.copy(), expression=literal(edges[-1]))
    return exp.Case(ifs=[*cases, exp.If(this=over, true=exp.Literal.string(last))])
