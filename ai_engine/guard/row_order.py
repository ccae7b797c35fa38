"""No row stands where it stands because of what a restricted column holds.

SQLite and MySQL give rows that a statement does not order, or not in full, in the order of the index through which
they were read, and so tell how rows rank in a restricted column that it holds. On MySQL such an index is named as one
to ignore. SQLite knows no such hint for one index: a table that has one is read without any but its row numbers, and
where others are joined to it by something else, it is copied first, so that SQLite makes an index for the join.

The rows themselves are kept in the order of a key there, and everywhere in that of partitions and heirs: where a
restricted column decides it, one that an heir alone has, or a function of the bank's own, what is read is sorted
first, by every byte of it, so that nothing is level but what is the same.

PostgreSQL is kept from indexes by its session (`backend/databases/postgres_session.py`); DuckDB has neither partitions
nor tables that are read in an index's order. Warehouses have no indexes either; the order in which they read partitions
and files is left as it is, and so are views, whatever they read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from ai_engine.catalogue import OWN_FUNCTION, Index, Table
from ai_engine.guard.scopes import same
from ai_engine.guard.statement import Statement
from ai_engine.guard.tables import has_closed_heirs, restricted_columns, table_of
from ai_engine.guard.warehouses import WAREHOUSES
from ai_engine.types import ColumnType

_ALL_ROWS = 2**63 - 1
_NEVER_LEVEL = frozenset({"integer", "date", "timestamp", "boolean"})
"""Types whose values are the same where they are level: 1.0 and 1.00 are decimals."""
_DIGEST_BITS = 256
_KEEP_ANY_VALUE = frozenset({"", "NULL", "BLOB", "NUMERIC"})
"""NULL is what the catalogue calls a type that is none, NUMERIC also the ANY of a STRICT table."""


def untold_order(tree: exp.Query, nodes: Iterable[exp.Expr], statement: Statement) -> bool:
    """Keep the tables of a statement that is written out from the order that tells; return whether it has changed.

    Args:
        nodes: all that the tree has.
    """
    dialect = statement.dialect
    if dialect == "duckdb" or dialect in WAREHOUSES:
        return False
    found = [node for node in nodes if isinstance(node, exp.Table)]
    withholds = _withholds(statement)
    changed = False
    for node in found:
        table = table_of(node, statement.catalogue)
        if table is None:
            continue
        hidden = restricted_columns(table, statement.policy)
        is_kept_by_others = has_closed_heirs(table, statement.catalogue, statement.policy) or (
            withholds and OWN_FUNCTION in table.parted_by
        )
        if not (hidden or is_kept_by_others):
            continue
        if is_kept_by_others or any(column in hidden or not column for column in kept_by(table, dialect)):
            _copy(node, table, tree, statement, is_sorted=True)
        elif not ignore_telling_indexes(node, table, hidden, dialect):
            continue
        elif dialect == "sqlite" and len(found) > 1 and not _found_by_number(node, table, tree):
            _copy(node, table, tree, statement, is_sorted=False)
        changed = True
    return changed


def _withholds(statement: Statement) -> bool:
    policy = statement.policy
    is_kept = policy.allowed_tables is not None or bool(policy.hidden_tables or policy.restricted_columns)
    return is_kept or any(table.unreadable for table in statement.catalogue.tables)


def ignore_telling_indexes(node: exp.Table, table: Table, hidden: frozenset[str], dialect: str) -> bool:
    """Have a table read past the indexes that hold a hidden column; False where there is none, or no hint for it."""
    if dialect not in {"sqlite", "mysql"}:
        return False
    telling = _telling(table, hidden, dialect)
    if telling and dialect == "mysql":
        names = [exp.Identifier(this=index.name, quoted=True) for index in telling]
        node.set("hints", [exp.IndexTableHint(this="IGNORE", expressions=names)])
    elif telling:
        node.set("indexed", False)
    return bool(telling)


def kept_by(table: Table, dialect: str) -> Iterator[str]:
    """The columns, in small letters, by which rows are kept in an order or apart; "" for what is computed.

    MySQL keeps a table without a primary key in the order of a unique one without NULL.
    """
    yield from table.parted_by
    if dialect in {"sqlite", "mysql"}:
        yield from map(str.lower, table.primary_key)
    if dialect == "mysql" and not table.primary_key:
        required = {column.name for column in table.columns if not column.nullable}
        for key in table.unique_keys:
            yield from map(str.lower, key if required.issuperset(key) else ())


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


def _copy(node: exp.Table, table: Table, tree: exp.Query, statement: Statement, *, is_sorted: bool) -> None:
    """Read a table in a subquery that has to be done first: none that has a LIMIT is merged into what is around.

    PostgreSQL takes an OFFSET for one. Without it, conditions would be looked at before the rows are sorted, and an
    error that two rows give would come of whichever is kept first.
    """
    alias, dialect = node.args["alias"], statement.dialect
    read = {column.name: column.this for column in tree.find_all(exp.Column) if column.table == alias.name}
    inner = exp.Identifier(this=statement.reading.fresh() if statement.reading is not None else "", quoted=True)
    columns = [exp.Column(this=same(name), table=same(inner)) for name in read.values()]
    if is_sorted and not columns:
        return  # its rows are only counted, and all alike
    given = [_unsigned(column, table) if dialect == "sqlite" and is_sorted else column for column in columns]
    items: list[exp.Expr] = [
        exp.Alias(this=value, alias=same(column.this)) for value, column in zip(given, columns, strict=True)
    ]
    keys = [
        exp.Ordered(this=key, nulls_first=dialect != "postgres")
        for column in columns
        for key in every_byte_of(column, table, dialect)
    ]
    whole = exp.Literal.number(_ALL_ROWS) if dialect == "mysql" else exp.Neg(this=exp.Literal.number(1))
    source = exp.Table(
        this=node.this,
        db=node.args.get("db"),
        alias=exp.TableAlias(this=inner),
        indexed=None if is_sorted else False,
    )
    select = exp.Select(
        expressions=items or [exp.Literal.number(1)],
        from_=exp.From(this=source),
        order=exp.Order(expressions=keys) if is_sorted else None,
        limit=None if dialect == "postgres" else exp.Limit(expression=whole),
        offset=exp.Offset(expression=exp.Literal.number(0)) if dialect == "postgres" else None,
    )
    rows = select if given == columns else _collated(select, columns, source, statement)
    node.replace(exp.Subquery(this=rows, alias=alias, joins=node.args.get("joins")))


def _collated(
    select: exp.Select, columns: Iterable[exp.Column], source: exp.Table, statement: Statement
) -> exp.SetOperation:
    """Rows whose columns compare as those of the table do, though some are computed of them.

    SQLite tells nobody by which COLLATE a column was made, but takes that of the first part of a UNION.
    """
    inner = exp.Identifier(this=statement.reading.fresh() if statement.reading is not None else "", quoted=True)
    none = exp.Select(
        expressions=[exp.alias_(column.copy(), same(column.this)) for column in columns],
        from_=exp.From(this=source.copy()),
        where=exp.Where(this=exp.false()),
    )
    every = exp.Select(
        expressions=[exp.Column(this=same(column.this), table=same(inner)) for column in columns],
        from_=exp.From(this=exp.Subquery(this=select, alias=exp.TableAlias(this=same(inner)))),
    )
    return exp.Union(this=none, expression=every, distinct=False, limit=select.args["limit"].copy())


def _unsigned(column: exp.Column, table: Table) -> exp.Expr:
    """A column whose zeros have no sign: SQLite keeps it where no type makes a number of what is stored.

    No function that every SQLite has tells one zero from the other, so that rows could be sorted by it.
    """
    known = table.column(column.name)
    if known is None or known.native_type.upper() not in _KEEP_ANY_VALUE:
        return column
    zero, kind = exp.Literal.number("0.0"), exp.Typeof(this=column.copy())
    is_zero = exp.and_(exp.EQ(this=column.copy(), expression=zero), kind.eq("real"))
    return exp.Case(ifs=[exp.If(this=is_zero, true=zero.copy())], default=column.copy())


def distinct_by_bytes(value: exp.Expr, kind: ColumnType, dialect: str) -> exp.Select:
    """Select each value once, of those which a collation takes for the same the first by its bytes; on SQLite no NULL.

    The bare value would be that of whichever row is read first. On SQLite it is that of the row which has the only MIN,
    and is read by the type of its column, which MIN itself has not.
    """
    shown = value
    if dialect == "postgres" and kind == "text":
        shown = exp.Min(this=_by_code(value))
    elif dialect == "mysql" and kind == "text":
        letters = exp.DataType(this=exp.DType.CHARACTER_SET, kind=exp.Var(this="utf8mb4"))
        stored = exp.Cast(this=exp.Cast(this=value, to=letters), to=exp.DataType.build("binary"))
        shown = exp.Cast(this=exp.Min(this=stored), to=letters.copy())
    query = exp.select(exp.alias_(shown, "value", quoted=True)).group_by(value.copy())
    if dialect == "sqlite":
        first = exp.Min(this=exp.Collate(this=value.copy(), expression=exp.Var(this="BINARY")))
        query = query.having(exp.Not(this=exp.Is(this=first, expression=exp.Null())))
    return query


def _by_code(value: exp.Expr) -> exp.Collate:
    """A value of PostgreSQL as text that is compared byte by byte; a cast would strip the blanks behind a CHAR."""
    text = exp.Anonymous(this="CONCAT", expressions=[value])
    return exp.Collate(this=text, expression=exp.Identifier(this="C", quoted=True))


def every_byte_of(column: exp.Column, table: Table, dialect: str) -> Iterator[exp.Expr]:
    """What to sort by for one of a table's columns: its values, and whatever else tells two of them apart."""
    known = table.column(column.name)
    kind = known.type if known is not None else "other"
    if dialect == "sqlite":
        yield exp.Collate(this=column.copy(), expression=exp.Var(this="BINARY"))
        yield exp.Cast(this=column.copy(), to=exp.DataType.build("text"))  # 1 and 1.0 may stand in one column
        return
    if dialect == "mysql" or kind != "other":  # PostgreSQL has types without an order
        yield column.copy()
    if dialect == "postgres":  # whatever its type is called
        yield _by_code(column.copy())
    elif kind not in _NEVER_LEVEL:  # not the text, of which no more than max_sort_length is looked at
        yield exp.SHA2(this=column.copy(), length=exp.Literal.number(_DIGEST_BITS))
