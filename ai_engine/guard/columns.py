"""Which column a reference means, seen from one SELECT."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sqlglot import exp

from ai_engine.errors import SqlRejected
from ai_engine.guard.parsing import may_be_a_name
from ai_engine.guard.refusal import refuse, unknown, written
from ai_engine.guard.scopes import ALIAS_CLAUSES, Clause, OutputColumn, Reference, Scope, Source, folded, key_of, same

_COMPARISONS = (exp.Predicate, exp.DPipe, exp.Func)
_HIDDEN_COLUMNS = {
    "sqlite": frozenset({"rowid", "_rowid_", "oid"}),
    "duckdb": frozenset({"rowid"}),
    "mysql": frozenset({"_rowid"}),
    "postgres": frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"}),
    "trino": frozenset({"$path", "$file_size", "$file_modified_time", "$partition", "$bucket", "$row_id"}),
    "spark": frozenset({"_metadata"}),
    "databricks": frozenset({"_metadata"}),
    "oracle": frozenset({"rowid", "rownum", "level", "ora_rowscn"}),
    "bigquery": frozenset({"_partitiontime", "_partitiondate", "_table_suffix", "_file_name"}),
    "clickhouse": frozenset({"_path", "_file", "_part", "_part_index", "_partition_id", "_partition_value", "_table"}),
}
_ALIAS_MAY_COME_FIRST: dict[str, frozenset[Clause]] = {
    "duckdb": frozenset({"having"}),
    "mysql": frozenset({"having"}),
    "trino": frozenset({"order"}),
    "spark": frozenset({"having", "order"}),
    "databricks": frozenset({"having", "qualify", "order"}),
    "oracle": frozenset({"order"}),
    "snowflake": frozenset({"having", "qualify", "order"}),
    "bigquery": frozenset({"group", "having", "qualify", "order"}),
}
_KEEPING_CASES = frozenset({"clickhouse"})  # of all names, with quotes or without
_SEES_ALIASES_EVERYWHERE = frozenset({"clickhouse"})  # also those that stand further on in the list of columns
_PARTS_OF_GROUP_BY = (exp.Tuple, exp.Paren, exp.Rollup, exp.Cube, exp.GroupingSets)
_CALLED_WITHOUT_BRACKETS = {
    "postgres": frozenset({"user", "current_role", "system_user", "current_catalog", "current_schema"}),
    "mysql": frozenset({"current_role"}),
}
"""Functions that sqlglot takes for names."""


def look_up(column: exp.Column, clause: Clause, scope: Scope, dialect: str) -> Reference | None:
    """Find what a reference means and spell it as its source does.

    Returns:
        None when SQLite reads the word as text; the reference has then been replaced by a literal.

    Raises:
        SqlRejected: the column does not exist, may not be read, is ambiguous, names a whole row, or is a name that the
            engine may read in another way.
    """
    if not isinstance(column.this, exp.Identifier):
        raise refuse("* may only stand alone in the list of columns, or in COUNT(*)", "*")
    if column.args.get("catalog") or column.args.get("join_mark"):
        raise refuse(f"{written(column)} has too many parts: write table.column", written(column))
    found = _qualified(column, scope, dialect) if column.table else _unqualified(column, clause, scope, dialect)
    if found is None:
        return None
    identifier = column.this
    is_plain = not identifier.args.get("quoted")
    if dialect == "postgres":
        is_respelled = folded(identifier, dialect) != found.column.name
    else:  # of foreign letters DuckDB and SQLite know no capitals
        is_foreign = not (identifier.this.isascii() and found.column.name.isascii())
        is_respelled = is_foreign and identifier.this != found.column.name
    if is_respelled or (is_plain and _is_keyword(identifier.this.lower(), dialect)):
        name = found.column.name if is_respelled or dialect == "postgres" else identifier.this
        column.set("this", exp.Identifier(this=name, quoted=True))
    return found


@lru_cache(maxsize=10_000)
def _is_keyword(name: str, dialect: str) -> bool:
    """Whether a name has to be quoted to be read as one."""
    return name in _CALLED_WITHOUT_BRACKETS.get(dialect, ()) or not may_be_a_name(name, dialect)


def restricted(name: str, source: Source) -> SqlRejected:
    """The refusal of a column that exists but may not be read."""
    return refuse(f"column {name} of {source.table} is restricted", name)


def knows(source: Source, name: str) -> bool:
    """Whether a source has a column, readable or not."""
    return name in source.columns or name in source.restricted


def _qualified(column: exp.Column, scope: Scope, dialect: str) -> Reference:
    key = column.table.lower()
    level: Scope | None = scope
    while level is not None and key not in level.sources:
        level = level.outer
    if level is None:
        known = [source.alias.this for around in scope.chain() for source in around.sources.values()]
        raise unknown("table or alias", column.table, known, "is not in FROM")
    if dialect == "duckdb" and level is not scope:
        _require_no_struct(column, scope, level)
    source = level.sources[key]
    qualifier = column.args["table"].args
    if qualifier.get("this") != source.alias.this or qualifier.get("quoted") != source.alias.args.get("quoted"):
        column.set("table", same(source.alias))
    if column.args.get("db") is not None:
        if column.args["db"].name.lower() != source.schema:
            raise refuse(f"{written(column)} names another schema than FROM does", written(column))
        column.set("db", None)
    name = column.name.lower()
    if name in source.restricted:
        raise restricted(column.name, source)
    held = _held(column, source, dialect)
    if held is None:
        _require_name(column, (source,))
        owner = source.table or source.alias.this
        names = [known.name for known in source.columns.values()]
        raise unknown("column", column.name, names, f"does not exist in {owner}")
    return Reference(held, level, key, ((source, held),))


def _held(column: exp.Column, source: Source, dialect: str) -> OutputColumn | None:
    """The column of a source that a name means: where several differ in case alone, the one that is spelled so."""
    name = column.name.lower()
    if name not in source.twins:
        return source.columns.get(name)
    if dialect in _KEEPING_CASES:
        return next((listed for listed in source.listed if listed.name == column.name), None)
    exact = folded(column.this, dialect)
    return next((listed for listed in source.listed if key_of(listed, dialect) == exact), None)


def _require_no_struct(column: exp.Column, scope: Scope, level: Scope) -> None:
    """DuckDB reads `a.b` as a field of a column `a` that is nearer than a table `a`."""
    name = column.table.lower()
    for nearer in scope.chain():
        if nearer is level:
            return
        if any(knows(source, name) for source in nearer.sources.values()):
            raise refuse(f"{column.table} is a column too: give the table another alias", column.table)


def _unqualified(column: exp.Column, clause: Clause, scope: Scope, dialect: str) -> Reference | None:
    name, key = column.name.lower(), folded(column.this, dialect)
    alias = scope.aliases.get(key)
    alone = alias is not None and _stands_alone(column, clause, dialect)
    if alias is not None and alone and clause == "order":
        return alias._replace(alone=True)
    if alias is not None and not alone and clause not in ALIAS_CLAUSES[dialect]:
        alias = None
    for level in scope.chain():
        found = _in_sources(column, level, dialect)
        if found is not None:
            if alias is not None and clause in _ALIAS_MAY_COME_FIRST.get(dialect, ()):
                _require_once(column, key, scope)
                _require_same(column, alias.item)
            for item in _items_around(column) if dialect in _SEES_ALIASES_EVERYWHERE and level is scope else ():
                _require_same_everywhere(column, item)
            if dialect == "duckdb" and clause == "select" and level is not scope:
                _require_no_item_called_so(column)
            if dialect == "mysql" and _orders_a_window(column):
                for item in _items_around(column):
                    _require_same(column, item)
            return found
        if dialect == "duckdb" and name in level.sources:
            raise _is_a_table(column)
        if level is scope:
            if alias is not None:
                if dialect == "duckdb" and any(name in around.sources for around in scope.chain()):
                    raise _is_a_table(column)
                _require_once(column, key, scope)
                _require_no_hidden_column(column, scope, dialect)
                return alias._replace(alone=alone)
        elif key in level.aliases and dialect != "postgres":
            raise refuse(f"{column.name} is named by the query around: write what it stands for", column.name)
    if not _is_text(column, dialect):
        raise _unresolved(column, scope)
    column.replace(exp.Literal.string(column.name))
    return None


def _in_sources(column: exp.Column, level: Scope, dialect: str) -> Reference | None:
    """The column of that name that the sources of one level have."""
    name = column.name.lower()
    holders = {key: source for key, source in level.sources.items() if knows(source, name)}
    for source in holders.values():
        if name in source.restricted:
            raise restricted(column.name, source)
    if not holders:
        return None
    key, source = next(iter(holders.items()))
    if len(holders) == 1:
        held = _held(column, source, dialect)
        return Reference(held, level, key, ((source, held),)) if held is not None else None
    merged = level.merged.get(name)
    if merged is None or not holders.keys() <= merged.members:
        owners = " and ".join(source.alias.this for source in holders.values())
        raise refuse(f"column {column.name} is ambiguous: it is in {owners}", column.name)
    return Reference(source.columns[name], level, key, merged.value)


def _require_no_item_called_so(column: exp.Column) -> None:
    """Refuse a name of the query around that an item beside it bears: DuckDB means that item, save in aggregates."""
    name, is_free = column.name.lower(), isinstance(column.find_ancestor(exp.AggFunc, exp.Query), exp.AggFunc)
    if not is_free and any(
        isinstance(item, exp.Alias) and item.alias.lower() == name for item in _items_around(column)
    ):
        raise refuse(f"{column.name} is a column and an alias: give the alias another name", column.name)


def _require_once(column: exp.Column, key: str, scope: Scope) -> None:
    if key in scope.repeated:
        raise refuse(f"several columns are called {column.name}: give each its own alias", column.name)


def _stands_alone(column: exp.Column, clause: Clause, dialect: str) -> bool:
    """Whether a name is all of an item of GROUP BY, of DISTINCT ON or of the ORDER BY of a query, not of a window.

    SQLite reads it so with a collation, too.
    """
    node = column.parent
    if clause == "order":
        while isinstance(node, exp.Paren) or (dialect == "sqlite" and isinstance(node, exp.Collate)):
            node = node.parent
        if isinstance(node, exp.Ordered):
            return isinstance(node.parent, exp.Order) and isinstance(node.parent.parent, exp.Query)
        return isinstance(node, exp.Tuple) and isinstance(node.parent, exp.Distinct)
    while isinstance(node, _PARTS_OF_GROUP_BY):
        node = node.parent
    return clause == "group" and isinstance(node, exp.Group)


def _require_same(column: exp.Column, item: exp.Expr | None) -> None:
    """Where an engine takes an alias before a column, both must be the same; below an aggregate it takes the column."""
    if not isinstance(item, exp.Alias) or item.alias.lower() != column.name.lower():
        return
    value = item.this
    is_same = isinstance(value, exp.Column) and value.name.lower() == column.name.lower()
    if not is_same and not isinstance(column.find_ancestor(exp.AggFunc, exp.Query), exp.AggFunc):
        raise refuse(f"{column.name} is a column and an alias: give the alias another name", column.name)


def _require_same_everywhere(column: exp.Column, item: exp.Expr) -> None:
    """Where an engine takes an alias for what it stands for in every clause, both must be the same."""
    if isinstance(item, exp.Alias) and item.alias.lower() == column.name.lower():
        is_same = isinstance(item.this, exp.Column) and item.this.name.lower() == column.name.lower()
        if not is_same and column.find_ancestor(exp.Alias, exp.Select) is not item:
            raise refuse(f"{column.name} is a column and an alias: give the alias another name", column.name)


def _orders_a_window(column: exp.Column) -> bool:
    """Whether a name is all of an item of the ORDER BY or PARTITION BY of a window."""
    node: exp.Expr | None = column
    while node is not None and isinstance(node.parent, (exp.Paren, exp.Ordered, exp.Order)):
        node = node.parent
    return node is not None and isinstance(node.parent, exp.Window) and node.arg_key != "this"


def _items_around(column: exp.Column) -> list[exp.Expr]:
    select = column.find_ancestor(exp.Select)
    return select.expressions if select is not None else []


def _require_no_hidden_column(column: exp.Column, scope: Scope, dialect: str) -> None:
    """An alias may not be called like a column that every table has without being asked."""
    if column.name.lower() in _HIDDEN_COLUMNS.get(dialect, ()) and scope.sources:
        raise refuse(f"{column.name} is a name of the database's own: give the alias another name", column.name)


def _is_a_table(column: exp.Column) -> SqlRejected:
    return refuse(f"{column.name} is a table: name one of its columns", column.name)


def _is_text(column: exp.Column, dialect: str) -> bool:
    """SQLite reads a double-quoted word that names nothing as text; taken so only where text is likely meant."""
    quoted = bool(column.this.args.get("quoted"))
    is_pseudo_column = column.name.lower() in _HIDDEN_COLUMNS["sqlite"]
    return dialect == "sqlite" and quoted and not is_pseudo_column and isinstance(column.parent, _COMPARISONS)


def _require_name(column: exp.Column, sources: Iterable[Source]) -> None:
    """Refuse what nobody has named, and what may also be the engine's own name for that: it takes a text for one."""
    if any(listed.name.lower() == column.name.lower() for source in sources for listed in source.listed):
        raise refuse(f"name every column that is computed in FROM by AS, to read {column.name} there", column.name)


def _unresolved(column: exp.Column, scope: Scope) -> SqlRejected:
    sources = [source for level in scope.chain() for source in level.sources.values()]
    if any(source.alias.this.lower() == column.name.lower() for source in sources):
        return _is_a_table(column)
    _require_name(column, sources)
    names = [known.name for source in sources for known in source.columns.values()]
    return unknown("column", column.name, [*names, *(alias.column.name for alias in scope.aliases.values())])
