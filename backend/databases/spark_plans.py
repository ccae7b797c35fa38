"""Reads what Spark expects to read of its tables from the plan that `EXPLAIN COST` writes."""

from __future__ import annotations

import re

from ai_engine.types import ScanEstimate

_TABLE = re.compile(
    r"^[\s:+|-]*(?:Relation|HiveTableRelation|RelationV2|DataSourceV2ScanRelation)\b.*"
    r"Statistics\(sizeInBytes=(?P<size>[\d.E+]+) (?P<unit>[KMGTPE]?i?B)(?:, rowCount=(?P<rows>[\d.E+]+))?",
)
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50, "EiB": 2**60}


def scan_estimate(plan: str) -> ScanEstimate:
    """Add up the tables of the optimized plan; rows are told only where all of them are counted by ANALYZE TABLE.

    A table whose size Spark does not know has all of it that a number can say, so that no total is told either.
    """
    optimized = plan.partition("== Physical Plan ==")[0]
    found = [match for line in optimized.splitlines() if (match := _TABLE.match(line))]
    if not found or any(match["unit"] == "EiB" for match in found):
        return ScanEstimate()
    size = round(sum(float(match["size"]) * _UNITS[match["unit"]] for match in found))
    counted = [float(match["rows"]) for match in found if match["rows"]]
    rows = round(sum(counted)) if len(counted) == len(found) else None
    return ScanEstimate(rows=rows, bytes=size, work=float(size))
