"""Which column a reference means, seen from one SELECT."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from ai_engine.errors import SqlRejected
from ai_engine.guard.refusal import refuse, unknown, written
from ai_engine.guard.scopes import ALIAS_CLAUSES, Clause, OutputColumn, Reference, Scope, Source, folded, same

plain_column = lru_cache(maxsize=10_000)(OutputColumn)  # columns of tables differ by name only
_COMPARISONS = (exp.Predicate, exp.DPipe, exp.Func)
_PSEUDO_COLUMNS_OF_SQLITE = frozenset({"rowid", "_rowid_", "oid"})
_KEYWORDS_OF_POSTGRES = frozenset({"user", "current_role", "system_user", "current_catalog", "current_schema"})


def look_up(column: exp.Column, clause: Clause, scope: Scope, dialect: str) -> Reference | None:
    """Find what a reference means and spell it as its source does.

    Returns:
        None when SQLite reads the word as text; the reference has then been replaced by a literal.

    Raises:
        SqlRejected: the column does not exist, may not be read, is ambiguous or names a whole row.
    """
    if not isinstance(column.this, exp.Identifier):
        raise refuse("* may only stand alone in the list of columns, or in COUNT(*)", "*")
    if column.args.get("catalog") or column.args.get("join_mark"):
        raise refuse(f"{written(column)} has too many parts: write table.column", written(column))
    found = _qualified(column, scope) if column.table else _unqualified(column, clause, scope, dialect)
    if found is None:
        return None
    identifier = column.this
    reads_as_keyword = not identifier.args.get("quoted") and identifier.this.lower() in _KEYWORDS_OF_POSTGRES
    if dialect == "postgres" and (reads_as_keyword or folded(identifier, dialect) != found.column.name):
        column.set("this", exp.Identifier(this=found.column.name, quoted=True))
    return found


def restricted(name: str, source: Source) -> SqlRejected:
    """The refusal of a column that exists but may not be read."""
    return refuse(f"column {name} of {source.table} is restricted", name)


def knows(source: Source, name: str) -> bool:
    """Whether a source has a column, readable or not."""
    return name in source.columns or name in source.restricted


def _qualified(column: exp.Column, scope: Scope) -> Reference:
    key = column.table.lower()
    level = next((level for level in scope.chain() if key in level.sources), None)
    if level is None:
        known = [source.alias.this for around in scope.chain() for source in around.sources.values()]
        raise unknown("table or alias", column.table, known, "is not in FROM")
    source = level.sources[key]
    qualifier = column.args["table"]
    if qualifier.this != source.alias.this or qualifier.args.get("quoted") != source.alias.args.get("quoted"):
        column.set("table", same(source.alias))
    if column.args.get("db") is not None:
        if column.args["db"].name.lower() != source.schema:
            raise refuse(f"{written(column)} names another schema than FROM does", written(column))
        column.set("db", None)
    name = column.name.lower()
    if name in source.restricted:
        raise restricted(column.name, source)
    if name not in source.columns:
        owner = source.table or source.alias.this
        names = [known.name for known in source.columns.values()]
        raise unknown("column", column.name, names, f"does not exist in {owner}")
    return Reference(source.columns[name], level, key)


def _unqualified(column: exp.Column, clause: Clause, scope: Scope, dialect: str) -> Reference | None:
    name = column.name.lower()
    for level in scope.chain():
        alias = level.aliases.get(name)
        if level is scope:
            if alias is not None and clause == "order" and isinstance(column.parent, exp.Ordered):
                return Reference(alias)
            if clause not in ALIAS_CLAUSES[dialect]:
                alias = None
        holders = {key: source for key, source in level.sources.items() if knows(source, name)}
        for source in holders.values():
            if name in source.restricted:
                raise restricted(column.name, source)
        if holders:
            if len(holders) > 1 and name not in level.merged:
                if alias is not None and clause != "select":
                    return Reference(alias)
                owners = " and ".join(source.alias.this for source in holders.values())
                raise refuse(f"column {column.name} is ambiguous: it is in {owners}", column.name)
            key, source = next(iter(holders.items()))
            return Reference(source.columns[name], level, key)
        if alias is not None:
            return Reference(alias)
    if not _is_text(column, dialect):
        raise _unresolved(column, scope)
    column.replace(exp.Literal.string(column.name))
    return None


def _is_text(column: exp.Column, dialect: str) -> bool:
    """SQLite reads a double-quoted word that names nothing as text; taken so only where text is likely meant."""
    quoted = bool(column.this.args.get("quoted"))
    is_pseudo_column = column.name.lower() in _PSEUDO_COLUMNS_OF_SQLITE
    return dialect == "sqlite" and quoted and not is_pseudo_column and isinstance(column.parent, _COMPARISONS)


def _unresolved(column: exp.Column, scope: Scope) -> SqlRejected:
    sources = [source for level in scope.chain() for source in level.sources.values()]
    if any(source.alias.this.lower() == column.name.lower() for source in sources):
        return refuse(f"{column.name} is a table: name one of its columns", column.name)
    names = [known.name for source in sources for known in source.columns.values()]
    return unknown("column", column.name, [*names, *(alias.name for alias in scope.aliases.values())])
