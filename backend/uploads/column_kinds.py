"""What the cells of a text column are: judged by all of them, so that no cell is lost. Runs in the worker only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import duckdb

from backend.uploads.plan import Kind

_NOTHING = ("", "-", "--", "na", "n/a", "#n/a", "null", "none", "nil", "nan")
_SIGNS = {"INR": r"₹|rs\.?|inr", "USD": r"\$|usd", "EUR": r"€|eur", "GBP": r"£|gbp"}
_BEFORE = r"^\s*(₹|rs\.?|inr|\$|usd|€|eur|£|gbp)\s*"
_AFTER = r"\s*(%|/-|₹|inr|usd|eur|€|gbp)\s*$"
_PLAIN = r"[-+]?\d+(\.\d+)?"
_GROUPED = r"[-+]?\d{1,3}(,\d{2,3})*,\d{3}(\.\d+)?|[-+]?\d+(\.\d+)?"
_COMMA = r"[-+]?\d{1,3}(\.\d{3})+(,\d+)?|[-+]?\d+(,\d+)?"
_SCIENTIFIC = r"[-+]?\d+(\.\d+)?([eE][-+]?\d{1,3})?"
_CODE = r"0\d+"
_DATES = (
    ("%Y-%m-%d", "2026-12-31"), ("%d-%m-%Y", "31-12-2026, day first"), ("%d/%m/%Y", "31/12/2026, day first"),
    ("%d.%m.%Y", "31.12.2026, day first"), ("%d-%b-%Y", "31-Dec-2026"), ("%d %b %Y", "31 Dec 2026"),
    ("%d-%b-%y", "31-Dec-26"), ("%d %B %Y", "31 December 2026"), ("%d/%m/%y", "31/12/26, day first"),
    ("%d-%m-%y", "31-12-26, day first"), ("%m/%d/%Y", "12/31/2026, month first"), ("%Y/%m/%d", "2026/12/31"),
    ("%b %d, %Y", "Dec 31, 2026"),
)  # fmt: skip
_TIMES = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p")
_YES = "('true', 'yes', 'y')"
_NO = "('false', 'no', 'n')"
_MOST_DIGITS = 38
_FIRST_LOOK = 500
_AT_ONCE = 20
"""Ways that one statement tries: most columns are read by one of the first."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to read a column.

    Attributes:
        cast: SQL over the trimmed text `c`, NULL where a cell cannot be read so.
        written: how the cells are written, for people.
    """

    kind: Kind
    cast: str
    written: str = ""
    unit: str = ""


def trimmed(column: str) -> str:
    """Return SQL of a cell without blanks around it, NULL where it says that there is nothing."""
    nothing = ", ".join(f"'{text}'" for text in _NOTHING)
    return f"CASE WHEN lower(trim({column})) IN ({nothing}) THEN NULL ELSE trim({column}) END"


def way_of(duck: duckdb.DuckDBPyConnection, table: str, column: str) -> Way:
    """Return the first way in which every cell of a text column can be read; text is always one."""
    for way in _ways(duck, table, column):
        if way.kind == "text" or not misfits(duck, table, column, way)[0]:
            return way
    return Way("text", "c")


def way_as(duck: duckdb.DuckDBPyConnection, table: str, column: str, kind: Kind) -> Way:
    """Return the way of a kind that a person has chosen which the most cells can be read in."""
    kinds: tuple[Kind, ...] = ("number", "whole number") if kind == "number" else (kind,)
    cells = f"(SELECT {trimmed(column)} AS c FROM {table})"
    found = tuple(_all_ways(duck, cells, every=True))
    ways = [way for one in kinds for way in found if way.kind == one]
    read = _read_by(duck, cells, ways)
    fewest = max(zip(read, ways, strict=True), key=lambda one: one[0], default=(0, Way("text", "c")))[1]
    if kind == "number" and fewest.kind == "whole number":
        return Way("number", fewest.cast.replace("AS BIGINT", "AS DECIMAL(38, 0)"), fewest.written, fewest.unit)
    return fewest


def misfits(duck: duckdb.DuckDBPyConnection, table: str, column: str, way: Way) -> tuple[int, list[tuple[int, str]]]:
    """Count the cells that cannot be read so, with the row and text of the first few."""
    if way.kind == "text":
        return 0, []
    cells = f"SELECT row_number() OVER () AS n, {trimmed(column)} AS c FROM {table}"
    wrong = f"FROM ({cells}) WHERE c IS NOT NULL AND ({way.cast}) IS NULL"
    (count,) = _one(duck, f"SELECT count(*) {wrong}")
    found = duck.execute(f"SELECT n, c {wrong} LIMIT 3").fetchall() if count else []
    return count, [(int(row), str(text)[:40]) for row, text in found]


def _ways(duck: duckdb.DuckDBPyConnection, table: str, column: str) -> Iterator[Way]:
    """Yield the ways that the first cells permit, the likeliest first."""
    look = f"(SELECT {trimmed(column)} AS c FROM {table})"
    first = f"(SELECT DISTINCT c FROM {look} WHERE c IS NOT NULL LIMIT {_FIRST_LOOK})"
    (present,) = _one(duck, f"SELECT count(*) FROM {first}")
    if not present:
        yield Way("text", "c")
        return
    ways = _all_ways(duck, look)
    while some := list(islice(ways, _AT_ONCE)):
        yield from (way for way, read in zip(some, _read_by(duck, first, some), strict=True) if read == present)
    yield Way("text", "c")


def _read_by(duck: duckdb.DuckDBPyConnection, cells: str, ways: Sequence[Way]) -> tuple[int, ...]:
    """Count the cells that each way can read."""
    return _one(duck, f"SELECT {', '.join(f'count({way.cast})' for way in ways)} FROM {cells}") if ways else ()


def _all_ways(duck: duckdb.DuckDBPyConnection, look: str, *, every: bool = False) -> Iterator[Way]:
    yield Way(
        "yes or no", f"CASE WHEN lower(c) IN {_YES} THEN true WHEN lower(c) IN {_NO} THEN false END", "yes and no"
    )
    bare = f"regexp_replace(regexp_replace(lower(c), '{_BEFORE}', ''), '{_AFTER}', '')"
    bare = f"CASE WHEN {bare} LIKE '(%)' THEN '-' || trim({bare}, '()') ELSE {bare} END"
    (codes,) = _one(duck, f"SELECT count(*) FROM {look} WHERE regexp_full_match({bare}, '{_CODE}')")
    units = _units(duck, look)
    if every or not (codes or units[1:]):  # rupees and dollars add up to nothing
        unit = units[0] if len(units) == 1 else ""
        for pattern, digits, written in (
            (_PLAIN, bare, ""),
            (_GROUPED, f"replace({bare}, ',', '')", "digits grouped by commas"),
            (_COMMA, f"replace(replace({bare}, '.', ''), ',', '.')", "decimal commas"),
        ):
            yield from _numbers(duck, look, bare, pattern, digits, written, unit)
        is_short = f"length({bare}) < 25 AND regexp_full_match({bare}, '{_SCIENTIFIC}')"
        number = f"TRY_CAST({bare} AS DOUBLE)"
        yield Way("number", f"CASE WHEN {is_short} AND isfinite({number}) THEN {number} END", "scientific", unit)
    for form, example in _DATES:
        yield Way("date", f"CAST({_moment(form)} AS DATE)", example)
    for form, example in _DATES:
        for clock in _TIMES:
            for between in (" ", "T"):
                yield Way("date and time", _moment(form, between + clock), f"{example} with the time")


def _numbers(
    duck: duckdb.DuckDBPyConnection, look: str, bare: str, pattern: str, digits: str, written: str, unit: str
) -> Iterator[Way]:
    fits = f"regexp_full_match({bare}, '{pattern}')"
    whole, places = (
        f"max(length(regexp_extract({digits}, '^[-+]?0*(\\d*)', 1))) FILTER ({fits})",
        f"max(length(regexp_extract({digits}, '\\.(\\d+)$', 1))) FILTER ({fits})",
    )
    before, after = _one(duck, f"SELECT {whole}, {places} FROM {look} WHERE c IS NOT NULL")
    if before is None or before + (after or 0) > _MOST_DIGITS:
        return
    said = f"{written}{', ' * bool(written and unit)}{unit}" if unit else written
    if not after and before <= 18:
        yield Way("whole number", f"CASE WHEN {fits} THEN TRY_CAST({digits} AS BIGINT) END", said, unit)
    else:
        width = max(18, before + after)
        cast = f"TRY_CAST({digits} AS DECIMAL({min(width, _MOST_DIGITS)}, {after}))"
        yield Way("number", f"CASE WHEN {fits} THEN {cast} END", said, unit)


def _moment(form: str, clock: str = "") -> str:
    """SQL of a day or a moment whose year has all four digits: of 01-Feb-24 %Y makes the year 24."""
    day = re.sub(r"%(\w)", lambda part: r"\d{4}" if part[1] == "Y" else r"\w+", form.replace(".", r"\."))
    return f"CASE WHEN regexp_matches(c, '^{day}($|[T ])') THEN try_strptime(c, '{form}{clock}') END"


def _units(duck: duckdb.DuckDBPyConnection, look: str) -> list[str]:
    """Return the currencies, and percent, that stand beside numbers of a column."""
    counts = ", ".join(
        f"count(*) FILTER (regexp_matches(lower(c), '^\\s*({sign})\\s*[-+(]?\\d|\\d\\s*({sign})$'))"
        for sign in _SIGNS.values()
    )
    found = _one(duck, f"SELECT {counts}, count(*) FILTER (c LIKE '%\\%' ESCAPE '\\') FROM {look}")
    return [unit for unit, count in zip((*_SIGNS, "percent"), found, strict=True) if count]


def _one(duck: duckdb.DuckDBPyConnection, sql: str) -> tuple[int, ...]:
    row = duck.execute(sql).fetchone()
    assert row is not None, "an aggregate has one row"  # noqa: S101
    return row
