"""Where a column of a statement comes from: a table, or an expression of a query inside."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.errors import SqlRejected
from ai_engine.guard.parsing import tokens_of, tree_of
from ai_engine.guard.policy import Policy
from ai_engine.guard.text import text_is_bounded, tokens_are_bounded


def query_of(sql: str, catalogue: Catalogue) -> exp.Query | None:
    """Read a query; None for what the guard does not let its parser see, and for what is no query."""
    try:
        text_is_bounded(sql, Policy())
        tokens = tokens_of(sql, catalogue.dialect)
        tokens_are_bounded(tokens, sql, catalogue)
        tree = tree_of(tokens, sql, catalogue.dialect)
    except SqlRejected:
        return None
    return tree if isinstance(tree, exp.Query) else None


class Sources:
    """Follows names of one statement to what they stand for.

    Args:
        catalogue: a column of a table goes before an alias of the same name.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._columns = {
            table.name.lower(): frozenset(column.name.lower() for column in table.columns) for table in catalogue.tables
        }
        self._visiting: set[int] = set()

    def reads_table(self, query: exp.Expr | None) -> bool:
        """Tell whether a query reads any table of the database, itself or by way of its sources."""
        if query is None or id(query) in self._visiting:
            return False
        self._visiting.add(id(query))
        try:
            sources = [source for select in branches(query) for source in _sources_of(select)]
            return any(_is_table(source) or self.reads_table(_query_of(source)) for source in sources)
        finally:
            self._visiting.discard(id(query))

    def meanings(self, column: exp.Column) -> list[exp.Expr]:
        """Return the expressions that a column stands for; none where it is one of a table.

        A column of VALUES is what stands there; one of a function that makes rows is that function.
        """
        select = column.find_ancestor(exp.Select)
        beside = _beside(column, select)
        while select is not None:
            sources = [one for one in _sources_of(select) if column.table in {"", one.alias_or_name}]
            tables = [self._columns.get(one.name.lower()) for one in sources if _is_table(one)]
            if any(known is not None and column.name.lower() in known for known in tables):
                return []
            found = [item for one in sources for item in _offered(one, column.name.lower())] or beside
            if found or None in tables or (column.table and tables):
                return found
            made = [one for one in sources if not _is_table(one) and _query_of(one) is None]
            if made:
                return made
            select, beside = select.find_ancestor(exp.Select), []
        return []


def branches(query: exp.Expr) -> Iterator[exp.Select]:
    """Yield each SELECT whose rows a query gives out."""
    if isinstance(query, exp.SetOperation):
        yield from branches(query.this)
        yield from branches(query.expression)
    elif isinstance(query, exp.Subquery):
        yield from branches(query.this)
    elif isinstance(query, exp.Select):
        yield query


def queries_read(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the queries that a SELECT reads from, those with a name of their own too."""
    return (inner for source in _sources_of(select) if (inner := _query_of(source)) is not None)


def _beside(column: exp.Column, select: exp.Select | None) -> list[exp.Expr]:
    """Return what another output of the same SELECT is called like the column, as DuckDB lets one refer to."""
    if select is None or column.table:
        return []
    named = [
        item for item in select.selects if isinstance(item, exp.Alias) and item.alias.lower() == column.name.lower()
    ]
    return [item for item in named if all(column is not inner for inner in item.find_all(exp.Column))]


def _sources_of(select: exp.Expr) -> list[exp.Expr]:
    first = select.args.get("from_")
    joined = [join.this for join in select.args.get("joins") or ()]
    return [*([first.this] if first is not None else ()), *joined, *(select.args.get("laterals") or ())]


def _is_table(source: exp.Expr) -> bool:
    return isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier) and _named(source) is None


def _query_of(source: exp.Expr) -> exp.Expr | None:
    named = _named(source) if isinstance(source, exp.Table) else None
    inner = (named or source).this if named is not None or isinstance(source, (exp.Subquery, exp.Lateral)) else None
    while isinstance(inner, exp.Subquery):
        inner = inner.this
    return inner if isinstance(inner, exp.Query) else None


def _named(table: exp.Table) -> exp.CTE | None:
    """Find the query WITH this name that stands nearest."""
    node: exp.Expr | None = table if isinstance(table.this, exp.Identifier) and not table.db else None
    while node is not None:
        listed = node.args.get("with_")
        for named in listed.expressions if isinstance(listed, exp.With) else ():
            if isinstance(named, exp.CTE) and named.alias.lower() == table.name.lower():
                return named
        node = node.parent
    return None


def _offered(source: exp.Expr, name: str) -> list[exp.Expr]:
    """Return what a source that is no table gives under a name."""
    inner, aliases = _query_of(source), _column_names(source)
    if inner is not None:
        first = next(branches(inner), None)
        names = aliases or [item.alias_or_name.lower() for item in first.selects] if first is not None else []
        if name in names:
            place = names.index(name)
            return [one.selects[place] for one in branches(inner) if place < len(one.selects)]
        starred = [one for one in branches(inner) if any(item.is_star for item in one.selects)]
        return [item for one in starred for below in _sources_of(one) for item in _offered(below, name)]
    if isinstance(source, exp.Values) and name in aliases:
        place = aliases.index(name)
        return [row.expressions[place] for row in source.expressions if place < len(row.expressions)]
    return [source] if name in aliases else []


def _column_names(source: exp.Expr) -> list[str]:
    """Return the names that a source gives its columns, in their order."""
    listed = source.args.get("alias")
    if isinstance(source, exp.Table) and not (isinstance(listed, exp.TableAlias) and listed.columns):
        named = _named(source)
        listed = named.args.get("alias") if named is not None else listed
    return [column.name.lower() for column in listed.columns] if isinstance(listed, exp.TableAlias) else []
