"""Of what the types are made that a PostgreSQL bank has itself: domains, and rows with names of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ai_engine.catalogue import Column, Table
from ai_engine.column_types import column_type
from backend.catalogue.row_storage import POSTGRES_PARTS_OF_TYPES

if TYPE_CHECKING:
    from sqlalchemy import Connection

DOMAINS_THAT_ASK = """asking (type) AS (
        SELECT k.contypid FROM pg_constraint k JOIN pg_depend d ON d.objid = k.oid
            WHERE k.contypid <> 0 AND d.classid = 'pg_constraint'::regclass
                AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
        UNION SELECT t.oid FROM pg_type t JOIN asking ON t.typbasetype = asking.type)"""
"""Those whose CHECK calls a function of the bank's own, which may look into any table."""
CLASSES_THAT_ASK = """own_function (oid) AS (
        SELECT p.oid FROM pg_proc p WHERE p.oid >= 16384 AND NOT EXISTS (
            SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')),
    own_family (oid, type) AS (
        SELECT f.amprocfamily, t.type FROM pg_amproc f JOIN own_function o ON o.oid = f.amproc
            CROSS JOIN LATERAL (VALUES (f.amproclefttype), (f.amprocrighttype)) AS t (type)
        UNION SELECT m.amopfamily, t.type FROM pg_amop m JOIN pg_operator p ON p.oid = m.amopopr
            JOIN own_function o ON o.oid = p.oprcode
            CROSS JOIN LATERAL (VALUES (m.amoplefttype), (m.amoprighttype)) AS t (type)),
    own_class (oid, type, is_default) AS (
        SELECT c.oid, c.opcintype, c.opcdefault FROM pg_opclass c
            JOIN own_family f ON (f.oid, f.type) = (c.opcfamily, c.opcintype)),
    compared (type) AS (
        SELECT type FROM own_class WHERE is_default
        UNION SELECT rngtypid FROM pg_range WHERE rngsubopc IN (SELECT oid FROM own_class)),
    kept_by (relation, name, kind) AS (
        SELECT k.relation, a.attname, t.typcategory FROM (
                SELECT indrelid, indclass::oid[], indkey::int2[] FROM pg_index
                UNION ALL SELECT partrelid, partclass::oid[], partattrs::int2[] FROM pg_partitioned_table
            ) AS k (relation, classes, places)
            JOIN pg_attribute a ON a.attrelid = k.relation AND (a.attnum = ANY (k.places) OR 0 = ANY (k.places))
            JOIN own_class ON own_class.oid = ANY (k.classes) JOIN pg_type t ON t.oid = own_class.type
        UNION SELECT shown.relation, shown.name, kept_by.kind FROM kept_by CROSS JOIN LATERAL (
            SELECT inhparent, kept_by.name FROM pg_inherits WHERE inhrelid = kept_by.relation
            UNION ALL SELECT v.attrelid, v.attname FROM pg_attribute a
                JOIN pg_depend d ON (d.refobjid, d.refobjsubid) = (a.attrelid, a.attnum)
                    AND d.refclassid = 'pg_class'::regclass AND d.classid = 'pg_rewrite'::regclass
                JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class c ON c.oid = r.ev_class AND c.relkind = 'v'
                JOIN pg_attribute v ON v.attrelid = c.oid JOIN pg_type t ON t.oid = v.atttypid
                WHERE (a.attrelid, a.attname) = (kept_by.relation, kept_by.name)
                    AND (t.typcategory IN (kept_by.kind, 'C') OR kept_by.kind = 'P')
        ) AS shown (relation, name))"""
"""Types and columns whose values a function of the bank's own compares: by an operator class, an index, a partition.

Of a view that reads such a column so are all columns of that kind, and those of rows: what else it demands of them, by
which PostgreSQL takes one for another, is not told.
"""
_COLUMNS = """WITH RECURSIVE domain (type, part, base, modifier) AS (
        SELECT oid, oid, typbasetype, typtypmod FROM pg_type WHERE typtype = 'd'
        UNION ALL SELECT domain.type, t.oid, t.typbasetype, t.typtypmod
            FROM domain JOIN pg_type t ON t.oid = domain.base WHERE t.typtype = 'd')
    SELECT n.nspname, c.relname, a.attname, upper(format_type(domain.base, domain.modifier)), EXISTS (
        SELECT FROM domain d JOIN pg_constraint k ON k.contypid = d.part AND k.contype = 'c' WHERE d.type = a.atttypid)
    FROM domain JOIN pg_type b ON b.oid = domain.base JOIN pg_attribute a ON a.atttypid = domain.type
    JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE b.typtype <> 'd' AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0"""


_FIELDS = f"""WITH RECURSIVE {POSTGRES_PARTS_OF_TYPES},
    within (type, part) AS (
        SELECT DISTINCT atttypid, atttypid FROM pg_attribute WHERE atttypid >= 16384
        UNION SELECT within.type, made_of.part FROM within JOIN made_of ON made_of.type = within.part),
    spelled (type, names) AS (
        SELECT within.type, 'ROW(' || string_agg(concat_ws(' ', quote_ident(f.attname), format_type(f.atttypid, -1)),
            ', ' ORDER BY r.oid, f.attnum) || ')'
        FROM within JOIN pg_type t ON t.oid = within.part JOIN pg_class r ON r.oid = t.typrelid
            JOIN pg_attribute f ON f.attrelid = r.oid AND f.attnum > 0 AND NOT f.attisdropped
        WHERE t.typtype = 'c' GROUP BY within.type)
    SELECT n.nspname, c.relname, a.attname,
        spelled.names || CASE WHEN right(format_type(a.atttypid, -1), 2) = '[]' THEN '[]' ELSE '' END, false
    FROM spelled JOIN pg_attribute a ON a.atttypid = spelled.type JOIN pg_class c ON c.oid = a.attrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0"""


def with_own_types(connection: Connection, tables: Iterable[Table], default_schema: str | None) -> Iterator[Table]:
    """Say of columns of a domain, also of one of a domain, what their values are, and whether a CHECK judges them.

    Of what has rows in it the names and types of all their fields are said, also of rows within rows.
    """
    found: dict[tuple[str, str], dict[str, tuple[str, bool]]] = {}
    rows = (row for sql in (_COLUMNS, _FIELDS) for row in connection.exec_driver_sql(sql))
    for schema, name, column, native, is_checked in rows:
        own = found.setdefault((schema, name), {})
        own[column] = native, is_checked or own.get(column, ("", False))[1]
    for table in tables:
        of = found.get((table.schema or default_schema or "", table.name), {})
        yield replace(table, columns=tuple(_of_domain(one, *of.get(one.name, ("", False))) for one in table.columns))


def _of_domain(column: Column, native: str, is_checked: bool) -> Column:
    return replace(column, native_type=native, type=column_type(native), is_checked=is_checked) if native else column
