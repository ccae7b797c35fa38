"""What a plan of MySQL or MariaDB says that a statement will read and cost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ai_engine.types import ScanEstimate
from backend.databases.engine import own_limit

SIZES = """
    SELECT table_name, avg_row_length, data_length FROM information_schema.tables
    WHERE table_schema = database() AND table_name IN %s"""
_NAME = r"`(?:[^`]|``)*`|[\w$]+"
_CALLED = re.compile(
    rf"'(?:[^'\\]|\\.|'')*'|((?:{_NAME})\.)?({_NAME})(?:\s+AS\s+({_NAME}))?", re.IGNORECASE | re.DOTALL
)
"""Every text and name, so that nothing within one is taken for another; behind a point stands a column."""
_AGGREGATES = re.compile(r"\b(?:COUNT|SUM|AVG|MIN|MAX|STD|STDDEV|VAR|VARIANCE|BIT|GROUP|JSON)\w*\(", re.IGNORECASE)
_DERIVED = "<"


@dataclass(frozen=True, slots=True)
class Scan:
    """One table of a plan, by the name that the statement gives it: rows looked at each time, and how often."""

    called: str
    rows: float
    loops: float


def plan_cost(plan: Any) -> float | None:
    """Read a plan: MySQL and newer MariaDB name a cost, older MariaDB the rows of each table alone."""
    block = plan.get("query_block", {}) if isinstance(plan, dict) else {}
    named = block.get("cost", block.get("cost_info", {}).get("query_cost"))
    if named is not None:
        return float(named)
    rows = list(_rows_looked_at(plan))
    return sum(rows) if rows else None


def _rows_looked_at(part: Any) -> Iterator[float]:
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    if isinstance(part, dict) and isinstance(part.get("rows"), int):
        yield float(part["rows"]) * float(part.get("loops", 1))
    for one in inner:
        yield from _rows_looked_at(one)


def scans_of(plan: Any, sql: str) -> list[Scan]:
    """Return the scans of stored tables; no plan tells of the statement's limit, nor of a figure over all rows."""
    scans = list(_scans(plan))
    block = plan.get("query_block", {}) if isinstance(plan, dict) else {}
    most_rows = own_limit(sql)
    if len(scans) == 1 and most_rows is not None and _ends_early(block) and not _AGGREGATES.search(sql):
        return [Scan(scans[0].called, min(scans[0].rows, most_rows), 1.0)]
    return scans


def _ends_early(block: Mapping[str, Any]) -> bool:
    """Tell whether a limit ends the only scan: nothing sorts, groups or filters its rows."""
    joined = block.get("nested_loop") or [block]
    table = joined[0].get("table")
    only_scans = not {"filesort", "temporary_table", "ordering_operation", "grouping_operation"} & block.keys()
    if not only_scans or table is None or "table_name" not in table:
        return False
    return "attached_condition" not in table and not any("materialized" in key for key in table)


def _scans(part: Any) -> Iterator[Scan]:
    """Yield scans; those of a join are done once for each row that the ones before them hand on."""
    if isinstance(part, list):
        for one in part:
            yield from _scans(one)
        return
    if not isinstance(part, dict):
        return
    for name, inner in part.items():
        if name == "nested_loop" and isinstance(inner, list):
            yield from _joined(inner)
        elif name == "table" and isinstance(inner, dict):
            yield from _scan(inner, 1.0)
        else:
            yield from _scans(inner)


def _joined(steps: list[Any]) -> Iterator[Scan]:
    handed_on = 1.0
    for step in steps:
        buffered = isinstance(step, dict) and "block-nl-join" in step
        table = (step["block-nl-join"] if buffered else step).get("table") if isinstance(step, dict) else None
        if not isinstance(table, dict):
            yield from _scans(step)
            continue
        yield from _scan(table, 1.0 if buffered else max(1.0, handed_on))
        handed_on *= _rows(table) * float(table.get("filtered", 100)) / 100


def _scan(table: Mapping[str, Any], loops: float) -> Iterator[Scan]:
    called = str(table.get("table_name", _DERIVED))
    if not called.startswith(_DERIVED):
        yield Scan(called, _rows(table), float(table.get("loops", loops)))
    for inner in table.values():
        yield from _scans(inner)


def _rows(table: Mapping[str, Any]) -> float:
    return float(table.get("rows", table.get("rows_examined_per_scan", 0)))


def tables_by_alias(sql: str) -> dict[str, set[str]]:
    """Return what each name of a statement may stand for: canonical text writes AS before every alias."""
    found: dict[str, set[str]] = {}
    for qualifier, name, alias in _CALLED.findall(sql):
        if alias and not qualifier:
            found.setdefault(_plain(alias), set()).add(_plain(name))
    return found


def _plain(name: str) -> str:
    return name.lower() if name[0] != "`" else name[1:-1].replace("``", "`").lower()


def read_scans(
    scans: list[Scan], aliases: Mapping[str, set[str]], sizes: Mapping[str, tuple[int, int]]
) -> ScanEstimate:
    """Add up what the scans read; a name that may be one of several tables is taken for the widest of them.

    A table that is called like an alias is none that the statement reads.

    Args:
        scans: of one plan.
        aliases: see `tables_by_alias`.
        sizes: bytes of a row and of the whole table, by its name in small letters.

    Returns:
        None where a table is not among the sizes; no more bytes of a table than it has, as what is read again is at
        hand.
    """
    rows, read_bytes = 0.0, 0.0
    for scan in scans:
        called = scan.called.lower()
        known = [sizes[name] for name in aliases.get(called, {called}) if name in sizes]
        if not known:
            return ScanEstimate()
        row_bytes, stored_bytes = max(known)
        rows += scan.rows * scan.loops
        read_bytes += min(scan.rows * scan.loops * row_bytes, stored_bytes)
    return ScanEstimate(round(rows), round(read_bytes))
