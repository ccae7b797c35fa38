"""What a language model's statement gives out has to be computed from columns, not written into it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from decimal import Decimal

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.conversions import LARGE_CONVERSIONS, SMALL_CONVERSIONS
from ai_engine.errors import SqlRejected
from ai_engine.guard.parsing import tokens_of, tree_of
from ai_engine.guard.policy import Policy
from ai_engine.guard.text import text_is_bounded, tokens_are_bounded
from ai_engine.insight.checking.figure import scale_of
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.figures import figures_in
from ai_engine.insight.retold import figures_of_text

_SMALL_UNITS = SMALL_CONVERSIONS | {Decimal(6), Decimal(24)}
_LARGE_UNITS = LARGE_CONVERSIONS | {Decimal(1_000_000)}
"""Thousand, lakh, million and crore: an amount is divided by them, nothing that is there is multiplied."""
_YEARS = range(1900, 2200)
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[ T][\d:.]+)?)?")
_CHOOSES = (exp.Predicate, exp.In, exp.Between, exp.Where, exp.Having, exp.Qualify, exp.Join, exp.Limit, exp.Offset,
            exp.Order, exp.WindowSpec, exp.DataTypeParam, exp.Interval)  # fmt: skip
"""What picks rows, a way or a type; its numbers come out nowhere."""
_CUTS = {(exp.Round, "decimals"), (exp.Substring, "start"), (exp.Substring, "length"), (exp.Quantile, "quantile"),
         (exp.PercentileCont, "this"), (exp.PercentileDisc, "this"), (exp.Ntile, "this")}  # fmt: skip


def not_computed(sql: str, catalogue: Catalogue, said: str) -> tuple[str, ...]:
    """Return the outputs of a statement that read no column, and the figures that it writes into what it gives out.

    A number may be written that was said or that converts units; labels and names may also bear the numbers of a
    condition, as those of bands do.

    Args:
        sql: as the model wrote it; what the guard does not let its parser see is left to the guard.
        catalogue: of the database.
        said: the question and what it was understood as.
    """
    dialect = catalogue.dialect
    try:
        text_is_bounded(sql, Policy())
        tokens = tokens_of(sql, dialect)
        tokens_are_bounded(tokens, sql, catalogue)
        tree = tree_of(tokens, sql, dialect)
    except SqlRejected:
        return ()
    if not isinstance(tree, exp.Query):
        return ()
    known = _SMALL_UNITS | figures_of_text(said)
    bounds = {one for literal in _literals(tree, chosen=True) for one in figures_of_text(literal.name)}
    banded = known | _LARGE_UNITS | bounds | {bound + 1 for bound in bounds}
    found = [item for item in _outputs(tree) if item.find(exp.Column, exp.Star) is None and _bears_number(item)]
    for literal in _literals(tree, chosen=False):
        if not (_is_known_number(literal, known) if literal.is_number else _is_banded(literal.name, banded)):
            found.append(literal)
    names = (alias.alias for alias in tree.find_all(exp.Alias))
    renamed = [name for name in names if not _is_banded(name.replace("_", " "), banded)]
    return tuple(dict.fromkeys([*(item.sql(dialect=dialect)[:80] for item in found), *renamed]))


def _outputs(tree: exp.Expr) -> Iterator[exp.Expr]:
    """What each branch of the outermost query gives out."""
    if isinstance(tree, exp.SetOperation):
        yield from _outputs(tree.this)
        yield from _outputs(tree.expression)
    elif isinstance(tree, exp.Subquery):
        yield from _outputs(tree.this)
    elif isinstance(tree, exp.Select):
        yield from tree.expressions


def _bears_number(item: exp.Expr) -> bool:
    return any(literal.is_number for literal in item.find_all(exp.Literal))


def _literals(tree: exp.Expr, *, chosen: bool) -> Iterator[exp.Literal]:
    """Literals of conditions that read a column, or those that may come out."""
    for literal in tree.find_all(exp.Literal):
        chooses = literal.find_ancestor(*_CHOOSES)
        if chosen and chooses is not None and chooses.find(exp.Column) is not None:
            yield literal
        if not chosen and chooses is None and not _cuts(literal):
            yield literal


def _cuts(literal: exp.Literal) -> bool:
    return any(isinstance(literal.parent, kind) and literal.arg_key == arg for kind, arg in _CUTS)


def _is_known_number(literal: exp.Literal, known: Collection[Decimal]) -> bool:
    value = Decimal(literal.name)
    if value in known:
        return True
    part: exp.Expr = literal
    while isinstance(part.parent, (exp.Paren, exp.Cast, exp.Neg)):
        part = part.parent
    return value in _LARGE_UNITS and isinstance(part.parent, exp.Div) and part.arg_key == "expression"


def _is_banded(text: str, known: Collection[Decimal]) -> bool:
    """Whether every figure of a label or a name can be read as one that is known, a year or a date."""
    return _DATE.fullmatch(text.strip()) is not None or all(
        scale_of(figure.text) is not None
        or any(all(reading.value in known or reading.value in _YEARS for reading in way) for way in figure.readings)
        for figure in figures_in(plain_digits(text))
    )
