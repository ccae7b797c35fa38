"""What PostgreSQL's plan of a statement says that it will read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ai_engine.types import ScanEstimate

Relation: TypeAlias = tuple[str, str]
"""Schema and name."""

SIZES = """
    SELECT n.nspname, c.relname, c.reltuples::bigint, pg_catalog.pg_relation_size(c.oid)
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE (n.nspname, c.relname) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"""
_WHOLE = ("Seq Scan", "Sample Scan")
_KEEPS_ROWS = ("Materialize", "Memoize")
_HANDS_ON = ("Limit", "Result", "Append", "Gather", "Subquery Scan", "ProjectSet")


@dataclass(frozen=True, slots=True)
class Scan:
    """One scan of a stored table: the rows that it hands on, their width, and how often it is done.

    `share` is how much of it is done where a limit ends it; `whole` that it looks at every row, whatever it hands on.
    """

    relation: Relation
    rows: float
    width_bytes: int
    loops: float
    share: float
    whole: bool


def scans_of(plan: Mapping[str, Any]) -> list[Scan]:
    """Return the scans of a plan that names schemas; what is computed once and read again is there once."""
    return list(_scans(plan, 1.0, 1.0))


def _scans(node: Mapping[str, Any], loops: float, share: float) -> Iterator[Scan]:
    kind, below = str(node["Node Type"]), node.get("Plans", [])
    if "Relation Name" in node:
        relation = (str(node.get("Schema", "")), str(node["Relation Name"]))
        rows, width = float(node["Plan Rows"]), int(node["Plan Width"])
        yield Scan(relation, rows, width, loops, share, kind in _WHOLE)
    for child in below:
        part = share if kind in _HANDS_ON else 1.0
        if kind == "Limit" and child.get("Plan Rows"):
            part = min(1.0, float(node["Plan Rows"]) / float(child["Plan Rows"]))
        inner = kind == "Nested Loop" and child.get("Parent Relationship") == "Inner"
        again = float(below[0]["Plan Rows"]) if inner and child["Node Type"] not in _KEEPS_ROWS else 1.0
        yield from _scans(child, loops * max(1.0, again), part)


def read_scans(scans: list[Scan], sizes: Mapping[Relation, tuple[int, int]]) -> ScanEstimate:
    """Add up what the scans read.

    Args:
        scans: of one plan.
        sizes: rows and bytes of each table; rows are negative where they were never counted.

    Returns:
        A whole scan reads the table, one by an index the rows that it finds; none more bytes than the table has, as
        what is read again is at hand. None where a table is not among the sizes.
    """
    rows, read_bytes = 0.0, 0.0
    for scan in scans:
        if scan.relation not in sizes:
            return ScanEstimate()
        stored_rows, stored_bytes = sizes[scan.relation]
        counted = max(float(stored_rows), scan.rows) if scan.whole else scan.rows
        rows += counted * scan.loops * scan.share
        found_bytes = stored_bytes if scan.whole else min(scan.rows * scan.width_bytes * scan.loops, stored_bytes)
        read_bytes += found_bytes * scan.share
    return ScanEstimate(round(rows), round(read_bytes))
