"""Of what types the domains of a PostgreSQL bank are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ai_engine.catalogue import Column, Table
from ai_engine.column_types import column_type

if TYPE_CHECKING:
    from sqlalchemy import Connection

DOMAINS_THAT_ASK = """asking (type) AS (
        SELECT k.contypid FROM pg_constraint k JOIN pg_depend d ON d.objid = k.oid
            WHERE k.contypid <> 0 AND d.classid = 'pg_constraint'::regclass
                AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
        UNION SELECT t.oid FROM pg_type t JOIN asking ON t.typbasetype = asking.type)"""
"""Those whose CHECK calls a function of the bank's own, which may look into any table."""
_COLUMNS = """WITH RECURSIVE domain (type, part, base, modifier) AS (
        SELECT oid, oid, typbasetype, typtypmod FROM pg_type WHERE typtype = 'd'
        UNION ALL SELECT domain.type, t.oid, t.typbasetype, t.typtypmod
            FROM domain JOIN pg_type t ON t.oid = domain.base WHERE t.typtype = 'd')
    SELECT n.nspname, c.relname, a.attname, upper(format_type(domain.base, domain.modifier)), EXISTS (
        SELECT FROM domain d JOIN pg_constraint k ON k.contypid = d.part AND k.contype = 'c' WHERE d.type = a.atttypid)
    FROM domain JOIN pg_type b ON b.oid = domain.base JOIN pg_attribute a ON a.atttypid = domain.type
    JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE b.typtype <> 'd' AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0"""


def with_domains(connection: Connection, tables: Iterable[Table], default_schema: str | None) -> Iterator[Table]:
    """Say of columns of a domain, also of one of a domain, what their values are, and whether a CHECK judges them."""
    found: dict[tuple[str, str], dict[str, tuple[str, bool]]] = {}
    for schema, name, column, native, is_checked in connection.exec_driver_sql(_COLUMNS):
        found.setdefault((schema, name), {})[column] = native, is_checked
    for table in tables:
        of = found.get((table.schema or default_schema or "", table.name), {})
        yield replace(table, columns=tuple(_of_domain(one, *of.get(one.name, ("", False))) for one in table.columns))


def _of_domain(column: Column, native: str, is_checked: bool) -> Column:
    return replace(column, native_type=native, type=column_type(native), is_checked=is_checked) if native else column
