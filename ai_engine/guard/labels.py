"""An ENUM of DuckDB lists its labels, also those that no permitted row holds: nothing tells which they are.

Views that cast it to a type with the held labels alone read ten million rows in 1.0 s for 0.14 s, have to run every
view of the bank's own to its end first, and rank labels of two columns as texts: MAX over a UNION gave another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import product

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard.output_names import leftmost
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import Reference
from ai_engine.guard.statement import Statement

_Place = tuple[str, str]  # table, column
_GIVING_NO_LABEL = (exp.Cast, exp.Predicate, exp.Count, exp.Length, exp.Lower, exp.Upper, exp.DPipe, exp.GroupConcat)
_WEIGHING = frozenset({"entropy"})
_RANKING = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def labels_are_not_tried(statement: Statement) -> None:
    """Refuse LAG(status, 1, 'x') of what may be an ENUM, which fails where no label is 'x', and (status, 1) < ('x', 2).

    In rows and lists 'x' is taken for a label where there is one, and ranks by its place among them, else as a text.
    """
    if statement.dialect != "duckdb" or statement.reading is None:
        return
    calls = statement.nodes(exp.Lag, exp.Lead)
    tried = [
        (call, call.this.this if isinstance(call.this, exp.Order) else call.this)
        for call in calls
        if _may_be_tried(call.args.get("default")) and call.args["default"] != call.this
    ]
    tried += [(test, test) for test in statement.nodes(*_RANKING) if _ranks_texts(test)]
    if not tried:
        return
    found = {id(column): reference for column, reference in statement.reading.columns}
    listed = statement.catalogue.listing_labels
    for place, value in tried:
        for column in value.find_all(exp.Column):
            is_text = isinstance(column.find_ancestor(exp.Cast, type(place)), exp.Cast)
            if not is_text and _may_be_listed(found.get(id(column)), listed):
                instead = f"CAST({written(column)} AS VARCHAR)"
                raise refuse(f"{written(column)} may only have the values of its type: write {instead}", written(place))


def _ranks_texts(test: exp.Expr) -> bool:
    """Whether rows or lists are compared by their order, and a text stands in one."""
    composed = test.find_all(exp.Tuple, exp.Array)
    return any(literal.is_string for parts in composed for literal in parts.find_all(exp.Literal))


def _may_be_tried(default: exp.Expr | None) -> bool:
    is_text = not isinstance(default, exp.Literal) or default.is_string
    return default is not None and is_text and not isinstance(default, exp.Null)


def _may_be_listed(reference: Reference | None, listed: Set[_Place]) -> bool:
    """Whether a column is an ENUM of a table, or of a subquery where any is known."""
    if reference is None or not all(source.table for source, _ in reference.value) or not reference.value:
        return bool(listed)
    return any((source.table, column.name) in listed for source, column in reference.value)


def labels_are_no_numbers(nodes: Iterable[exp.Expr], catalogue: Catalogue) -> bool:
    """Let nothing go by the numbers of labels in a statement that is written out; return whether it has changed.

    DuckDB puts partitions, and what it counts about or weighs, apart by a hash of the number, and so in an order that
    tells how many labels stand before: there it is given the text. Lists without what is twice, which stay lists of
    labels, are sorted.

    Args:
        nodes: all that the statement has, outer before inner.

    Raises:
        SqlRejected: a set operation or the MODE of a window goes by them, or the first rows of a recursion make labels
            of the later ones.
    """
    listed = catalogue.listing_labels
    if catalogue.dialect != "duckdb" or not listed:
        return False
    known = list(nodes)
    origins = Origins(known, listed)
    for node in known:
        if isinstance(node, (exp.Intersect, exp.Except)) and not node.args.get("distinct"):
            _require_no_label((item for select in _selects(node) for item in select.expressions), origins)
        elif isinstance(node, exp.Window) and node.this.find(exp.Mode):  # of the most frequent any, by their hash
            _require_no_label([node.this], origins)
        elif isinstance(node, exp.With) and node.args.get("recursive"):
            for cte in node.expressions:
                _require_same_labels(cte, origins)
    hashed = [value for value in _hashed(known) if origins.of(value)]
    for value in hashed:
        text = exp.Cast(to=exp.DataType.build("varchar"))
        value.replace(text)
        text.set("this", value)
    lists = [node for node in known if isinstance(node, exp.ArrayDistinct) and origins.of(node)]
    for node in lists:
        ordered = exp.Anonymous(this="LIST_SORT")
        node.replace(ordered)
        ordered.set("expressions", [node])
    return bool(hashed or lists)


def _hashed(nodes: Iterable[exp.Expr]) -> Iterator[exp.Expr]:
    for node in nodes:
        if isinstance(node, exp.Window):
            yield from node.args.get("partition_by") or ()
        elif isinstance(node, exp.ApproxDistinct):
            yield _each(node.this)
        elif isinstance(node, exp.Anonymous) and node.name.lower() in _WEIGHING:
            yield from map(_each, node.expressions)


def _each(argument: exp.Expr) -> exp.Expr:
    """What an aggregate takes of each row, without its DISTINCT and its order."""
    each = argument.this if isinstance(argument, exp.Order) else argument
    return each.expressions[0] if isinstance(each, exp.Distinct) else each


def _require_no_label(values: Iterable[exp.Expr], origins: Origins) -> None:
    for value in values:
        for _, name in origins.of(value):
            raise refuse(f"{name} may only have the values of its type: write CAST({name} AS VARCHAR)", name)


def _require_same_labels(cte: exp.CTE, origins: Origins) -> None:
    """Refuse a recursion whose later rows bring anything but what the same column of its first ones is made of."""
    query = cte.this
    if not isinstance(query, exp.Union) or cte.alias not in {
        table.name for table in query.expression.find_all(exp.Table)
    }:
        return
    for begun, going_on in product(_selects(query.this), _selects(query.expression)):
        for first, later in zip(begun.expressions, going_on.expressions, strict=False):
            if not (isinstance(later.unalias(), exp.Column) and origins.of(later) == origins.of(first)):
                _require_no_label([first], origins)


class Origins:
    """Follows what a statement that is written out computes back to columns that list labels."""

    def __init__(self, nodes: Iterable[exp.Expr], listed: Set[_Place]) -> None:
        self._listed = listed
        self._sources: dict[str, exp.Expr] = {}
        self._queries: dict[str, exp.Expr] = {}
        self._known: dict[_Place, set[_Place]] = {}
        for node in nodes:
            if isinstance(node, exp.CTE):
                self._queries[node.alias] = node.this
            elif isinstance(node.args.get("alias"), exp.TableAlias):
                self._sources[node.alias] = node.parent if isinstance(node, exp.Pivot) and node.parent else node

    def of(self, value: exp.Expr) -> set[_Place]:
        """The columns whose labels a value may be, or hold; neither a text nor a test has any."""
        read = (column for column in value.find_all(exp.Column) if _keeps_labels(column, value))
        return set().union(*map(self._of_column, read))

    def _of_column(self, column: exp.Column) -> set[_Place]:
        place = (column.table, column.name)
        if place not in self._known:
            found = self._known[place] = set()
            for origins in self._found(*place):
                found |= origins  # at once, as a recursion comes back to it
        return self._known[place]

    def _found(self, alias: str, name: str) -> Iterator[Set[_Place]]:
        source = self._sources.get(alias)
        if isinstance(source, exp.Table) and source.name not in self._queries:
            is_pivoted = bool(source.args.get("pivots"))
            yield {place for place in self._listed if place[0] == source.name and (is_pivoted or place[1] == name)}
            return
        query = self._queries.get(source.name) if isinstance(source, exp.Table) else source
        while isinstance(query, exp.Subquery) and not query.args.get("pivots"):
            query = query.this
        if isinstance(query, (exp.Select, exp.SetOperation)):
            for place, item in enumerate(leftmost(query).expressions):
                if item.alias_or_name == name:
                    yield from (self.of(select.expressions[place]) for select in _selects(query))
        elif query is None:
            yield self._listed
        else:
            yield self.of(query) | self._of_tables(query)

    def source(self, alias: str) -> exp.Expr | None:
        """What stands in FROM under a name, its PIVOT included."""
        return self._sources.get(alias)

    def given(self, column: exp.Column) -> list[exp.Expr] | None:
        """What the queries of a derived table give as a column; None of a table, and where that is not known."""
        source = self._sources.get(column.table)
        query = self._queries.get(source.name) if isinstance(source, exp.Table) else source
        while isinstance(query, exp.Subquery) and not query.args.get("pivots"):
            query = query.this
        if not isinstance(query, (exp.Select, exp.SetOperation)):
            return None
        places = [place for place, item in enumerate(leftmost(query).expressions) if item.alias_or_name == column.name]
        return [select.expressions[place] for place in places for select in _selects(query)]

    def _of_tables(self, source: exp.Expr) -> set[_Place]:
        tables = {table.name for table in source.find_all(exp.Table)}
        return {place for place in self._listed if place[0] in tables}


def _selects(query: exp.Expr) -> Iterator[exp.Select]:
    if isinstance(query, exp.SetOperation):
        yield from _selects(query.this)
        yield from _selects(query.expression)
    elif isinstance(query, exp.Subquery):
        yield from _selects(query.this)
    elif isinstance(query, exp.Select):
        yield query


def _keeps_labels(column: exp.Column, value: exp.Expr) -> bool:
    """Whether nothing between a column and what is computed of it makes a text, a truth or a number of it."""
    node: exp.Expr | None = column
    while node is not None and node is not value:
        node = node.parent
        if isinstance(node, _GIVING_NO_LABEL):
            return False
    return True
