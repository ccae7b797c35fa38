"""What a language model's statement gives out has to be computed from columns, not written into it."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from decimal import Decimal, DecimalException

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.conversions import LARGE_CONVERSIONS, SMALL_CONVERSIONS
from ai_engine.insight.checking.figure import Figure, scale_of
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.figures import figures_in
from ai_engine.insight.retold import figures_of_text
from ai_engine.llm.free_text import carries_markup
from ai_engine.llm.read_sources import Sources, branches, lists_table, queries_read, query_of
from ai_engine.llm.written_values import CHOICES, Origin, Value, Values, alternatives

_log = logging.getLogger(__name__)
_SMALL_UNITS = SMALL_CONVERSIONS | {Decimal(6), Decimal(24)}
_LARGE_UNITS = LARGE_CONVERSIONS | {Decimal(1_000_000)}
"""Thousand, lakh, million and crore: an amount is divided by them, nothing that is there is multiplied."""
_TRUTHS = frozenset(map(Decimal, (0, 1)))
_CODES = frozenset(map(Decimal, (*range(13), 100)))
"""What may come out of a choice: the place of a band, nothing, all."""
_FEW = frozenset(map(Decimal, (1, 2, 3, 4)))
"""What a name may have in words."""
_YEARS = range(1900, 2200)
_TOO_DEEP = "an expression that is nested too deeply"
_TOO_LONG = "a number with too many digits"
_UNREADABLE = "something that cannot be judged"
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[ T][\d:.]+)?)?")
_BAND = re.compile(r"[A-Za-z]{0,4}[ -]?\d{1,4}(?: ?[-+\u2013] ?\d{0,4})?(?: days)?")
_CHOOSES = (exp.Predicate, exp.In, exp.Between, exp.Where, exp.Having, exp.Qualify, exp.Join, exp.Limit, exp.Fetch,
            exp.Offset, exp.Order, exp.WindowSpec, exp.DataTypeParam, exp.Interval)  # fmt: skip
"""What picks rows, a way or a type; its numbers come out nowhere."""
_CUTS = {(exp.If, "this"), (exp.Round, "decimals"),
         (exp.Substring, "start"), (exp.Substring, "length"), (exp.Quantile, "quantile"),
         (exp.PercentileCont, "this"), (exp.PercentileCont, "expression"), (exp.PercentileDisc, "expression"),
         (exp.PercentileDisc, "this"), (exp.Ntile, "this")}  # fmt: skip


def not_computed(sql: str, catalogue: Catalogue, said: str) -> tuple[str, ...]:
    """Return the outputs of a statement that no column decides, and the figures that it writes into what it gives out.

    A number may be written that was said or that converts units; labels and names may also bear the numbers of a
    condition, as those of bands do. What reads a column and comes to the same for every row (`x * 0 + 365`) is written.
    What reads columns in earnest is computed, whatever it calculates with the numbers that may be written.

    Args:
        sql: as the model wrote it; what the guard does not let its parser see is left to the guard.
        catalogue: of the database.
        said: the question and what it was understood as.
    """
    try:
        tree = query_of(sql, catalogue)
        return () if tree is None else _written_in(tree, catalogue, said)
    except RecursionError:
        return (_TOO_DEEP,)
    except DecimalException:
        return (_TOO_LONG,)
    except Exception as fault:  # noqa: BLE001 - what cannot be judged does not run
        _log.warning("a statement of the model could not be judged: %s", type(fault).__name__)
        return (_UNREADABLE,)


def _written_in(tree: exp.Query, catalogue: Catalogue, said: str) -> tuple[str, ...]:
    choosable = _CODES | figures_of_text(said)
    known = _SMALL_UNITS | figures_of_text(said)
    bounds = {one for literal in _literals(tree, chosen=True) for one in figures_of_text(literal.name)}
    banded = known | _LARGE_UNITS | bounds | {bound + 1 for bound in bounds}
    labels = _Labels(banded, _FEW | figures_of_text(said) | bounds, _scales_of(tree))
    sources = Sources(catalogue)
    values = Values(sources)
    found = [*sources.loose_rows(tree)]
    found += [item for item in _outputs(tree) if _is_written(values.of(item), choosable)]
    found += [item for select in branches(tree) if not _answers(select, values, sources) for item in _outputs(select)]
    found += [part for part in tree.walk() if _is_hidden(part, values, known, choosable)]
    for literal in _literals(tree, chosen=False):
        if not (_is_known_number(literal, known) if literal.is_number else labels.allow(literal.name)):
            found.append(literal)
    stored = {column.name.lower() for table in catalogue.tables for column in table.columns}
    names = (name for name in _names(tree) if name.lower() not in stored)
    renamed = [name for name in names if not labels.allow(name.replace("_", " "))]
    labels = replace(
        labels, known=known | _LARGE_UNITS, spelled=_FEW | figures_of_text(said)
    )  # none vouches for itself
    renamed += [text for text in _texts_for_names(tree) if not labels.allow(text)]
    return tuple(dict.fromkeys([*(item.sql(dialect=catalogue.dialect)[:80] for item in found), *renamed]))


def _outputs(query: exp.Expr) -> Iterator[exp.Expr]:
    """What each branch of the outermost query gives out; what several stars give out comes once."""
    seen, left = set[int](), [*branches(query)]
    while left:
        select = left.pop()
        if id(select) in seen:
            continue
        seen.add(id(select))
        yield from select.expressions
        if any(item.is_star for item in select.expressions):
            left += (one for inner in queries_read(select) for one in branches(inner))


def _answers(select: exp.Select, values: Values, sources: Sources) -> bool:
    """Tell whether any output differs by what a table has; texts and days of the statement's own answer nothing."""
    for item in _outputs(select):
        if item.is_star:
            around = item.find_ancestor(exp.Select)
            if around is not None and lists_table(around):
                return True
            continue
        value = values.of(item)
        if value is Origin.COMPUTED:
            return True
        differs = isinstance(value, frozenset) and len(value - {None}) > 1
        reads = item.find(exp.Column, exp.AggFunc, exp.Query) is not None
        if differs and reads and any(map(sources.reads_table, (select, *item.find_all(exp.Select)))):
            return True
    return False


def _names(tree: exp.Query) -> Iterator[str]:
    """Yield what columns are called in a statement: by an alias, in a list behind a query, in an UNPIVOT."""
    yield from (alias.alias for alias in tree.find_all(exp.Alias))
    yield from (column.name for listed in tree.find_all(exp.TableAlias) for column in listed.columns)
    yield from (part.name for pivot in tree.find_all(exp.Pivot) for part in pivot.find_all(exp.Identifier))


def _texts_for_names(tree: exp.Query) -> Iterator[str]:
    """Yield the texts of outputs without a name, which are called by what they are, and the values of a PIVOT."""
    unnamed = [item for item in _outputs(tree) if not isinstance(item, (exp.Alias, exp.Column))]
    for literal in (one for part in (*unnamed, *tree.find_all(exp.Pivot)) for one in part.find_all(exp.Literal)):
        if literal.is_string and not (_BAND.fullmatch(literal.name) or isinstance(literal.parent, exp.Alias)):
            yield literal.name


def _is_written(value: Value, choosable: AbstractSet[Decimal]) -> bool:
    """Tell whether a column's value is a number that no table gives, in every row or chosen from a few."""
    if isinstance(value, Origin):
        return value is Origin.WRITTEN
    numbers = _numbers(value)
    return bool(numbers) and (len(value) == 1 or not numbers <= (_TRUTHS if len(numbers) == 1 else choosable))


def _is_hidden(part: exp.Expr, values: Values, known: AbstractSet[Decimal], choosable: AbstractSet[Decimal]) -> bool:
    """Tell whether a part of a computed expression is a number that is more than one literal says."""
    around = part.parent
    if isinstance(around, exp.If) and isinstance(around.parent, exp.Case):
        around = around.parent
    if not isinstance(part, (exp.Condition, exp.Subquery)) or not isinstance(around, exp.Condition):
        return False
    if isinstance(part, (exp.If, *_CHOOSES)) or part.find_ancestor(*_CHOOSES) is not None or _cuts(part):
        return False
    value = values.of(part)
    if value in (Origin.COMPUTED, Origin.DATE) or values.of(around) is not Origin.COMPUTED:
        return False
    if not isinstance(value, frozenset):
        return isinstance(part, (exp.Func, exp.Binary, exp.Unary, exp.Column, exp.Subquery)) and not _measures_time(
            part, around
        )
    if isinstance(around, CHOICES):
        return any(part is one for one in alternatives(around)) and not _numbers(value) <= choosable
    bare = part
    while isinstance(bare, (exp.Paren, exp.Cast, exp.Neg)):
        bare = bare.this
    scales = isinstance(around, (exp.Mul, exp.Div)) and isinstance(bare, (exp.Mul, exp.Div))
    return not (scales or isinstance(bare, exp.Literal) or {abs(one) for one in _numbers(value)} <= known | _TRUTHS)


def _numbers(value: Collection[Decimal | str | None]) -> set[Decimal]:
    return {one for one in value if isinstance(one, Decimal)}


def _measures_time(part: exp.Expr, around: exp.Expr) -> bool:
    """Tell whether a part is a day told as a number beside one of a column, or a number of days divided by."""
    texts = [one.name for one in part.find_all(exp.Literal) if one.is_string]
    if part.find(exp.Interval) is not None or not all(_DATE.fullmatch(text) or text == "now" for text in texts):
        return False
    if isinstance(around, exp.Div):
        return part.arg_key == "expression" and part.find(exp.Sub, exp.DateDiff, exp.TimestampDiff) is not None
    other = around.this if part.arg_key == "expression" else around.args.get("expression")
    return isinstance(around, exp.Sub) and type(other) is type(part) and other.name == part.name


def _literals(tree: exp.Expr, *, chosen: bool) -> Iterator[exp.Literal]:
    """Literals of conditions that read a column, or those that may come out."""
    for literal in tree.find_all(exp.Literal):
        chooses = literal.find_ancestor(*_CHOOSES)
        if chosen and chooses is not None and chooses.find(exp.Column) is not None:
            yield literal
        if not chosen and chooses is None and not _cuts(literal):
            yield literal


def _cuts(part: exp.Expr) -> bool:
    return any(isinstance(part.parent, kind) and part.arg_key == arg for kind, arg in _CUTS)


def _is_known_number(literal: exp.Literal, known: Collection[Decimal]) -> bool:
    value = Decimal(literal.name)
    if value in known:
        return True
    part: exp.Expr = literal
    while isinstance(part.parent, (exp.Paren, exp.Cast, exp.Neg)):
        part = part.parent
    return value in _LARGE_UNITS and isinstance(part.parent, exp.Div) and part.arg_key == "expression"


@dataclass(frozen=True, slots=True)
class _Labels:
    """What names and labels of one statement may tell.

    Attributes:
        known: in digits.
        spelled: in words.
        scales: lakh, crore and the like, alone.
    """

    known: AbstractSet[Decimal]
    spelled: AbstractSet[Decimal]
    scales: AbstractSet[Decimal]

    def allow(self, text: str) -> bool:
        """Whether a text has neither markup, an address nor a figure that is not known, no year and no date."""
        if carries_markup(text):
            return False
        if _DATE.fullmatch(text.strip()) is not None:
            return True
        rest = plain_digits(text)
        figures = figures_in(rest)
        for figure in figures:
            rest = rest.replace(figure.text, " ", 1)
        scales = (scale_of(word) for word in re.findall(r"[a-z]{2,}", rest.lower()))  # "in crore" is no figure
        return all(map(self._knows, figures)) and all(scale is None or scale in self.scales for scale in scales)

    def _knows(self, figure: Figure) -> bool:
        scale = scale_of(figure.text)
        if scale is not None:
            return scale in self.scales
        known = self.known if any(char.isdigit() for char in figure.text) else self.spelled
        return any(all(reading.value in known or reading.value in _YEARS for reading in way) for way in figure.readings)


def _scales_of(tree: exp.Expr) -> set[Decimal]:
    """Return what amounts are divided by, and what the columns that are read say that they are kept in."""
    divisors = (one.expression for one in tree.find_all(exp.Div, exp.IntDiv))
    found = {Decimal(one.name) for by in divisors for one in by.find_all(exp.Literal) if one.is_number}
    words = {word for column in tree.find_all(exp.Column) for word in column.name.lower().split("_")}
    return found | {scale for word in words if len(word) > 1 and (scale := scale_of(word)) is not None}
