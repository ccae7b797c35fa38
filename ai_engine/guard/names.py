"""Every name is resolved through the scopes to a permitted column; what is not resolved is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sqlglot import exp

from ai_engine.guard.columns import look_up
from ai_engine.guard.from_clause import FromClause
from ai_engine.guard.grouped import require_one_value
from ai_engine.guard.groups import require_own_aggregate, require_what_mariadb_bears
from ai_engine.guard.joins import Known, require_tied
from ai_engine.guard.output_names import leftmost, name_in_postgres
from ai_engine.guard.patterns import LIKES, require_cheap_search
from ai_engine.guard.reading import Reading
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.sameness import telling_nodes
from ai_engine.guard.scopes import (
    Clause,
    Ctes,
    OutputColumn,
    Reference,
    Scope,
    Shape,
    all_nodes,
    folded,
    key_of,
    local_nodes,
    spelled,
)
from ai_engine.guard.shapes import both, is_condensed, most_rows
from ai_engine.guard.sizes import Sizes, require_small
from ai_engine.guard.stars import expand_stars
from ai_engine.guard.statement import Statement
from ai_engine.guard.vectors import require_looked_into_once
from ai_engine.guard.warehouses import WAREHOUSES
from ai_engine.guard.widths import Widths
from ai_engine.guard.with_clause import WithClause

_CLAUSES: tuple[tuple[str, Clause], ...] = (
    ("where", "where"),
    ("group", "group"),
    ("having", "having"),
    ("qualify", "qualify"),
    ("windows", "window"),
    ("order", "order"),
)
_NAMES = frozenset({exp.Table, exp.Column, exp.Pivot})
_VARYING = (exp.AggFunc, exp.Window, exp.Star)
_SLOW_TO_SEARCH = WAREHOUSES | {"duckdb"}


def names_resolve(statement: Statement) -> None:
    """Refuse unknown, ambiguous, hidden, restricted and system names; expand stars that restrictions concern.

    How every name was read is left in `statement.reading`.
    """
    resolver = _Resolver(statement)
    resolver.query(statement.tree, {}, None)
    statement.reading = resolver.reading
    for aggregate in statement.nodes(exp.AggFunc):
        select = aggregate.find_ancestor(exp.Select, exp.Pivot)
        scope = resolver.nested.get(id(select))
        if scope is not None:
            require_own_aggregate(aggregate, scope, resolver.found)
    for node in all_nodes(statement.tree):
        if type(node) in _NAMES and id(node) not in resolver.judged:
            raise refuse(f"{written(node)} stands where no name may stand", written(node))


class _Resolver:
    """Walks the queries of one statement from the outside in; `judged` are the names it has seen to."""

    def __init__(self, statement: Statement) -> None:
        self.policy = statement.policy
        self.catalogue = statement.catalogue
        self.dialect = statement.dialect
        self.judged: dict[int, exp.Expr] = {}
        self.reading = Reading(statement.prefix)
        self.outermost = leftmost(statement.tree)
        self.found: dict[int, Reference] = {}
        self.tied: dict[int, frozenset[str]] = {}
        self.nested: dict[int, Scope] = {}
        self.widths = Widths(statement, self.found)
        self.sizes = Sizes(self.found, self.widths.steps, statement.dialect)
        self.from_clause = FromClause(statement, self)
        self.with_clause = WithClause(statement, self)

    def query(self, query: exp.Expr, ctes: Ctes, outer: Scope | None) -> Shape:
        """Resolve a query of any kind and say what it gives."""
        if isinstance(query, exp.Subquery):
            if isinstance(query.this, exp.Subquery) and query.this.args.get("joins"):
                raise refuse("joins in parentheses may not be given an alias or be pivoted", query.alias)
            return self.query(query.this, ctes, outer)
        ctes = self.with_clause.read(query, ctes, outer)
        if isinstance(query, exp.Select):
            return self.select(query, ctes, outer)
        if isinstance(query, exp.SetOperation):
            return self.set_operation(query, ctes, outer)
        raise refuse(f"{query.key.upper()} is not a query", query.key)

    def set_operation(self, query: exp.SetOperation, ctes: Ctes, outer: Scope | None) -> Shape:
        """Resolve both sides; ORDER BY sees the names of the left one."""
        left = self.query(query.this, ctes, outer)
        right = self.query(query.expression, ctes, outer)
        if len(left.columns) != len(right.columns):
            raise refuse(f"the two sides of {query.key.upper()} have different numbers of columns", query.key.upper())
        order = query.args.get("order")
        size = left.size + right.size
        if order is not None:
            places = [Reference(column, place=place) for place, column in enumerate(left.columns, 1)]
            scope = Scope(aliases={key_of(given.column, self.dialect): given for given in reversed(places)})
            size += self.expressions([order], "order", scope, ctes)
        bounded = left.most_rows is not None and right.most_rows is not None
        columns = tuple(both(*pair, written_out=bounded) for pair in zip(left.columns, right.columns, strict=True))
        rows = (left.most_rows or 0) + (right.most_rows or 0) if bounded else None
        size += self.limits(query, ctes)
        return Shape(columns, rows, left.condensed and right.condensed, size=require_small(size))

    def select(self, select: exp.Select, ctes: Ctes, outer: Scope | None) -> Shape:
        """Resolve one SELECT, clause by clause."""
        scope = Scope(outer=outer)
        if outer is not None:
            self.nested[id(select)] = scope
        joined = self.from_clause.read(select, scope, ctes)
        self.expressions(joined.conditions, "from", scope, ctes)
        scope.hide_filters(joined.filtering)
        outputs = self.projections(select, scope, ctes)
        for arg, clause in _CLAUSES:
            value = select.args.get(arg)
            if value:
                self.expressions(value if isinstance(value, list) else [value], clause, scope, ctes)
        if self.dialect == "mysql":
            require_what_mariadb_bears(select, scope, self.found)
        if self.dialect in {"mysql", "sqlite"}:
            require_one_value(select, scope, self.reading, self.found, self.catalogue)
        size = scope.size + self.limits(select, ctes)
        if select is not self.outermost:
            names = self.reading.names.setdefault(id(select), self.reading.column_names(len(outputs)))
            outputs = tuple(replace(column, inner=name) for column, name in zip(outputs, names, strict=True))
        self.reading.selects.append(select)
        sources = scope.sources.values()
        tied_to = require_tied(select, scope, joined, Known(self.found, self.tied), self.policy.max_series_rows)
        rows = most_rows(select, sources, self.policy.max_series_rows)
        return Shape(outputs, rows, is_condensed(select, sources), tied_to, require_small(size))

    def chars(self, value: exp.Expr) -> int:
        """How wide a value is at most, estimated."""
        return self.widths.of(value)

    def limits(self, query: exp.Expr, ctes: Ctes) -> int:
        """Resolve what a LIMIT inside the statement computes, and say how large it is; it sees no columns."""
        values = [value for arg in ("limit", "offset") if (value := query.args.get(arg)) is not None]
        if any(not isinstance(value.expression, exp.Literal) for value in values):
            return self.expressions(values, "from", Scope(), ctes)
        return 0

    def projections(self, select: exp.Select, scope: Scope, ctes: Ctes) -> tuple[OutputColumn, ...]:
        """Resolve the list of columns; an alias is visible to what stands after it."""
        outputs: list[OutputColumn] = []
        unnamed: list[Reference] = []
        items = expand_stars(select, scope, self.judged, self.reading, self.dialect)
        if self.dialect == "duckdb":
            given = Counter(folded(item.args["alias"], self.dialect) for item in items if isinstance(item, exp.Alias))
            scope.repeated = frozenset(name for name, times in given.items() if times > 1)
        for projection in items:
            if isinstance(projection, OutputColumn):
                outputs.append(projection)
                scope.size += projection.size
                continue
            size = self.expressions([projection], "select", scope, ctes)
            column = self.describe(projection, scope, size)
            outputs.append(column)
            if isinstance(projection, exp.Alias):
                scope.aliases.setdefault(key_of(column, self.dialect), Reference(column, item=projection))
            elif self.dialect == "postgres" and not isinstance(projection, exp.Column):
                unnamed.append(Reference(column, item=projection))
        if not outputs:
            raise refuse("a SELECT has to list at least one column", written(select))
        if len(outputs) > self.policy.max_columns:
            raise refuse(f"the result has more than {self.policy.max_columns} columns")
        called = Counter(column.name for column in outputs)
        for one in unnamed:  # PostgreSQL calls COUNT(*) count, and a::date a
            name = one.column.name.lower()
            if called[one.column.name] == 1 and not any(name in source.restricted for source in scope.sources.values()):
                scope.aliases.setdefault(key_of(one.column, self.dialect), one)
        distinct = select.args.get("distinct")
        if distinct is not None:
            self.expressions([distinct], "order", scope, ctes)
        return tuple(outputs)

    def describe(self, projection: exp.Expr, scope: Scope, size: int) -> OutputColumn:
        """Say what one item of the list of columns gives, and of which size it is."""
        constant = not any(self.varies(node, scope) for node in telling_nodes(projection))
        name = projection.args.get("alias") or projection.this
        is_named = isinstance(projection, (exp.Alias, exp.Column)) and isinstance(name, exp.Identifier)
        if self.dialect == "postgres":
            called = name_in_postgres(projection, self.found)
        else:
            called = spelled(name, self.dialect) if is_named else projection.output_name or projection.key
        is_unnamed = self.dialect != "postgres" and not isinstance(projection.unnest(), (exp.Alias, exp.Column))
        unnamed = projection if is_unnamed else None
        chars, longest = self.widths.of(projection), self.widths.longest(projection)
        return OutputColumn(called, constant, chars, longest, size=size, unnamed=unnamed)

    def varies(self, node: exp.Expr, scope: Scope) -> bool:
        """Whether a part of a value can differ from row to row of a SELECT."""
        reference = self.found.get(id(node))
        if reference is not None:
            return not reference.column.constant
        if isinstance(node, exp.Query):
            inside = (self.found.get(id(column)) for column in node.find_all(exp.Column))
            return any(found is not None and found.scope is scope for found in inside)
        return isinstance(node, _VARYING)

    def expressions(self, roots: list[exp.Expr], clause: Clause, scope: Scope, ctes: Ctes) -> int:
        """Resolve every name in expressions, and the queries nested in them; return how large they are, written out."""
        nodes = local_nodes(*roots)
        for node in nodes:
            if type(node) is exp.Column:
                if id(node) in self.judged:
                    continue
                self.judged[id(node)] = node
                if isinstance(node.parent, exp.Collate) and node.arg_key == "expression":
                    continue
                reference = look_up(node, clause, scope, self.dialect)
                if reference is not None:
                    self.found[id(node)] = reference
                    self.note(node, reference, scope)
            elif isinstance(node, exp.Query):
                if scope.is_pivot:
                    raise refuse("a PIVOT may not hold a query", written(node))
                shape = self.query(node, ctes, scope)
                self.tied[id(node)] = shape.tied_to
                self.widths.note(node, max(column.chars for column in shape.columns))
                self.sizes.note(node, shape.size)
        for root in roots:
            self.widths.of(root)
        if self.dialect in _SLOW_TO_SEARCH:
            for node in nodes:
                if isinstance(node, LIKES):
                    require_cheap_search(node, self.widths.of(node.this))
        if self.dialect == "duckdb":
            require_looked_into_once(nodes, scope, self.found, self.tied, self.widths.of)
        size = require_small(self.sizes.of(*roots))
        scope.size += size
        return size

    def note(self, column: exp.Column, reference: Reference, scope: Scope) -> None:
        """Remember what a column means; in a PIVOT it stays as it is called."""
        if scope.is_pivot:
            column.set("table", None)
        elif reference.place and not reference.alone:
            raise refuse("ORDER BY of a set operation takes names or numbers of its columns", column.name)
        else:
            self.reading.columns.append((column, reference))
