"""No row stands where it stands because of what a restricted column holds.

SQLite and MySQL give rows that a statement does not order, or not in full, in the order of the index through which
they were read, and so tell how rows rank in a restricted column that it holds. On MySQL such an index is named as one
to ignore. SQLite knows no such hint for one index: a table that has one is read without any but its row numbers, and
where others are joined to it by something else, it is copied first, so that SQLite makes an index for the join. Both
keep the rows themselves in the order of the primary key: where that is restricted, what is read is sorted first.

PostgreSQL is told by its session (`backend/databases/postgres_engine.py`); DuckDB reads no table in an index's order.
Views are left as they are, whatever they read.
"""

from __future__ import annotations

from sqlglot import exp

from ai_engine.catalogue import Index, Table
from ai_engine.guard.scopes import same
from ai_engine.guard.statement import Statement
from ai_engine.guard.tables import restricted_columns

_ALL_ROWS = 2**63 - 1


def untold_order(tree: exp.Query, statement: Statement) -> bool:
    """Keep the tables of a statement that is written out from the indexes that tell; return whether it has changed."""
    if statement.dialect not in {"sqlite", "mysql"}:
        return False
    found = list(tree.find_all(exp.Table))
    changed = False
    for node in found:
        table = statement.catalogue.table(node.name)
        hidden = restricted_columns(table, statement.policy) if table is not None else frozenset()
        if table is None or not hidden:
            continue
        telling = _telling(table, hidden, statement.dialect)
        if not hidden.isdisjoint(map(str.lower, table.primary_key)):
            _copy(node, tree, statement, is_sorted=True)
        elif not telling:
            continue
        elif statement.dialect == "mysql":
            names = [exp.Identifier(this=index.name, quoted=True) for index in telling]
            node.set("hints", [exp.IndexTableHint(this="IGNORE", expressions=names)])
        else:
            node.set("indexed", False)
            if len(found) > 1 and not _found_by_number(node, table, tree):
                _copy(node, tree, statement, is_sorted=False)
        changed = True
    return changed


def _telling(table: Table, hidden: frozenset[str], dialect: str) -> list[Index]:
    """The indexes of a table that hold a restricted column, or something computed that may."""
    constraints = table.unique_keys if dialect == "sqlite" else ()  # on MySQL they are among the indexes
    indexes = [*table.indexes, *(Index("", key) for key in constraints)]
    return [index for index in indexes if "" in index.columns or not hidden.isdisjoint(map(str.lower, index.columns))]


def _found_by_number(node: exp.Table, table: Table, tree: exp.Query) -> bool:
    """Whether equalities name only the key that is SQLite's row number, by which it finds rows without an index."""
    key = table.column(table.primary_key[0]) if len(table.primary_key) == 1 else None
    if key is None or key.native_type.upper() != "INTEGER":
        return False
    sides = (side for test in tree.find_all(exp.EQ) for side in (test.left, test.right))
    named = {side.name for side in sides if isinstance(side, exp.Column) and side.table == node.alias}
    return named == {key.name}


def _copy(node: exp.Table, tree: exp.Query, statement: Statement, *, is_sorted: bool) -> None:
    """Read a table in a subquery that has to be done first: none that has a LIMIT is merged into what is around."""
    alias = node.args["alias"]
    read = {column.name: column.this for column in tree.find_all(exp.Column) if column.table == alias.name}
    inner = exp.Identifier(this=statement.reading.fresh() if statement.reading is not None else "", quoted=True)
    columns: list[exp.Expr] = [
        exp.Alias(this=exp.Column(this=same(name), table=same(inner)), alias=same(name)) for name in read.values()
    ]
    items = columns or [exp.Literal.number(1)]
    places: list[exp.Expr] = [
        exp.Ordered(this=exp.Literal.number(place), nulls_first=True) for place in range(1, len(items) + 1)
    ]
    whole = exp.Literal.number(_ALL_ROWS) if statement.dialect == "mysql" else exp.Neg(this=exp.Literal.number(1))
    source = exp.Table(
        this=node.this,
        db=node.args.get("db"),
        alias=exp.TableAlias(this=inner),
        indexed=None if is_sorted else False,
    )
    select = exp.Select(
        expressions=items,
        from_=exp.From(this=source),
        order=exp.Order(expressions=places) if is_sorted else None,
        limit=exp.Limit(expression=whole),
    )
    node.replace(exp.Subquery(this=select, alias=alias, joins=node.args.get("joins")))
