"""Where a column of a statement comes from: a table, or an expression of a query inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.errors import SqlRejected
from ai_engine.guard.parsing import tokens_of, tree_of
from ai_engine.guard.policy import Policy
from ai_engine.guard.text import text_is_bounded, tokens_are_bounded

_ROWS_MADE = (exp.Unnest, exp.Explode, exp.GenerateSeries, exp.GenerateDateArray)
_TIES = (exp.EQ, exp.NullSafeEQ, exp.Between, exp.In, exp.Like, exp.ILike)


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


@dataclass(frozen=True, slots=True)
class _Offer:
    """What a source that is no table gives: rows of expressions, where each name stands in them, sources of stars."""

    places: dict[str, int]
    rows: list[list[exp.Expr]]
    starred: Sequence[exp.Expr] = ()


class Sources:
    """Follows names of one statement to what they stand for.

    Args:
        catalogue: a column of a table goes before an alias of the same name.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._columns = {
            table.name.lower(): frozenset(column.name.lower() for column in table.columns) for table in catalogue.tables
        }
        self._reading: dict[int, bool] = {}
        self._reads: dict[int, tuple[bool, list[exp.Select]]] = {}
        self._found: dict[tuple[int, str], list[exp.Expr]] = {}
        self._offers: dict[int, _Offer] = {}

    def reads_table(self, query: exp.Expr | None) -> bool:
        """Tell whether a query reads any table of the database, itself or by way of its sources."""
        if query is None:
            return False
        if id(query) not in self._reading:
            self._reading[id(query)] = self._finds_table(query)
        return self._reading[id(query)]

    def _finds_table(self, query: exp.Expr) -> bool:
        seen, left = set[int](), [*branches(query)]
        while left:
            select = left.pop()
            if id(select) in seen:
                continue
            seen.add(id(select))
            if id(select) not in self._reads:
                inner = [one for found in queries_read(select) for one in branches(found)]
                self._reads[id(select)] = lists_table(select), inner
            has_table, inner = self._reads[id(select)]
            if has_table:
                return True
            left += inner
        return False

    def loose_rows(self, tree: exp.Query) -> Iterator[exp.Expr]:
        """Yield sources of several rows that a statement makes itself, beside a table of which they multiply the rows.

        None is one whose rows are tied to those of the table by a value, grouped by, or listed beside them.
        """
        for select in tree.find_all(exp.Select):
            sources = _sources_of(select)
            if any(_is_table(one) or self.reads_table(_query_of(one)) for one in sources):
                yield from (one for one in sources if self._makes_rows(one) and not _is_tied(one, select))
                yield from (one for one in select.selects if one.find(*_ROWS_MADE) and not one.find(exp.Column))

    def _makes_rows(self, source: exp.Expr) -> bool:
        query = _query_of(source)
        if query is not None:
            return not self.reads_table(query) and not _is_one_row(query)
        if isinstance(source, exp.Values):
            return len(source.expressions) > 1
        return not _is_table(source) and not source.find(exp.Column)

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
            found = [item for one in sources for item in self._offered(one, column.name.lower())] or beside
            if found or None in tables or (column.table and tables):
                return found
            made = [one for one in sources if not _is_table(one) and _query_of(one) is None]
            if made:
                return made
            select, beside = select.find_ancestor(exp.Select), []
        return []

    def _offered(self, source: exp.Expr, name: str) -> list[exp.Expr]:
        """Return what a source that is no table gives under a name, also through stars.

        Each source is asked once, however many read it, and for all columns of that name together.
        """
        key = (id(source), name)
        if key in self._found:
            return self._found[key]
        found, seen, left = list[exp.Expr](), set[int](), [source]
        while left:
            one = left.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            if id(one) not in self._offers:
                self._offers[id(one)] = _offer_of(one)
            offer = self._offers[id(one)]
            place = offer.places.get(name)
            if place is None:
                left += offer.starred
            else:
                found += (row[place] for row in offer.rows if place < len(row))
        self._found[key] = found
        return found


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


def lists_table(select: exp.Select) -> bool:
    """Tell whether a table of the database itself stands in the FROM of a query."""
    return any(map(_is_table, _sources_of(select)))


def _is_one_row(query: exp.Expr) -> bool:
    if not isinstance(query, exp.Select) or query.find(*_ROWS_MADE):
        return False
    aggregated = query.args.get("group") is None and all(item.find(exp.AggFunc) for item in query.selects)
    return query.args.get("from_") is None or aggregated


def _is_tied(source: exp.Expr, select: exp.Select) -> bool:
    """Tell whether rows of a source stand for a value of each row beside them, or for a group, or are listed."""
    names, inner = _column_names(source), _query_of(source)
    first = next(branches(inner), None) if inner is not None else None
    names += [item.alias_or_name.lower() for item in first.selects] if first is not None else []

    def is_own(column: exp.Column) -> bool:
        return column.table == source.alias_or_name or (not column.table and column.name.lower() in names)

    def has_own(part: exp.Expr | None) -> bool:
        return part is not None and any(map(is_own, part.find_all(exp.Column)))

    joined = [join.args.get("on") for join in select.args.get("joins") or ()]
    for condition in (*joined, select.args.get("where")):
        for tie in condition.find_all(*_TIES) if condition is not None else ():
            if has_own(tie) and not all(map(is_own, tie.find_all(exp.Column))):
                return True
    if any(join.args.get("using") and join.this is source for join in select.args.get("joins") or ()):
        return True
    group = select.args.get("group")
    places = [int(by.name) for by in group.expressions if isinstance(by, exp.Literal) and by.is_int] if group else []
    grouped = [select.selects[place - 1] for place in places if 0 < place <= len(select.selects)]
    if has_own(group) or any(map(has_own, grouped)):
        return True
    listed = group is None and not any(item.find(exp.AggFunc) for item in select.selects)
    return listed and any(item.is_star or has_own(item) for item in select.selects)


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


def _offer_of(source: exp.Expr) -> _Offer:
    inner, aliases = _query_of(source), _column_names(source)
    if inner is not None:
        selects = list(branches(inner))
        names = aliases or [item.alias_or_name.lower() for item in selects[0].selects] if selects else []
        starred = [below for one in selects if any(item.is_star for item in one.selects) for below in _sources_of(one)]
        return _Offer(_places(names), [one.selects for one in selects], starred)
    if isinstance(source, exp.Values):
        return _Offer(_places(aliases), [row.expressions for row in source.expressions])
    return _Offer(_places(aliases), [[source] * len(aliases)])


def _places(names: Sequence[str]) -> dict[str, int]:
    """Return where each name stands first."""
    return {name: place for place, name in reversed(list(enumerate(names)))}


def _column_names(source: exp.Expr) -> list[str]:
    """Return the names that a source gives its columns, in their order."""
    listed = source.args.get("alias")
    if isinstance(source, exp.Table) and not (isinstance(listed, exp.TableAlias) and listed.columns):
        named = _named(source)
        listed = named.args.get("alias") if named is not None else listed
    return [column.name.lower() for column in listed.columns] if isinstance(listed, exp.TableAlias) else []
