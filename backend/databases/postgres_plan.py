"""What PostgreSQL's plan of a statement says that it will read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ai_engine.types import ScanEstimate
from backend.databases.postgres_indexes import MADE_BY_THE_BANK, OF_THE_BANK

Relation: TypeAlias = tuple[str, str]
"""Schema and name."""

BY_ROWS = b"""
    SELECT pg_catalog.set_config(name, boot_val, true) FROM pg_catalog.pg_settings
        WHERE category LIKE 'Query Tuning%' AND context = 'user';
    SET LOCAL seq_page_cost = 0; SET LOCAL random_page_cost = 0; SET LOCAL work_mem = '1TB';
    SET LOCAL max_parallel_workers_per_gather = 0"""
"""Settings of plans that are not run: they go by rows alone, as what is withheld fills pages too, and not by what the
role or the database has set, which may have an index over it read."""

SIZES = f"""
    WITH RECURSIVE hidden (t, c) AS (SELECT * FROM unnest(%s::text[], %s::text[])),
    asked AS (SELECT n.nspname, c.relname, c.oid, c.relkind, c.relam, c.relpages, c.reltuples, c.reltablespace
        FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE (n.nspname, c.relname) IN (SELECT * FROM unnest(%s::text[], %s::text[]))),
    up (start, oid) AS (
        SELECT oid, oid FROM asked
        UNION SELECT start, inhparent FROM pg_catalog.pg_inherits JOIN up ON inhrelid = up.oid),
    above AS (
        SELECT start, array_agg(up.oid) AS oids, bool_or(pg_catalog.row_security_active(up.oid)) AS are_rows_withheld,
            count(*) = 1 AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhparent = start) AS is_alone,
            NOT EXISTS (SELECT FROM pg_catalog.pg_inherits AS i WHERE i.inhparent = start)
                AND bool_and(up.oid = start OR parted.is_by_permitted IS TRUE) AS is_parted_by_permitted
        FROM up LEFT JOIN LATERAL (
            SELECT p.partexprs IS NULL AND {OF_THE_BANK} > ALL (p.partclass::oid[]) AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS t ON t.oid = a.attrelid
                WHERE a.attrelid = p.partrelid AND a.attnum = ANY (p.partattrs::int2[])
                    AND (lower(t.relname), lower(a.attname)) IN (TABLE hidden))
            FROM pg_catalog.pg_partitioned_table AS p WHERE p.partrelid = up.oid
        ) AS parted (is_by_permitted) ON true GROUP BY start)
    SELECT c.nspname, c.relname, c.reltuples::bigint, pg_catalog.pg_relation_size(c.oid), shown.row_bytes,
        shown.kept_back IS NOT NULL AND NOT (
            c.relkind = 'r' AND (c.relam = 0 OR c.relam = (SELECT oid FROM pg_catalog.pg_am WHERE amname = 'heap'))
            AND above.is_alone AND c.reltuples > 0
            AND c.relpages * pg_catalog.current_setting('block_size')::bigint = pg_catalog.pg_relation_size(c.oid)
            AND pg_catalog.pg_stat_get_mod_since_analyze(c.oid) IS NOT DISTINCT FROM 0
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_statistic_ext WHERE stxrelid = c.oid)
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS x ON x.oid = i.indexrelid
                JOIN pg_catalog.pg_am AS m ON m.oid = x.relam
                WHERE i.indrelid = c.oid AND NOT (i.indexprs IS NULL AND i.indpred IS NULL
                    AND CASE WHEN i.indkey::int2[] && shown.kept_back THEN i.indnatts = 1
                        ELSE m.amname = 'btree' AND NOT i.indkey::int2[] && shown.packed END))
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS x JOIN pg_catalog.pg_database AS d
                    ON d.datname = pg_catalog.current_database()
                JOIN pg_catalog.pg_tablespace AS s ON s.oid = coalesce(nullif(x.reltablespace, 0), d.dattablespace)
                WHERE s.spcoptions IS NOT NULL AND (x.oid = c.oid OR x.oid IN (
                    SELECT indexrelid FROM pg_catalog.pg_index WHERE indrelid = c.oid)))
        ) OR EXISTS (TABLE hidden) AND EXISTS (SELECT FROM pg_catalog.pg_index AS i
            WHERE i.indrelid = c.oid AND {MADE_BY_THE_BANK.format("i.indexrelid")})
    FROM asked AS c JOIN above ON above.start = c.oid
    LEFT JOIN LATERAL (
        SELECT coalesce(sum(CASE WHEN a.attlen > 0 THEN a.attlen ELSE 32 END) FILTER (WHERE NOT is_kept_back), 0),
            array_agg(a.attnum) FILTER (WHERE is_kept_back),
            coalesce(array_agg(a.attnum) FILTER (WHERE a.attlen < 0), '{{}}')
        FROM pg_catalog.pg_attribute AS a
        CROSS JOIN LATERAL (SELECT (lower(c.relname), lower(a.attname)) IN (TABLE hidden)) AS k (is_kept_back)
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    ) AS shown (row_bytes, kept_back, packed) ON EXISTS (SELECT FROM hidden WHERE t = lower(c.relname))
    WHERE NOT above.are_rows_withheld AND (shown.kept_back IS NULL OR above.is_parted_by_permitted)
        AND (lower(c.relname), '') NOT IN (TABLE hidden) AND (shown.row_bytes IS NOT NULL OR NOT EXISTS (
            SELECT FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_class AS p
                    JOIN pg_catalog.pg_attribute AS b ON b.attrelid = p.oid AND b.attname = a.attname
                    WHERE p.oid = ANY (above.oids) AND pg_catalog.has_schema_privilege(p.relnamespace, 'USAGE')
                        AND pg_catalog.has_column_privilege(p.oid, b.attnum, 'SELECT'))))"""
"""Of tables that may be read, by themselves or as parts of others, and not through views or row security alone; none
of which row security keeps rows from the role, as all are counted, and none with withheld columns that heirs or
partitions keep apart, unless by permitted ones. Where a column is withheld a value of no fixed width is 32 bytes, as
how far it is packed depends on what stands beside it. Beside rows and bytes, whether a plan of them may go by more than
their permitted columns: of a table with others it does not where the table stands alone, was counted as it is, and has
no indexes but B-trees of permitted columns of a fixed width, or of one other alone, which no statement can ask for."""
ONLY_WHOLE = b"SET LOCAL enable_seqscan = off; SET LOCAL enable_indexonlyscan = off"
"""Settings with which a table is read whole only where there is no other way, whatever is expected of it."""
_WHOLE = ("Seq Scan", "Sample Scan")
GATHERS = re.compile(r"\b(?:ARRAY_AGG|STRING_AGG|ARRAY)\(", re.IGNORECASE)
"""Calls for which the server holds every value at once."""
_MAKES_WIDE = re.compile(
    r"\b(?:REPEAT|LPAD|RPAD|REPLACE|REGEXP_REPLACE|OVERLAY|FORMAT|ARRAY_TO_STRING|STRING_TO_ARRAY|REGEXP_MATCH)\(",
    re.IGNORECASE,
)
_JOINS = re.compile(r"\|\||\b(?:CONCAT|CONCAT_WS)\(|\bARRAY\[", re.IGNORECASE)
_WIDEST_BYTES = 1_000  # of a value that is gathered: the guard lets no letters more pass
_MOST_JOINED = 10  # columns of usual width, by the same bound
STORED_APART = """
    SELECT n.nspname, c.relname, 4.0 * pg_catalog.pg_relation_size(c.reltoastrelid) / greatest(c.reltuples, 1),
        array_agg(a.attname::text)
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attlen = -1 AND a.attstorage <> 'p'
    LEFT JOIN pg_catalog.pg_stats AS s ON s.schemaname = n.nspname AND s.tablename = c.relname
        AND s.attname = a.attname AND NOT s.inherited
    WHERE (n.nspname, c.relname) IN (SELECT * FROM unnest(%s::text[], %s::text[])) AND c.reltoastrelid <> 0
        AND coalesce(s.avg_width, 18) >= 18
    GROUP BY n.nspname, c.relname, c.reltoastrelid, c.reltuples"""
"""What a row has in values too long for its page, taken to be packed to a quarter, and the columns that may have them:
a value apart is known as 18 bytes."""
_OF_A_VALUE_BYTES = 32  # beside the value itself, where it is one of a list
_KEEPS_ROWS = ("Materialize", "Memoize")
_HANDS_ON = ("Limit", "Result", "Append", "Gather", "Subquery Scan", "ProjectSet")


@dataclass(frozen=True, slots=True)
class Size:
    """Rows and bytes of a table, as far as they may be told; rows are negative where they were never counted.

    `is_of_part` that they are of its permitted columns alone, and as it was when its rows were counted; `sways` that
    the plan goes by the others too, so that only what does not depend on it can be told.
    """

    rows: int
    bytes: int
    is_of_part: bool
    sways: bool = False

    @classmethod
    def of(cls, rows: int, stored_bytes: int, permitted_row_bytes: int | None, sways: bool | None) -> Size:
        """Read a row of `SIZES`, whose bytes of a row are None where nothing of the table is withheld."""
        if permitted_row_bytes is None:
            return cls(rows, stored_bytes, is_of_part=False, sways=bool(sways))
        counted = rows if stored_bytes else 0
        return cls(counted, counted * permitted_row_bytes, is_of_part=True, sways=bool(sways))


@dataclass(frozen=True, slots=True)
class Scan:
    """One scan of a stored table: the rows that it hands on, their width, and how often it is done.

    `share` is how much of it is done where a limit ends it, `cut` that one may; `whole` that it looks at every row,
    whatever it hands on.
    """

    relation: Relation
    rows: float
    width_bytes: int
    loops: float
    share: float
    whole: bool
    cut: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the whole table is read once, whatever was expected of it."""
        return self.whole and not self.cut and self.loops == 1


def scans_of(plan: Mapping[str, Any]) -> list[Scan]:
    """Return the scans of a plan that names schemas; what is computed once and read again is there once."""
    return list(_scans(plan, 1.0, 1.0, cut=False))


def _scans(node: Mapping[str, Any], loops: float, share: float, *, cut: bool) -> Iterator[Scan]:
    kind, below = str(node["Node Type"]), node.get("Plans", [])
    if "Relation Name" in node:
        relation = (str(node.get("Schema", "")), str(node["Relation Name"]))
        rows, width = float(node["Plan Rows"]), int(node["Plan Width"])
        yield Scan(relation, rows, width, loops, share, kind in _WHOLE, cut)
    for child in below:
        part, is_cut = (share, cut or kind == "Limit") if kind in _HANDS_ON else (1.0, False)
        if kind == "Limit" and child.get("Plan Rows"):
            part = min(1.0, float(node["Plan Rows"]) / float(child["Plan Rows"]))
        inner = kind == "Nested Loop" and child.get("Parent Relationship") == "Inner"
        again = float(below[0]["Plan Rows"]) if inner and child["Node Type"] not in _KEEPS_ROWS else 1.0
        yield from _scans(child, loops * max(1.0, again), part, cut=is_cut)


def gathered_bytes(sql: str, plan: Mapping[str, Any], apart: Mapping[Relation, float]) -> float:
    """Estimate what the server holds at once for the lists and texts that a statement puts together from rows.

    Args:
        apart: what a row of a table has in values that are stored apart, which the plan counts as 18 bytes each.
    """
    calls = len(GATHERS.findall(sql))
    return max(
        (calls * rows * (_widest(width, sql) + _OF_A_VALUE_BYTES) for rows, width in _gathered(plan, apart)),
        default=0.0,
    )


def _widest(width: float, sql: str) -> float:
    """How wide a gathered value may be: what an aggregate computes of the rows below it stands in no plan."""
    made = _WIDEST_BYTES if _MAKES_WIDE.search(sql) else width
    joined = min(_MOST_JOINED * width, _WIDEST_BYTES) if _JOINS.search(sql) else width
    return max(width, made, joined)


def _gathered(node: Mapping[str, Any], apart: Mapping[Relation, float]) -> Iterator[tuple[float, float]]:
    """Rows and widths of what goes into an aggregate or comes out of a subquery."""
    for child in node.get("Plans", []):
        if "Agg" in str(node["Node Type"]) or child.get("Parent Relationship") in ("InitPlan", "SubPlan"):
            read = {scan.relation for scan in scans_of(child)}
            stored = sum(apart.get(relation, 0.0) for relation in read)
            yield float(child["Plan Rows"]), float(child["Plan Width"]) + stored
        yield from _gathered(child, apart)


def read_scans(scans: list[Scan], sizes: Mapping[Relation, Size], work: float) -> ScanEstimate:
    """Add up what the scans read.

    Args:
        scans: of one plan.
        sizes: of each table.
        work: what the planner takes the plan to cost.

    Returns:
        A whole scan reads the table, one by an index the rows that it finds; none more bytes than the table has, as
        what is read again is at hand. None where a table is not among the sizes, or of what is withheld.
    """
    rows, read_bytes, sways = 0.0, 0.0, any(size.sways for size in sizes.values())
    for scan in scans:
        size = sizes.get(scan.relation)
        if size is None or (size.is_of_part and size.rows < 0) or (sways and not scan.is_plain):
            return ScanEstimate()
        whole = size.rows if size.is_of_part else max(size.rows, scan.rows)
        rows += (whole if scan.whole else scan.rows) * scan.loops * scan.share
        width = size.bytes / max(size.rows, 1) if size.is_of_part else scan.width_bytes
        found_bytes = size.bytes if scan.whole else min(scan.rows * width * scan.loops, size.bytes)
        read_bytes += found_bytes * scan.share
    return ScanEstimate(round(rows), round(read_bytes), None if sways else work)
