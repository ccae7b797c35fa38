"""Frames of windows: MariaDB and DuckDB read some of them anew for each row, and hear no cancel meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from ai_engine.guard.growth import CALLED_BY_NAME
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import folded
from ai_engine.guard.statement import Statement

_MOST_ROWS = 31
"""Of 100,000 frames of so many rows each, MariaDB reads the texts in a second."""
_KEEPING_STEP = (
    *(exp.Sum, exp.Avg, exp.Count, exp.BitwiseAndAgg, exp.BitwiseOrAgg, exp.BitwiseXorAgg),
    *(exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead, exp.RowNumber, exp.Ntile),
    *(exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist),
)
"""What takes off the rows that a frame leaves, or looks at one row of it."""
_READ_ANEW_BY_DUCKDB = frozenset({"mad", "entropy"})


def frames_are_short(statement: Statement) -> None:
    """Refuse a long frame that moves on where the engine reads all of it for each row.

    MariaDB does for MIN, MAX, a deviation or a variance; DuckDB for MAD, ENTROPY and the median of distinct values,
    also where a frame only grows.
    """
    if statement.dialect not in {"mysql", "duckdb"}:
        return
    for window in statement.nodes(exp.Window):
        called = window.this
        while isinstance(called, (exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup, exp.Filter)):
            called = called.this
        if isinstance(called, exp.Identifier):  # a named window
            continue
        windows = list(_with_bases(window, statement.dialect))
        specs = [one.args["spec"] for one in windows if isinstance(one.args.get("spec"), exp.WindowSpec)]
        if statement.dialect == "duckdb":
            is_ordered = any(one.args.get("order") for one in windows)
            if _is_read_anew_by_duckdb(called) and not (all(map(_is_short, specs)) if specs else not is_ordered):
                raise refuse(
                    f"{written(called)} is taken over whole partitions, without ORDER BY, or over at most "
                    f"{_MOST_ROWS} ROWS by plain numbers",
                    written(window),
                )
        elif not isinstance(called, _KEEPING_STEP):
            for spec in specs:
                if not _only_grows(spec) and not _is_short(spec):
                    raise refuse(
                        f"{written(called)} is taken over a frame that begins at UNBOUNDED PRECEDING and ends at "
                        f"CURRENT ROW, over all rows, or over at most {_MOST_ROWS} ROWS by plain numbers",
                        written(spec),
                    )


def _is_read_anew_by_duckdb(called: exp.Expr) -> bool:
    if isinstance(called, exp.Median):
        return isinstance(called.this, exp.Distinct)
    return isinstance(called, CALLED_BY_NAME) and called.name.lower() in _READ_ANEW_BY_DUCKDB


def _with_bases(window: exp.Window, dialect: str) -> Iterator[exp.Expr]:
    """A window, and the named ones that it may be built on."""
    yield window
    select = window.find_ancestor(exp.Select)
    named = list(select.args.get("windows") or ()) if select is not None else []
    base, seen = window.args.get("alias"), set[str]()
    while isinstance(base, exp.Identifier) and folded(base, dialect) not in seen:
        seen.add(folded(base, dialect))
        found = [one for one in named if folded(one.this, dialect) == folded(base, dialect)]
        yield from found
        base = found[0].args.get("alias") if found else None


def _only_grows(spec: exp.WindowSpec) -> bool:
    """Whether no row leaves it and none behind this one is in it, save all: MariaDB hears a cancel meanwhile."""
    begins = _said(spec.args.get("start")) == "UNBOUNDED" and _said(spec.args.get("start_side")) == "PRECEDING"
    end = spec.args.get("end")
    return begins and (end is None or _said(end) in {"CURRENT ROW", "UNBOUNDED"})


def _is_short(spec: exp.WindowSpec) -> bool:
    """Whether so many ROWS, by plain numbers, are in it at most; of a RANGE many may be level."""
    ends = [_rows(spec.args.get("start")), _rows(spec.args.get("end"))]
    return _said(spec.args.get("kind")) == "ROWS" and sum(ends) < _MOST_ROWS


def _rows(end: object) -> int:
    if end is None or _said(end) == "CURRENT ROW":
        return 0
    if isinstance(end, exp.Literal) and not end.is_string and end.this.isdecimal():
        return int(end.this[:9])
    return _MOST_ROWS


def _said(word: object) -> str:
    return word.upper() if isinstance(word, str) else ""
