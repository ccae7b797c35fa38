"""Every name is resolved through the scopes to a permitted column; what is not resolved is refused."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.refusal import refuse, unknown
from ai_engine.guard.scopes import (
    ALIAS_CLAUSES,
    Clause,
    OutputColumn,
    Scope,
    Shape,
    Source,
    folded,
    local_nodes,
)
from ai_engine.guard.stars import expand_projections
from ai_engine.guard.statement import Statement
from ai_engine.guard.tables import catalogued, require_plain, restricted_columns

_CLAUSES: tuple[tuple[str, Clause], ...] = (
    ("where", "where"),
    ("group", "group"),
    ("having", "having"),
    ("qualify", "qualify"),
    ("windows", "window"),
    ("order", "order"),
)
_CTES = dict[str, tuple[exp.Identifier, Shape]]


def names_resolve(statement: Statement) -> None:
    """Refuse unknown, ambiguous, hidden, restricted and system names; expand stars that restrictions concern."""
    resolver = _Resolver(statement)
    resolver.query(statement.tree, {}, None)
    for node in statement.tree.walk():
        if isinstance(node, (exp.Table, exp.Column)) and id(node) not in resolver.judged:
            raise refuse(f"{node.sql()} stands where no name may stand", node.sql())


class _Resolver:
    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.dialect = statement.dialect
        self.judged: dict[int, exp.Expr] = {}

    def query(self, query: exp.Expr, ctes: _CTES, outer: Scope | None) -> Shape:
        """Resolve a query of any kind and say what it gives."""
        ctes = self.with_clause(query, ctes, outer)
        if isinstance(query, exp.Select):
            return self.select(query, ctes, outer)
        if isinstance(query, exp.Subquery):
            shape = self.query(query.this, ctes, outer)
            return Shape(shape.columns, shape.single_row)
        if isinstance(query, exp.SetOperation):
            return self.set_operation(query, ctes, outer)
        raise refuse(f"{query.key.upper()} is not a query", query.key)

    def with_clause(self, query: exp.Expr, ctes: _CTES, outer: Scope | None) -> _CTES:
        """Resolve common table expressions in order; each sees those before it."""
        with_ = query.args.get("with_")
        if with_ is None:
            return ctes
        ctes = dict(ctes)
        for cte in with_.expressions:
            name: exp.Identifier = cte.args["alias"].this
            key = folded(name, self.dialect)
            visible = ctes
            if self.dialect == "sqlite" or with_.args.get("recursive"):
                visible = {**ctes, key: (name, self.anchor(cte, ctes, outer, key))}
            shape = renamed(self.query(cte.this, visible, outer), cte.args["alias"])
            ctes[key] = (name, shape)
        return ctes

    def anchor(self, cte: exp.CTE, ctes: _CTES, outer: Scope | None, key: str) -> Shape:
        """Say what a CTE that reads itself gives; refused unless the policy allows recursion."""
        if not any(self.means(table, key) for table in cte.this.find_all(exp.Table)):
            return Shape(())
        if not self.statement.policy.allow_recursive:
            raise refuse(f"recursive queries are not allowed: {cte.alias} reads itself", cte.alias)
        if not isinstance(cte.this, exp.SetOperation):
            raise refuse(f"the recursive query {cte.alias} needs a first part that does not read itself", cte.alias)
        return renamed(self.query(cte.this.left.copy(), ctes, outer), cte.args["alias"])

    def means(self, table: exp.Table, key: str) -> bool:
        return isinstance(table.this, exp.Identifier) and not table.db and folded(table.this, self.dialect) == key

    def set_operation(self, query: exp.SetOperation, ctes: _CTES, outer: Scope | None) -> Shape:
        """Resolve both sides; ORDER BY sees the names of the left one."""
        left = self.query(query.this, ctes, outer)
        self.query(query.expression, ctes, outer)
        scope = Scope(outer=None, aliases={column.name.lower(): column for column in left.columns})
        order = query.args.get("order")
        if order is not None:
            self.expressions([order], "order", scope, ctes)
        return Shape(left.columns)

    def select(self, select: exp.Select, ctes: _CTES, outer: Scope | None) -> Shape:
        scope = Scope(outer=outer)
        from_ = select.args.get("from_")
        if from_ is not None:
            self.add_source(from_.this, scope, ctes)
        for join in select.args.get("joins") or ():
            self.join(join, scope, ctes)
        for join in select.args.get("joins") or ():
            if join.args.get("on") is not None:
                self.expressions([join.args["on"]], "from", scope, ctes)
        outputs = self.projections(select, scope, ctes)
        for arg, clause in _CLAUSES:
            value = select.args.get(arg)
            if value is not None:
                self.expressions(value if isinstance(value, list) else [value], clause, scope, ctes)
        return Shape(outputs, is_single_row(select))

    def add_source(self, item: exp.Expr, scope: Scope, ctes: _CTES) -> Source:
        if isinstance(item, exp.Table):
            source = self.table_source(item, ctes)
        elif isinstance(item, exp.Subquery):
            source = self.derived_source(item, scope, ctes)
        else:
            raise refuse(f"only tables and subqueries may stand in FROM, not {item.key.upper()}", item.key)
        key = source.alias.this.lower()
        if key in scope.sources:
            raise refuse(f"the name {source.alias.this} stands twice in FROM; give each its own alias", source.alias.this)
        scope.sources[key] = source
        return source

    def table_source(self, table: exp.Table, ctes: _CTES) -> Source:
        self.judged[id(table)] = table
        alias = table.args.get("alias")
        if isinstance(table.this, exp.Identifier) and not table.db:
            found = ctes.get(folded(table.this, self.dialect))
            if found is not None:
                require_plain(table)
                name, shape = found
                table.this.replace(name.copy())
                return derived(alias.this if alias and alias.this else name, renamed(shape, alias))
        known = catalogued(table, self.statement.catalogue, self.statement.policy, [name.this for name, _ in ctes.values()])
        restricted = restricted_columns(known, self.statement.policy)
        if alias is not None and alias.args.get("columns"):
            raise refuse(f"the columns of {known.name} may not be renamed in FROM", known.name)
        return Source(
            alias=alias.this if alias else table.this,
            columns={c.name.lower(): OutputColumn(c.name) for c in known.columns if c.name.lower() not in restricted},
            restricted=restricted,
            table=known.name,
        )

    def derived_source(self, item: exp.Subquery, scope: Scope, ctes: _CTES) -> Source:
        shape = self.query(item, ctes, scope.outer)
        alias = item.args.get("alias")
        name = alias.this if alias is not None else exp.Identifier(this=f"subquery {len(scope.sources) + 1}")
        return derived(name, renamed(shape, alias))

    def join(self, join: exp.Join, scope: Scope, ctes: _CTES) -> None:
        before = dict(scope.sources)
        added = self.add_source(join.this, scope, ctes)
        shared = [identifier.this for identifier in join.args.get("using") or ()]
        if join.args.get("method") == "NATURAL":
            shared = [name for name in (*added.columns, *added.restricted) if any(knows(s, name) for s in before.values())]
        for name in shared:
            key = name.lower()
            for source in (added, *before.values()):
                if key in source.restricted:
                    raise restricted(name, source)
            if key not in added.columns or not any(key in source.columns for source in before.values()):
                raise unknown("column", name, added.columns, "is not on both sides of the join")
            scope.merged.add(key)

    def projections(self, select: exp.Select, scope: Scope, ctes: _CTES) -> tuple[OutputColumn, ...]:
        outputs = expand_projections(select, scope, self.judged)
        for projection in select.expressions:
            self.expressions([projection], "select", scope, ctes)
            if isinstance(projection, exp.Alias):
                scope.aliases.setdefault(projection.alias.lower(), OutputColumn(projection.alias))
        for column in outputs:
            scope.aliases.setdefault(column.name.lower(), column)
        distinct = select.args.get("distinct")
        if distinct is not None:
            self.expressions([distinct], "order", scope, ctes)
        return outputs

    def expressions(self, roots: list[exp.Expr], clause: Clause, scope: Scope, ctes: _CTES) -> None:
        for node in list(local_nodes(*roots)):
            if isinstance(node, exp.Query):
                self.query(node, ctes, scope)
            elif isinstance(node, exp.Column) and id(node) not in self.judged:
                self.judged[id(node)] = node
                self.column(node, clause, scope)

    def column(self, column: exp.Column, clause: Clause, scope: Scope) -> None:
        if not isinstance(column.this, exp.Identifier):
            raise refuse("* may only stand alone in the list of columns, or in COUNT(*)", "*")
        if column.args.get("catalog") or column.args.get("join_mark"):
            raise refuse(f"{column.sql()} has too many parts: write table.column", column.sql())
        found = self.qualified(column, scope) if column.table else self.unqualified(column, clause, scope)
        if found is None:
            return
        if self.dialect == "postgres" and folded(column.this, "postgres") != found.name:
            column.set("this", exp.Identifier(this=found.name, quoted=True))

    def qualified(self, column: exp.Column, scope: Scope) -> OutputColumn:
        key = column.table.lower()
        source = next((s.sources[key] for s in scope.chain() if key in s.sources), None)
        if source is None:
            known = [s.alias.this for level in scope.chain() for s in level.sources.values()]
            raise unknown("table or alias", column.table, known, "is not in FROM")
        column.set("table", source.alias.copy())
        column.set("db", None)
        name = column.name.lower()
        if name in source.restricted:
            raise restricted(column.name, source)
        if name not in source.columns:
            owner = source.table or source.alias.this
            names = [c.name for c in source.columns.values()]
            raise unknown("column", column.name, names, f"does not exist in {owner}")
        return source.columns[name]

    def unqualified(self, column: exp.Column, clause: Clause, scope: Scope) -> OutputColumn | None:
        name = column.name.lower()
        for level in scope.chain():
            may_be_alias = level is not scope or clause in ALIAS_CLAUSES[self.dialect]
            if clause == "order" and level is scope and name in level.aliases and isinstance(column.parent, exp.Ordered):
                return level.aliases[name]
            holders = [source for source in level.sources.values() if knows(source, name)]
            for source in holders:
                if name in source.restricted:
                    raise restricted(column.name, source)
            if holders:
                several = len(holders) > 1 and name not in level.merged
                if several and not (may_be_alias and name in level.aliases and clause != "select"):
                    owners = " and ".join(source.alias.this for source in holders)
                    raise refuse(f"column {column.name} is ambiguous: it is in {owners}", column.name)
                return holders[0].columns[name]
            if may_be_alias and name in level.aliases:
                return level.aliases[name]
        return self.unresolved(column, scope)

    def unresolved(self, column: exp.Column, scope: Scope) -> None:
        """Refuse an unknown name, save a double-quoted SQLite word that is compared: SQLite reads it as a string."""
        sources = [source for level in scope.chain() for source in level.sources.values()]
        compared = isinstance(column.parent, (exp.Predicate, exp.In, exp.Case, exp.If, exp.Coalesce))
        if self.dialect == "sqlite" and column.this.args.get("quoted") and compared:
            column.replace(exp.Literal.string(column.name))
            return
        if any(source.alias.this.lower() == column.name.lower() for source in sources):
            raise refuse(f"{column.name} is a table: name one of its columns", column.name)
        names = [c.name for source in sources for c in source.columns.values()]
        raise unknown("column", column.name, [*names, *(c.name for c in scope.aliases.values())])


def knows(source: Source, name: str) -> bool:
    """Whether a source has a column, readable or not."""
    return name in source.columns or name in source.restricted


def restricted(name: str, source: Source) -> Exception:
    """The refusal of a column that exists but may not be read."""
    return refuse(f"column {name} of {source.table} is restricted", name)


def derived(alias: exp.Identifier, shape: Shape) -> Source:
    """The source that a subquery or a common table expression makes."""
    columns: dict[str, OutputColumn] = {}
    repeated = set()
    for column in shape.columns:
        key = column.name.lower()
        if key in columns:
            repeated.add(key)
        columns.setdefault(key, column)
    return Source(alias=alias, columns=columns, repeated=frozenset(repeated), single_row=shape.single_row)


def renamed(shape: Shape, alias: exp.TableAlias | None) -> Shape:
    """Apply `AS name(a, b)` to what a query gives."""
    names = alias.args.get("columns") if alias is not None else None
    if not names:
        return shape
    columns = list(shape.columns)
    for position, identifier in enumerate(names):
        if position < len(columns):
            columns[position] = OutputColumn(identifier.this, columns[position].constant)
        else:
            columns.append(OutputColumn(identifier.this))
    return Shape(tuple(columns), shape.single_row)


def is_single_row(select: exp.Select) -> bool:
    """Whether a SELECT can give one row at most."""
    limit = select.args.get("limit")
    if limit is not None and isinstance(limit.expression, exp.Literal) and limit.expression.this == "1":
        return True
    if select.args.get("group") is not None:
        return False
    if select.args.get("from_") is None:
        return True
    return any(
        isinstance(node, exp.AggFunc) and node.find_ancestor(exp.Window, exp.Select) is select
        for node in local_nodes(*select.expressions)
    )
