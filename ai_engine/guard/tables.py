"""Which tables of the catalogue a statement may name, and how a reference is rewritten to the one it means."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.guard.parsing import may_be_a_name
from ai_engine.guard.policy import Policy
from ai_engine.guard.refusal import refuse, unknown, written
from ai_engine.guard.scopes import folded, stored

_DEFAULT_SCHEMAS = {"duckdb": "main", "sqlite": "main", "postgres": "public", "mysql": ""}
DUAL = Table("DUAL", (Column("DUMMY", "text", "VARCHAR2(1)"),))
"""The table of one row that every Oracle has, without which older ones read no SELECT of constants."""
_PLAIN_TABLE_ARGS = frozenset({"this", "alias", "db", "sample", "joins", "pivots"})


def permitted_part(catalogue: Catalogue, policy: Policy) -> Catalogue:
    """The catalogue without the tables that the policy hides: who is given no other cannot tell that they exist."""
    return catalogue.part(policy.allowed_tables, policy.hidden_tables)


def restricted_columns(table: Table, policy: Policy) -> frozenset[str]:
    """Lower-case names of the table's columns that may not be read, by the policy or by the database role."""
    return table.unreadable | table.columns_among(policy.restricted_columns)


def has_closed_heirs(table: Table, catalogue: Catalogue, policy: Policy) -> bool:
    """Whether it shows rows of heirs of which not all may be read.

    What may not decides in which heir a row stands, and how many of them fit on a page.
    """
    heirs = map(catalogue.at, table.heirs)
    return any(heir is None or restricted_columns(heir, policy) for heir in heirs)


def readable_names(catalogue: Catalogue, policy: Policy) -> list[str]:
    """The tables, then the columns, with which a name that the database does not know may be compared."""
    tables = permitted_part(catalogue, policy).tables
    names = [table.name for table in tables]
    for table in tables:
        hidden = restricted_columns(table, policy)
        names += [column.name for column in table.columns if column.name.lower() not in hidden]
    return names


def catalogued(reference: exp.Table, catalogue: Catalogue, ctes: list[str]) -> Table:
    """Find the table a reference means and spell the reference as the catalogue does.

    Raises:
        SqlRejected: not a plain name, or a table that does not exist.
    """
    require_plain(reference)
    table = table_of(reference, catalogue)
    if table is None:
        shown = f"{reference.db}.{reference.name}" if reference.db else reference.name
        raise unknown("table", shown, [*(known.name for known in catalogue.tables), *ctes])
    _spell(reference, table, catalogue)
    return table


def table_of(reference: exp.Table, catalogue: Catalogue) -> Table | None:
    """The table of the catalogue that a plain reference means; without a schema that of the default one comes first.

    Of several whose names differ in case alone, the one that is spelled so.
    """
    schema = reference.db.lower()
    called = catalogue.tables_called(reference.name)
    called = tuple(table for table in called if not schema or schema == schema_of(table, catalogue).lower())
    if len(called) > 1 and called[0].schema == called[1].schema:
        identifier: exp.Identifier = reference.this
        name = folded(identifier, catalogue.dialect) if catalogue.dialect == "postgres" else identifier.this
        return next((table for table in called if table.name == name and table.schema == called[0].schema), None)
    if not called and catalogue.dialect == "oracle" and reference.name.upper() == DUAL.name and not schema:
        return DUAL
    return next(iter(called), None)


def require_plain(reference: exp.Table) -> None:
    """Refuse table functions, catalogues, hints and everything else that is not `[schema.]name [alias] [sample]`."""
    if not isinstance(reference.this, exp.Identifier):
        part = written(reference.this) if isinstance(reference.this, exp.Expr) else ""
        raise refuse(f"table functions are not allowed: {part}", part)
    extra = [arg for arg, value in reference.args.items() if value and arg not in _PLAIN_TABLE_ARGS]
    if extra:
        raise refuse(f"only a plain table name may stand in FROM, not one with {extra[0]}", reference.name)


def _spell(reference: exp.Table, table: Table, catalogue: Catalogue) -> None:
    """Write the catalogue's own spelling and schema into a reference.

    PostgreSQL looks for a name in pg_catalog first, where all begin with pg_.
    """
    identifier: exp.Identifier = reference.this
    quoted = bool(identifier.args.get("quoted")) or (
        catalogue.dialect == "postgres" and table.name != table.name.lower()
    )
    name = stored(table.name, catalogue.dialect) if quoted else table.name
    if identifier.this != name or quoted != bool(identifier.args.get("quoted")):
        identifier.replace(exp.Identifier(this=name, quoted=quoted))
    if table.schema or reference.db or (catalogue.dialect == "postgres" and table.name.startswith("pg_")):
        schema = schema_of(table, catalogue)
        is_plain = schema == schema.lower() and may_be_a_name(schema, catalogue.dialect)
        reference.set("db", exp.Identifier(this=schema, quoted=not is_plain))


def schema_of(table: Table, catalogue: Catalogue) -> str:
    """Name of the schema a table is in; "" where the engine has none by default."""
    return table.schema or catalogue.default_schema or _DEFAULT_SCHEMAS.get(catalogue.dialect, "")
