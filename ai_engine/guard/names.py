"""Every name is resolved through the scopes to a permitted column; what is not resolved is refused."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlglot import exp

from ai_engine.guard.columns import knows, look_up
from ai_engine.guard.from_clause import FromClause
from ai_engine.guard.joins import require_tied
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.sameness import telling_nodes
from ai_engine.guard.scopes import Clause, Ctes, OutputColumn, Reference, Scope, Shape, folded, local_nodes
from ai_engine.guard.shapes import both, is_condensed, most_rows, renamed
from ai_engine.guard.stars import expand_stars
from ai_engine.guard.statement import Statement
from ai_engine.guard.widths import Widths

_CLAUSES: tuple[tuple[str, Clause], ...] = (
    ("where", "where"),
    ("group", "group"),
    ("having", "having"),
    ("qualify", "qualify"),
    ("windows", "window"),
    ("order", "order"),
)
_SYSTEM_NAME = re.compile(r"sqlite_|pg_|duckdb_|information_schema$|performance_schema$|mysql$|pragma_")
_NAMES = frozenset({exp.Table, exp.Column, exp.Pivot})
_AROUND_FUNCTIONS = (exp.Window, exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
_VARYING = (exp.AggFunc, exp.Window, exp.Star)


def names_resolve(statement: Statement) -> None:
    """Refuse unknown, ambiguous, hidden, restricted and system names; expand stars that restrictions concern."""
    resolver = _Resolver(statement)
    resolver.query(statement.tree, {}, None)
    for node in statement.tree.walk():
        if type(node) in _NAMES and id(node) not in resolver.judged:
            raise refuse(f"{written(node)} stands where no name may stand", written(node))


class _Resolver:
    """Walks the queries of one statement from the outside in; `judged` are the names it has seen to."""

    def __init__(self, statement: Statement) -> None:
        self.policy = statement.policy
        self.catalogue = statement.catalogue
        self.dialect = statement.dialect
        self.judged: dict[int, exp.Expr] = {}
        self.found: dict[int, Reference] = {}
        self.widths = Widths(statement, self.found)
        self.from_clause = FromClause(statement, self)

    def query(self, query: exp.Expr, ctes: Ctes, outer: Scope | None) -> Shape:
        """Resolve a query of any kind and say what it gives."""
        if isinstance(query, exp.Subquery):
            if isinstance(query.this, exp.Subquery) and query.this.args.get("joins"):
                raise refuse("joins in parentheses may not be given an alias or be pivoted", query.alias)
            return self.query(query.this, ctes, outer)
        ctes = self.with_clause(query, ctes, outer)
        if isinstance(query, exp.Select):
            return self.select(query, ctes, outer)
        if isinstance(query, exp.SetOperation):
            return self.set_operation(query, ctes, outer)
        raise refuse(f"{query.key.upper()} is not a query", query.key)

    def with_clause(self, query: exp.Expr, ctes: Ctes, outer: Scope | None) -> Ctes:
        """Resolve common table expressions in order; each sees those before it."""
        with_ = query.args.get("with_")
        if with_ is None:
            return ctes
        ctes = dict(ctes)
        for cte in with_.expressions:
            name: exp.Identifier = cte.args["alias"].this
            if _SYSTEM_NAME.match(name.this.lower()):
                raise refuse(
                    f"{name.this} is a system name; call the common table expression something else", name.this
                )
            key = folded(name, self.dialect)
            visible = ctes
            if (self.dialect == "sqlite" or with_.args.get("recursive")) and self.reads_itself(cte, key):
                visible = {**ctes, key: (name, self.anchor(cte, ctes, outer))}
            ctes[key] = (name, renamed(self.query(cte.this, visible, outer), cte.args["alias"]))
        return ctes

    def reads_itself(self, cte: exp.CTE, key: str) -> bool:
        return any(
            isinstance(table.this, exp.Identifier) and not table.db and folded(table.this, self.dialect) == key
            for table in cte.this.find_all(exp.Table)
        )

    def anchor(self, cte: exp.CTE, ctes: Ctes, outer: Scope | None) -> Shape:
        """Say what a CTE that reads itself gives, by its first part; refused unless the policy allows recursion."""
        if not self.policy.allow_recursive:
            raise refuse(f"recursive queries are not allowed: {cte.alias} reads itself", cte.alias)
        if not isinstance(cte.this, exp.SetOperation):
            raise refuse(f"the recursive query {cte.alias} needs a first part that does not read itself", cte.alias)
        first = self.query(cte.this.this.copy(), ctes, outer)
        return renamed(replace(first, most_rows=None, condensed=False), cte.args["alias"])

    def set_operation(self, query: exp.SetOperation, ctes: Ctes, outer: Scope | None) -> Shape:
        """Resolve both sides; ORDER BY sees the names of the left one."""
        left = self.query(query.this, ctes, outer)
        right = self.query(query.expression, ctes, outer)
        if len(left.columns) != len(right.columns):
            raise refuse(f"the two sides of {query.key.upper()} have different numbers of columns", query.key.upper())
        order = query.args.get("order")
        if order is not None:
            scope = Scope(aliases={column.name.lower(): column for column in left.columns})
            self.expressions([order], "order", scope, ctes)
        columns = tuple(both(*pair) for pair in zip(left.columns, right.columns, strict=True))
        bounded = left.most_rows is not None and right.most_rows is not None
        rows = (left.most_rows or 0) + (right.most_rows or 0) if bounded else None
        self.limits(query, ctes)
        return Shape(columns, rows, left.condensed and right.condensed)

    def select(self, select: exp.Select, ctes: Ctes, outer: Scope | None) -> Shape:
        """Resolve one SELECT, clause by clause."""
        scope = Scope(outer=outer)
        joined = self.from_clause.read(select, scope, ctes)
        self.expressions(joined.conditions, "from", scope, ctes)
        scope.hide_filters(joined.filtering)
        outputs = self.projections(select, scope, ctes)
        for arg, clause in _CLAUSES:
            value = select.args.get(arg)
            if value:
                self.expressions(value if isinstance(value, list) else [value], clause, scope, ctes)
        self.limits(select, ctes)
        sources = scope.sources.values()
        tied_to = require_tied(select, scope, joined, self.found, self.policy.max_series_rows)
        rows = most_rows(select, sources, self.policy.max_series_rows)
        return Shape(outputs, rows, is_condensed(select, sources), tied_to)

    def chars(self, value: exp.Expr) -> int:
        """How wide a value is at most, estimated."""
        return self.widths.of(value)

    def limits(self, query: exp.Expr, ctes: Ctes) -> None:
        """Resolve what a LIMIT inside the statement computes; it sees no columns."""
        values = [value for arg in ("limit", "offset") if (value := query.args.get(arg)) is not None]
        if any(not isinstance(value.expression, exp.Literal) for value in values):
            self.expressions(values, "from", Scope(), ctes)

    def projections(self, select: exp.Select, scope: Scope, ctes: Ctes) -> tuple[OutputColumn, ...]:
        """Resolve the list of columns; an alias is visible to what stands after it."""
        outputs: list[OutputColumn] = []
        unnamed: list[OutputColumn] = []
        for projection in expand_stars(select, scope, self.judged):
            if isinstance(projection, OutputColumn):
                outputs.append(projection)
                continue
            self.expressions([projection], "select", scope, ctes)
            column = self.describe(projection, scope)
            outputs.append(column)
            if isinstance(projection, exp.Alias):
                scope.aliases.setdefault(column.name.lower(), column)
            elif isinstance(projection, exp.Func) and not projection.output_name:
                unnamed.append(column)
        if len(outputs) > self.policy.max_columns:
            raise refuse(f"the result has more than {self.policy.max_columns} columns")
        sources = [source for level in scope.chain() for source in level.sources.values()]
        for column in unnamed:  # PostgreSQL calls COUNT(*) count
            if not any(knows(source, column.name.lower()) for source in sources):
                scope.aliases.setdefault(column.name.lower(), column)
        distinct = select.args.get("distinct")
        if distinct is not None:
            self.expressions([distinct], "order", scope, ctes)
        return tuple(outputs)

    def describe(self, projection: exp.Expr, scope: Scope) -> OutputColumn:
        """Say what one item of the list of columns gives."""
        constant = not any(self.varies(node, scope) for node in telling_nodes(projection))
        return OutputColumn(projection.output_name or _called(projection), constant, self.widths.of(projection))

    def varies(self, node: exp.Expr, scope: Scope) -> bool:
        """Whether a part of a value can differ from row to row of a SELECT."""
        reference = self.found.get(id(node))
        if reference is not None:
            return not reference.column.constant
        if isinstance(node, exp.Query):
            inside = (self.found.get(id(column)) for column in node.find_all(exp.Column))
            return any(found is not None and found.scope is scope for found in inside)
        return isinstance(node, _VARYING)

    def expressions(self, roots: list[exp.Expr], clause: Clause, scope: Scope, ctes: Ctes) -> list[exp.Expr]:
        """Resolve every name in expressions, and the queries nested in them; return the nodes looked at."""
        nodes = local_nodes(*roots)
        for node in nodes:
            if isinstance(node, exp.Query):
                self.query(node, ctes, scope)
            elif type(node) is exp.Column and id(node) not in self.judged:
                self.judged[id(node)] = node
                if isinstance(node.parent, exp.Collate) and node.arg_key == "expression":
                    continue
                reference = look_up(node, clause, scope, self.dialect)
                if reference is not None:
                    self.found[id(node)] = reference
        for root in roots:
            self.widths.of(root)
        return nodes


def _called(value: exp.Expr) -> str:
    """What PostgreSQL calls a column without a name: the function that gives it."""
    while isinstance(value, _AROUND_FUNCTIONS):
        value = value.this
    return value.sql_names()[0].lower() if isinstance(value, exp.Func) else value.key
