"""Every name is resolved through the scopes to a permitted column; what is not resolved is refused."""

from __future__ import annotations

import re
from typing import TypeAlias

from sqlglot import exp

from ai_engine.guard.columns import knows, look_up, plain_column, restricted
from ai_engine.guard.constant_rows import values_shape
from ai_engine.guard.joins import require_tied
from ai_engine.guard.refusal import refuse, unknown, written
from ai_engine.guard.scopes import Clause, OutputColumn, Reference, Scope, Shape, Source, folded, local_nodes, same
from ai_engine.guard.series import series_of
from ai_engine.guard.shapes import both, derived, gives_one_value, most_rows, renamed
from ai_engine.guard.stars import expand_stars
from ai_engine.guard.statement import Statement
from ai_engine.guard.tables import catalogued, require_plain, restricted_columns
from ai_engine.guard.widths import Widths

_CLAUSES: tuple[tuple[str, Clause], ...] = (
    ("where", "where"),
    ("group", "group"),
    ("having", "having"),
    ("qualify", "qualify"),
    ("windows", "window"),
    ("order", "order"),
)
_COLLATION = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,40}")
_SYSTEM_NAME = re.compile(r"sqlite_|pg_|duckdb_|information_schema$|performance_schema$|mysql$|pragma_")
_NAMES = frozenset({exp.Table, exp.Column})
_VARYING = (exp.AggFunc, exp.Window, exp.Star)
_Ctes: TypeAlias = dict[str, tuple[exp.Identifier, Shape]]


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
        self.tables = 0

    def query(self, query: exp.Expr, ctes: _Ctes, outer: Scope | None) -> Shape:
        """Resolve a query of any kind and say what it gives."""
        if isinstance(query, exp.Subquery):
            return self.query(query.this, ctes, outer)
        ctes = self.with_clause(query, ctes, outer)
        if isinstance(query, exp.Select):
            return self.select(query, ctes, outer)
        if isinstance(query, exp.SetOperation):
            return self.set_operation(query, ctes, outer)
        raise refuse(f"{query.key.upper()} is not a query", query.key)

    def with_clause(self, query: exp.Expr, ctes: _Ctes, outer: Scope | None) -> _Ctes:
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

    def anchor(self, cte: exp.CTE, ctes: _Ctes, outer: Scope | None) -> Shape:
        """Say what a CTE that reads itself gives, by its first part; refused unless the policy allows recursion."""
        if not self.policy.allow_recursive:
            raise refuse(f"recursive queries are not allowed: {cte.alias} reads itself", cte.alias)
        if not isinstance(cte.this, exp.SetOperation):
            raise refuse(f"the recursive query {cte.alias} needs a first part that does not read itself", cte.alias)
        return renamed(self.query(cte.this.this.copy(), ctes, outer), cte.args["alias"])

    def set_operation(self, query: exp.SetOperation, ctes: _Ctes, outer: Scope | None) -> Shape:
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
        return Shape(columns, (left.most_rows or 0) + (right.most_rows or 0) if bounded else None)

    def select(self, select: exp.Select, ctes: _Ctes, outer: Scope | None) -> Shape:
        """Resolve one SELECT, clause by clause."""
        scope = Scope(outer=outer)
        shared: list[tuple[str, str]] = []
        from_ = select.args.get("from_")
        joins = select.args.get("joins") or []
        if from_ is not None:
            self.add_source(from_.this, scope, ctes)
        for join in joins:
            shared += self.join(join, scope, ctes)
        conditions = [join.args["on"] for join in joins if join.args.get("on") is not None]
        self.expressions(conditions, "from", scope, ctes)
        outputs = self.projections(select, scope, ctes)
        for arg, clause in _CLAUSES:
            value = select.args.get(arg)
            if value:
                self.expressions(value if isinstance(value, list) else [value], clause, scope, ctes)
        require_tied(select, scope, shared, self.found)
        return Shape(outputs, most_rows(select, scope.sources.values()))

    def add_source(self, item: exp.Expr, scope: Scope, ctes: _Ctes) -> str:
        """Put one item of FROM into the scope and return its key."""
        if isinstance(item, exp.Table):
            source = self.table_source(item, ctes)
        elif isinstance(item, exp.Subquery):
            alias = item.args.get("alias")
            name = alias.this if alias is not None else exp.Identifier(this=f"subquery {len(scope.sources) + 1}")
            source = derived(name, renamed(self.query(item, ctes, scope.outer), alias))
        elif isinstance(item, exp.Values):
            source = self.values_source(item, scope)
        else:
            raise refuse(f"only tables and subqueries may stand in FROM, not {item.key.upper()}", item.key)
        shown = source.alias.this
        key = shown.lower()
        if key in scope.sources:
            raise refuse(f"the name {shown} stands twice in FROM; give each its own alias", shown)
        scope.sources[key] = source
        return str(key)

    def values_source(self, values: exp.Values, scope: Scope) -> Source:
        """Name the columns of a VALUES list."""
        alias = values.args.get("alias")
        name = alias.this if alias is not None and alias.this is not None else None
        shape = values_shape(values, self.dialect, self.policy.max_series_rows)
        return derived(name or exp.Identifier(this=f"values {len(scope.sources) + 1}"), renamed(shape, alias))

    def table_source(self, table: exp.Table, ctes: _Ctes) -> Source:
        """Find what a table reference in FROM means: a series, a common table expression or a catalogued table."""
        self.judged[id(table)] = table
        self.tables += 1
        if self.tables > self.policy.max_tables:
            raise refuse(f"more than {self.policy.max_tables} tables are read", table.name)
        alias = table.args.get("alias")
        found = series_of(table, self.policy.max_series_rows)
        if found is not None:
            series, rows = found
            name = alias.this if alias is not None and alias.this is not None else exp.Identifier(this=series)
            column = series if self.dialect == "duckdb" else name.this
            return derived(name, renamed(Shape((OutputColumn(column),), rows), alias))
        if isinstance(table.this, exp.Identifier) and not table.db:
            cte = ctes.get(folded(table.this, self.dialect))
            if cte is not None:
                require_plain(table)
                name, shape = cte
                if table.this != name:
                    table.set("this", same(name))
                return derived(alias.this if alias is not None else name, renamed(shape, alias))
        known = catalogued(table, self.catalogue, self.policy, [name.this for name, _ in ctes.values()])
        if alias is not None and alias.args.get("columns"):
            raise refuse(f"the columns of {known.name} may not be renamed in FROM", known.name)
        hidden = restricted_columns(known, self.policy)
        columns = {c.name.lower(): plain_column(c.name) for c in known.columns}
        for name in hidden & columns.keys():
            del columns[name]
        return Source(alias.this if alias is not None else table.this, columns, hidden, table=known.name)

    def join(self, join: exp.Join, scope: Scope, ctes: _Ctes) -> list[tuple[str, str]]:
        """Add the joined item; return the pairs of sources that USING, NATURAL or ASOF tie."""
        before = dict(scope.sources)
        added_key = self.add_source(join.this, scope, ctes)
        added = scope.sources[added_key]
        shared = [identifier.name for identifier in join.args.get("using") or ()]
        if join.args.get("method") == "NATURAL":
            names = (*added.columns, *added.restricted)
            shared = [name for name in names if any(knows(source, name) for source in before.values())]
        pairs = []
        for name in shared:
            key = name.lower()
            for source in (added, *before.values()):
                if key in source.restricted:
                    raise restricted(name, source)
            holders = [other for other, source in before.items() if key in source.columns]
            if key not in added.columns or not holders:
                raise unknown("column", name, added.columns, "is not on both sides of the join")
            scope.merged.add(key)
            if not added.columns[key].constant:
                pairs += [(added_key, other) for other in holders]
        if join.args.get("method") == "ASOF":
            pairs.append((added_key, next(iter(before))))
        return pairs

    def projections(self, select: exp.Select, scope: Scope, ctes: _Ctes) -> tuple[OutputColumn, ...]:
        """Resolve the list of columns; an alias is visible to what stands after it."""
        outputs: list[OutputColumn] = []
        for projection in expand_stars(select, scope, self.judged):
            if isinstance(projection, OutputColumn):
                outputs.append(projection)
                continue
            nodes = self.expressions([projection], "select", scope, ctes)
            column = self.describe(projection, nodes, scope)
            outputs.append(column)
            if isinstance(projection, exp.Alias):
                scope.aliases.setdefault(column.name.lower(), column)
        if len(outputs) > self.policy.max_columns:
            raise refuse(f"the result has more than {self.policy.max_columns} columns")
        for column in outputs:
            scope.aliases.setdefault(column.name.lower(), column)
        distinct = select.args.get("distinct")
        if distinct is not None:
            self.expressions([distinct], "order", scope, ctes)
        return tuple(outputs)

    def describe(self, projection: exp.Expr, nodes: list[exp.Expr], scope: Scope) -> OutputColumn:
        """Say what one item of the list of columns gives; `nodes` are those it consists of."""
        constant = not any(self.varies(node, scope) for node in nodes) or gives_one_value(projection.unalias())
        return OutputColumn(projection.output_name or projection.key, constant, self.widths.of(projection))

    def varies(self, node: exp.Expr, scope: Scope) -> bool:
        """Whether a part of a value can differ from row to row of a SELECT."""
        reference = self.found.get(id(node))
        if reference is not None:
            return not reference.column.constant
        if isinstance(node, exp.Query):
            inside = (self.found.get(id(column)) for column in node.find_all(exp.Column))
            return any(found is not None and found.scope is scope for found in inside)
        return isinstance(node, _VARYING)

    def expressions(self, roots: list[exp.Expr], clause: Clause, scope: Scope, ctes: _Ctes) -> list[exp.Expr]:
        """Resolve every name in expressions, and the queries nested in them; return the nodes looked at."""
        nodes = local_nodes(*roots)
        for node in nodes:
            if isinstance(node, exp.Query):
                self.query(node, ctes, scope)
            elif type(node) is exp.Column and id(node) not in self.judged:
                self.judged[id(node)] = node
                if isinstance(node.parent, exp.Collate) and node.arg_key == "expression":
                    if not _COLLATION.fullmatch(node.name) or node.table:
                        raise refuse(f"{written(node)} is not a collation", written(node))
                    continue
                reference = look_up(node, clause, scope, self.dialect)
                if reference is not None:
                    self.found[id(node)] = reference
        for root in roots:
            self.widths.of(root)
        return nodes
