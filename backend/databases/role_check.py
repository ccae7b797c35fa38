"""What the connection's own role may do beyond what asking questions needs."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ai_engine.catalogue import Table
from ai_engine.errors import DatabaseUnavailable, QueryFailed
from backend.catalogue.own_types import CLASSES_THAT_ASK

if TYPE_CHECKING:
    from backend.databases.database import Database

_MAX_ROWS = 1_000
_MARKS = {"postgres": '"', "mysql": "`"}
_NOTHING: Mapping[str, Collection[str]] = MappingProxyType({})
_ASK_POSTGRES = (
    """SELECT 'is ' || label FROM pg_roles r
       CROSS JOIN LATERAL (VALUES ('a superuser', r.rolsuper), ('allowed to create roles', r.rolcreaterole),
           ('allowed to create databases', r.rolcreatedb), ('allowed to replicate', r.rolreplication),
           ('exempt from row security', r.rolbypassrls)) AS attribute (label, held)
       WHERE r.rolname = current_user AND held""",
    """SELECT 'is a member of ' || r.rolname FROM pg_roles r
       WHERE r.rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_read_server_files',
           'pg_write_server_files', 'pg_signal_backend') AND pg_has_role(current_user, r.oid, 'MEMBER')
       ORDER BY r.rolname""",
    """SELECT 'may ' || p.name || ' ' || c.oid::regclass FROM pg_class c
       CROSS JOIN (VALUES ('INSERT'), ('UPDATE'), ('DELETE'), ('TRUNCATE')) AS p (name)
       JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%'
           AND n.nspname <> 'information_schema' AND has_table_privilege(c.oid, p.name)
       ORDER BY c.oid::regclass::text, p.name""",
    """SELECT 'may ' || p.name || ' single columns of ' || c.oid::regclass FROM pg_class c
       CROSS JOIN (VALUES ('INSERT'), ('UPDATE')) AS p (name)
       JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT LIKE 'pg\\_%'
           AND n.nspname <> 'information_schema' AND NOT has_table_privilege(c.oid, p.name)
           AND has_any_column_privilege(c.oid, p.name)
       ORDER BY c.oid::regclass::text, p.name""",
    """SELECT 'may change sequence ' || c.oid::regclass FROM pg_class c
       WHERE c.relkind = 'S' AND (has_sequence_privilege(c.oid, 'USAGE') OR has_sequence_privilege(c.oid, 'UPDATE'))
       ORDER BY c.oid::regclass::text""",
    """SELECT 'may create schemas in this database' WHERE has_database_privilege(current_database(), 'CREATE')""",
    """SELECT 'may create tables in schema ' || nspname FROM pg_namespace
       WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' AND has_schema_privilege(oid, 'CREATE')
       ORDER BY nspname""",
    """WITH called AS (
           SELECT 'pg_proc'::regclass AS kind, oid, pronamespace AS schema, 'function' AS what, proname AS name
           FROM pg_proc UNION ALL
           SELECT 'pg_operator'::regclass, oid, oprnamespace, 'operator', oprname FROM pg_operator)
       SELECT DISTINCT 'calls the ' || c.what || ' ' || c.name || ' of schema ' || n.nspname
           || ' where its types fit better than those of PostgreSQL''s own'
       FROM called c JOIN pg_namespace n ON n.oid = c.schema
       WHERE n.nspname = ANY (current_schemas(false)) AND n.nspname <> 'pg_catalog'
           AND (c.what, c.name) IN (SELECT what, name FROM called WHERE schema = 'pg_catalog'::regnamespace)
           AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = c.kind AND d.objid = c.oid AND d.deptype = 'e')
       ORDER BY 1""",
    """SELECT 'calls the function ' || p.proname || ' of schema ' || n.nspname || ' where '
           || c.castsource::regtype || ' becomes ' || c.casttarget::regtype
       FROM pg_cast c JOIN pg_proc p ON p.oid = c.castfunc JOIN pg_namespace n ON n.oid = p.pronamespace
       WHERE n.nspname <> 'pg_catalog' AND NOT EXISTS (
           SELECT FROM pg_depend d WHERE d.classid = 'pg_cast'::regclass AND d.objid = c.oid AND d.deptype = 'e')
       ORDER BY 1""",
    f"""WITH RECURSIVE {CLASSES_THAT_ASK}
       SELECT 'calls functions of the operator class ' || c.opcname || ' of schema ' || n.nspname || ' where '
           || c.opcintype::regtype || ' is compared by it'
       FROM own_class JOIN pg_opclass c ON c.oid = own_class.oid JOIN pg_namespace n ON n.oid = c.opcnamespace
       ORDER BY 1""",
)
_ASK_MYSQL = (
    """SELECT concat('may ', privilege_type, ' everywhere') FROM information_schema.user_privileges
       WHERE privilege_type NOT IN ('SELECT', 'USAGE', 'SHOW VIEW', 'SHOW DATABASES') ORDER BY 1""",
    """SELECT concat('may ', privilege_type, ' in ', table_schema) FROM information_schema.schema_privileges
       WHERE privilege_type NOT IN ('SELECT', 'USAGE', 'SHOW VIEW') ORDER BY 1""",
    """SELECT concat('may ', privilege_type, ' ', table_schema, '.', table_name)
       FROM information_schema.table_privileges
       WHERE privilege_type NOT IN ('SELECT', 'USAGE', 'SHOW VIEW') ORDER BY 1""",
    """SELECT concat('may ', privilege_type, ' column ', table_schema, '.', table_name, '.', column_name)
       FROM information_schema.column_privileges WHERE privilege_type <> 'SELECT' ORDER BY 1""",
    "SHOW GRANTS",
)
_MYSQL_NAME = r"`(?:[^`]|``)*`"
_GRANT_IN_MYSQL = re.compile(
    rf"GRANT ((?:{_MYSQL_NAME}|[^`])+?) ON (?:([A-Z ]+) )?((?:{_MYSQL_NAME}|\*)\.(?:{_MYSQL_NAME}|\*)) TO (.*)",
    re.DOTALL,
)
_RIGHT_IN_MYSQL = re.compile(rf"([A-Z][A-Z_ ]*[A-Z])(?: \(((?:{_MYSQL_NAME}|[^`)])*)\))?")
_NEEDED_IN_MYSQL = frozenset({"SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES"})


def excess_rights(
    database: Database,
    hidden_tables: Collection[str] = (),
    restricted_columns: Mapping[str, Collection[str]] = _NOTHING,
    *,
    timeout_s: float = 10.0,
) -> tuple[str, ...]:
    """Name every right of a server's role that the assistant does not need, to be shown as warnings at the start.

    A role is meant to have SELECT on the tables that may be asked about, and nothing else; `docs/database_roles.md` has
    a script that makes one. A file has no roles, and an MCP server keeps its own to
    itself: nothing is returned for those.

    Args:
        hidden_tables: tables that the policy hides, which the role should not be able to read at all.
        restricted_columns: table → columns that the policy restricts, which it should not be able to read either.
        timeout_s: for each statement that asks the server.

    Raises:
        DatabaseUnavailable: the server is lost.
    """
    questions = {"postgres": _ASK_POSTGRES, "mysql": _ASK_MYSQL}.get(database.dialect)
    if questions is None or not database.own_role:
        return ()
    found = [str(row[0]) for sql in questions for row in _rows(database, sql, timeout_s)]
    if database.dialect == "mysql":
        found = sorted({right for told in found for right in _rights_in_mysql(told)})
    hidden = {name.lower() for name in hidden_tables}
    restricted = {name.lower(): {column.lower() for column in held} for name, held in restricted_columns.items()}
    quoted = _quoting(database)
    for table in database.catalogue.tables:
        if table.is_among(hidden) and _may_read(database, "1", quoted(table), timeout_s):
            found.append(f"may SELECT {table.name}, which the policy hides")
    for table in database.catalogue.tables:
        readable = _readable(database, table, table.columns_among(restricted), timeout_s)
        if readable:
            found.append(f"may SELECT {', '.join(readable)} of {table.name}, which the policy restricts")
    return tuple(f"the database role {right}" for right in found)


def _rights_in_mysql(told: str) -> Iterator[str]:
    """A right as it was told, or those of a line of SHOW GRANTS, which has what comes by roles in use and by PUBLIC."""
    read = _GRANT_IN_MYSQL.match(told)
    if read is None:
        yield from [told] if told.startswith("may ") else []
        return
    rights, kind, place, behind = read.groups(default="")
    schema, name = map(_plain, re.findall(rf"{_MYSQL_NAME}|\*", place))
    where = f"{kind} {schema}.{name}".removeprefix("TABLE ").lstrip()
    if name == "*":
        where = f"in {schema}" if schema != "*" else "everywhere"
    found: list[str] = []
    for right, columns in _RIGHT_IN_MYSQL.findall(rights):
        is_told_one_by_one = right == "ALL PRIVILEGES" and "@" in behind
        if right not in _NEEDED_IN_MYSQL and not is_told_one_by_one:
            named = [f"column {where}.{_plain(column)}" for column in re.findall(_MYSQL_NAME, columns)]
            found += [f"{right} {one}" for one in named or [where]]
    if "GRANT OPTION" in behind:
        found.append(f"GRANT OPTION {where}")
    if behind.startswith("PUBLIC") and found:
        yield f"may, as everybody may: {', '.join(found)}"
    else:
        yield from (f"may {right}" for right in found)


def _plain(name: str) -> str:
    return name.strip("`").replace("``", "`")


def _rows(database: Database, sql: str, timeout_s: float) -> tuple[tuple[object, ...], ...]:
    return database.runner.run(sql, max_rows=_MAX_ROWS, timeout_s=timeout_s, stop=threading.Event()).rows


def _readable(database: Database, table: Table, restricted: Collection[str], timeout_s: float) -> list[str]:
    """Name the restricted columns that the role reads: all that the catalogue still has, unless the server objects."""
    mark = _MARKS[database.dialect]
    names = [column.name for column in table.columns if column.name.lower() in restricted]
    place = _quoting(database)(table)
    return [name for name in names if _may_read(database, _quoted(name, mark), place, timeout_s)]


def _may_read(database: Database, what: str, table: str, timeout_s: float) -> bool:
    try:
        _rows(database, f"SELECT {what} FROM {table} LIMIT 0", timeout_s)
    except DatabaseUnavailable:
        raise
    except QueryFailed:
        return False
    return True


def _quoting(database: Database) -> Callable[[Table], str]:
    mark = _MARKS[database.dialect]

    def quoted(table: Table) -> str:
        names = [table.schema, table.name] if table.schema else [table.name]
        return ".".join(_quoted(name, mark) for name in names)

    return quoted


def _quoted(name: str, mark: str) -> str:
    return mark + name.replace(mark, mark * 2) + mark
