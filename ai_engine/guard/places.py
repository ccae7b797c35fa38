"""Where words, names, stars and limits may stand, so that no engine takes them for anything else."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from ai_engine.guard.parsing import text_of
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.statement import Statement

_UNITS = "YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND CENTURY DECADE MILLENNIUM"
_DATE_PARTS = "DOW DOY ISODOW ISOYEAR EPOCH DAYOFWEEK DAYOFYEAR WEEKDAY YEARWEEK ISOWEEK"
_COMPOUND_UNITS = (
    "YEAR_MONTH DAY_HOUR DAY_MINUTE DAY_SECOND DAY_MICROSECOND HOUR_MINUTE HOUR_SECOND HOUR_MICROSECOND MINUTE_SECOND "
    "MINUTE_MICROSECOND SECOND_MICROSECOND"
)
_SAMPLINGS = frozenset({"BERNOULLI", "SYSTEM", "RESERVOIR"})
_LEFT_OUT_OF_FRAMES = frozenset({"CURRENT ROW", "GROUP", "TIES", "NO OTHERS"})
_UNITS_OF_INTERVALS = frozenset(f"{_UNITS} {_COMPOUND_UNITS}".split() + [f"{unit}S" for unit in _UNITS.split()])
_PARTS_OF_DATES = _UNITS_OF_INTERVALS | frozenset(_DATE_PARTS.split())
_INTERVAL_ARGUMENTS = frozenset({"YEARS", "MONTHS", "WEEKS", "DAYS", "HOURS", "MINS", "SECS"})
_WEEKDAYS = frozenset("SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY".split())
_ALL = frozenset({"ALL"})
_WITH_UNITS = (  # written as text or behind INTERVAL; DATE_BIN and LAST_DAY would be given a column of that name
    *(exp.Interval, exp.DateAdd, exp.DateSub, exp.DateDiff, exp.DateTrunc, exp.DatetimeTrunc, exp.TsOrDsAdd),
    *(exp.TsOrDsDiff, exp.TimestampAdd, exp.TimestampSub, exp.TimestampDiff, exp.TimestampTrunc),
    *(exp.DatetimeAdd, exp.DatetimeSub, exp.DatetimeDiff, exp.TimeAdd, exp.TimeSub, exp.TimeDiff, exp.TimeTrunc),
)
_WORDS: dict[tuple[type[object], str], frozenset[str]] = {
    (exp.Extract, "this"): _PARTS_OF_DATES,
    (exp.WindowSpec, "exclude"): _LEFT_OUT_OF_FRAMES,
    (exp.TableSample, "method"): _SAMPLINGS,
    (exp.Kwarg, "this"): _INTERVAL_ARGUMENTS,
    (exp.Ordered, "this"): _ALL,  # of a query: see _orders_a_query
    (exp.Limit, "expression"): _ALL,
    (exp.WeekStart, "this"): _WEEKDAYS,
    **{(kind, "unit"): _PARTS_OF_DATES for kind in _WITH_UNITS},
}
"""Which bare words may stand where, so that no engine takes one for a name or for all columns."""
_COLLATION = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,40}")
_OF_WINDOWS = (
    *(exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead, exp.RowNumber, exp.Ntile),
    *(exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist),
)
_BEAR_NAMES = (
    *(exp.Column, exp.Table, exp.TableAlias, exp.Alias, exp.Join, exp.Window, exp.Pivot, exp.PivotAlias, exp.Collate),
)
_KEPT_OPTIONS = ("with_ties", "percent")


def places_are_allowed(statement: Statement) -> None:
    """Refuse what is allowed in another place than this, or in none as it is written."""
    for kind, rule in _PLACES:
        for node in statement.nodes(kind):
            rule(node)
    for options in statement.nodes(exp.LimitOptions):
        if options.parent.parent is not statement.tree:  # that one is written anew
            _require_printed(options, statement.dialect)


def _require_word(word: exp.Var) -> None:
    if not is_known_word(word):
        raise refuse(f"the word {word.name} is not known here", word.name)


def is_known_word(word: exp.Var) -> bool:
    """Whether a bare word stands where it is known what every engine takes it for."""
    place, parent = word.arg_key or "", word.parent
    if isinstance(parent, exp.Collate):
        return place == "expression"  # judged by its own rule
    known = _WORDS.get((type(parent), place), frozenset())
    return word.name.upper() in known and (not isinstance(parent, exp.Ordered) or _orders_a_query(parent))


def _orders_a_query(item: exp.Ordered) -> bool:
    """Whether ORDER BY ALL is that of a query; in an aggregate or a window, DuckDB orders by all of FROM."""
    order = item.parent
    return isinstance(order, exp.Order) and len(order.expressions) == 1 and isinstance(order.parent, exp.Query)


def all_is_no_name(tokens: list[Token], tree: exp.Expr) -> None:
    """Refuse to order by a column or a text called `all`: DuckDB and sqlglot take some of them for ORDER BY ALL."""
    words = [token.text.upper() for token in tokens]
    if "ALL" not in words:
        return
    kinds = [token.token_type for token in tokens]
    written_so = sum(pair == (TokenType.ORDER_BY, TokenType.ALL) for pair in pairwise(kinds))
    meant = sum(isinstance(item.this, exp.Var) for item in tree.find_all(exp.Ordered))
    if meant > written_so:
        raise refuse("a column called ALL cannot be ordered by here: give it another name", "ALL")


def _require_star_place(star: exp.Star) -> None:
    holder = star.parent.parent if isinstance(star.parent, exp.Column) else star.parent
    if not isinstance(holder, exp.Select) and not is_counted(star):
        raise refuse("* may only stand alone in the list of columns, or in COUNT(*)", written(star))


def is_counted(star: exp.Expr) -> bool:
    """Whether a star is that of COUNT(*); one that leaves columns out counts rows by what the others hold."""
    count = star.parent
    return isinstance(count, exp.Count) and not any(star.args.values()) and not count.expressions


def _require_position(bracket: exp.Bracket) -> None:
    for index in bracket.expressions:
        value = index.this if isinstance(index, exp.Neg) else index
        if not isinstance(value, exp.Literal) or value.is_string:
            raise refuse("only a position may stand in brackets", written(bracket))


def _require_collation(collate: exp.Collate) -> None:
    name = collate.expression
    if not _COLLATION.fullmatch(name.name) or name.args.get("table"):
        raise refuse(f"{written(name)} is not a collation", written(name))


def _require_plain_sample(sample: exp.TableSample) -> None:
    if not all(isinstance(value, (exp.Var, exp.Literal)) for value in sample.iter_expressions()):
        raise refuse("the size of a sample must be a plain number", written(sample))


def _require_no_query(node: exp.Expr) -> None:
    """Refuse a subquery where it would bear other aliases than the same one in the list of columns."""
    if node.find(exp.Query) is not None:
        raise refuse("name a subquery in the list of columns, and here by its alias", written(node))


def _require_plain_distinct(distinct: exp.Distinct) -> None:
    if distinct.args.get("on") is not None:
        _require_no_query(distinct.args["on"])


def _require_limit_of_query(limit: exp.Limit) -> None:
    if not isinstance(limit.parent, exp.Query):
        raise refuse("LIMIT may only stand in a query", written(limit))


def _require_plain_interval(interval: exp.Interval) -> None:
    if isinstance(interval.this, exp.Tuple):
        raise refuse("INTERVAL takes one number and a unit", written(interval))


def _require_window(function: exp.Expr) -> None:
    """Refuse LAST_VALUE(x) without OVER, which MariaDB takes for another function; RANK(1) WITHIN GROUP has its own."""
    node = function.parent
    while isinstance(node, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        node = node.parent
    if not isinstance(node, (exp.Window, exp.WithinGroup)):
        raise refuse(f"{written(function)} needs OVER (...)", written(function))


def _require_alias(item: exp.Alias) -> None:
    """Refuse a name without letters, which what runs would not bear, and one with a NUL, where servers stop reading."""
    if not item.alias or "\0" in item.alias:
        raise refuse("a column needs a name of letters", written(item))


def _require_interval_argument(argument: exp.Kwarg) -> None:
    if not isinstance(argument.parent, exp.MakeInterval):
        raise refuse("only make_interval may be given arguments by name", written(argument))


def _require_plain_exponent(power: exp.Pow) -> None:
    """Refuse `2 ^ ~3 * 7`, which an engine may read as 2 ^ (~(3 * 7))."""
    if isinstance(power.expression, exp.BitwiseNot):
        raise refuse("put the exponent in brackets", written(power.expression))


def _require_name_place(name: exp.Identifier) -> None:
    """Refuse a name where a text is meant, as behind SEPARATOR: nobody would judge what it names."""
    holder = name.parent
    unpivots = isinstance(holder, exp.In) and isinstance(holder.parent, exp.Pivot)
    if not isinstance(holder, _BEAR_NAMES) and not unpivots:
        raise refuse(f"{name.this} stands where no name may stand", name.this)


def _require_printed(options: exp.LimitOptions, dialect: str) -> None:
    """Refuse WITH TIES and PERCENT where sqlglot leaves them out, as they are no words of the database."""
    limit = options.parent.copy() if options.parent is not None else None
    printed = text_of(exp.Select(expressions=[exp.Null()], limit=limit), dialect)
    for option in _KEPT_OPTIONS:
        words = option.replace("_", " ").upper()
        if options.args.get(option) and words not in printed:
            reason = f"a limit {words} is not known here: number the rows by RANK() or ROW_NUMBER(), and compare that"
            raise refuse(reason, words)


_PLACES: tuple[tuple[type[exp.Expr], Callable[[Any], None]], ...] = (
    (exp.Alias, _require_alias),
    (exp.Identifier, _require_name_place),
    (exp.Var, _require_word),
    (exp.Star, _require_star_place),
    (exp.Bracket, _require_position),
    (exp.Collate, _require_collation),
    (exp.TableSample, _require_plain_sample),
    (exp.Kwarg, _require_interval_argument),
    (exp.Distinct, _require_plain_distinct),
    (exp.Limit, _require_limit_of_query),
    (exp.Pow, _require_plain_exponent),
    (exp.Interval, _require_plain_interval),
    *((kind, _require_no_query) for kind in (exp.Rollup, exp.Cube, exp.GroupingSets)),
    *((kind, _require_window) for kind in _OF_WINDOWS),
)
