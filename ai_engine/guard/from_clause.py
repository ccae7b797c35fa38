"""What stands in FROM: tables, subqueries, lists of constants and series, and how joins tie them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from ai_engine.guard.columns import knows, plain_column, restricted
from ai_engine.guard.constant_rows import values_shape
from ai_engine.guard.pivots import pivoted
from ai_engine.guard.refusal import refuse, unknown
from ai_engine.guard.scopes import Clause, Ctes, OutputColumn, Scope, Shape, Source, folded, same
from ai_engine.guard.series import listed_rows, sequence_rows
from ai_engine.guard.shapes import derived, renamed
from ai_engine.guard.statement import Statement
from ai_engine.guard.tables import catalogued, require_plain, restricted_columns, schema_of


class Names(Protocol):
    """What resolves the queries and expressions inside a FROM."""

    judged: dict[int, exp.Expr]

    def query(self, query: exp.Expr, ctes: Ctes, outer: Scope | None) -> Shape:
        """Resolve a query of any kind and say what it gives."""

    def expressions(self, roots: list[exp.Expr], clause: Clause, scope: Scope, ctes: Ctes) -> list[exp.Expr]:
        """Resolve every name in expressions; return the nodes looked at."""

    def chars(self, value: exp.Expr) -> int:
        """How wide a value is at most, estimated."""


@dataclass(slots=True)
class Joined:
    """What the joins of one SELECT say.

    Attributes:
        pairs: sources that they tie by themselves.
        conditions: what stands after ON.
        filtering: sources of SEMI and ANTI joins.
    """

    pairs: list[tuple[str, str]] = field(default_factory=list)
    conditions: list[exp.Expr] = field(default_factory=list)
    filtering: list[str] = field(default_factory=list)


class FromClause:
    """Reads the FROM of every SELECT of one statement."""

    def __init__(self, statement: Statement, names: Names) -> None:
        self._policy = statement.policy
        self._catalogue = statement.catalogue
        self._dialect = statement.dialect
        self._names = names
        self._tables = 0

    def read(self, select: exp.Select, scope: Scope, ctes: Ctes) -> Joined:
        """Put every item of FROM into the scope."""
        joined = Joined()
        from_ = select.args.get("from_")
        keys = self._item(from_.this, scope, ctes, joined) if from_ is not None else []
        for join in select.args.get("joins") or ():
            self._join(join, keys, scope, ctes, joined)
        return joined

    def _item(self, item: exp.Expr, scope: Scope, ctes: Ctes, joined: Joined) -> list[str]:
        """Add one item, with the joins that stand in parentheses with it; return the keys of its sources."""
        named = item.args.get("alias") is not None or bool(item.args.get("pivots"))
        if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Table) and named:
            raise refuse("joins in parentheses may not be given an alias or be pivoted", item.alias)
        if isinstance(item, exp.Subquery) and isinstance(item.this, (exp.Table, exp.Subquery)) and not named:
            keys = self._item(item.this, scope, ctes, joined)
        else:
            keys = [self._source(item, scope, ctes, joined)]
        for join in item.args.get("joins") or ():
            self._join(join, keys, scope, ctes, joined)
        return keys

    def _source(self, item: exp.Expr, scope: Scope, ctes: Ctes, joined: Joined) -> str:
        """Put one source into the scope and return its key."""
        tied_to: frozenset[str] = frozenset()
        if isinstance(item, exp.Table):
            source = self._table(item, ctes)
        elif isinstance(item, exp.Subquery):
            source = self._derived(item, self._names.query(item, ctes, scope.outer), scope)
        elif isinstance(item, exp.Lateral):
            shape = self._lateral(item, scope, ctes)
            source, tied_to = self._derived(item, shape, scope), shape.tied_to
        elif isinstance(item, exp.Values):
            source = self._derived(item, self._values(item, ctes), scope)
        elif isinstance(item, exp.Unnest):
            source = self._listed(item)
        else:
            raise refuse(f"only tables and subqueries may stand in FROM, not {item.key.upper()}", item.key)
        if item.args.get("pivots"):
            source = self._pivoted(item, source, ctes)
        shown = source.alias.this
        key = str(shown.lower())
        if key in scope.sources:
            raise refuse(f"the name {shown} stands twice in FROM; give each its own alias", shown)
        scope.sources[key] = source
        joined.pairs += [(key, other) for other in tied_to]
        return key

    def _pivoted(self, item: exp.Expr, source: Source, ctes: Ctes) -> Source:
        """Apply the PIVOT or UNPIVOT that follows an item."""
        around = Scope(sources={str(source.alias.this.lower()): source})
        for pivot in item.args["pivots"]:
            self._names.judged[id(pivot)] = pivot
        return pivoted(item, source, lambda parts: self._names.expressions(parts, "select", around, ctes))

    def _derived(self, item: exp.Expr, shape: Shape, scope: Scope) -> Source:
        """Name what a subquery or a list of rows gives."""
        alias = item.args.get("alias")
        name = alias.this if alias is not None and alias.this is not None else None
        return derived(name or exp.Identifier(this=f"{item.key} {len(scope.sources) + 1}"), renamed(shape, alias))

    def _lateral(self, item: exp.Lateral, scope: Scope, ctes: Ctes) -> Shape:
        """Resolve a subquery that sees the sources before it."""
        inside = item.this.this if isinstance(item.this, exp.Subquery) else None
        if isinstance(inside, exp.Values):
            return self._values(inside, ctes, scope)
        if not isinstance(inside, exp.Query):
            raise refuse("only a subquery may follow LATERAL", item.key)
        return self._names.query(item.this, ctes, scope)

    def _values(self, values: exp.Values, ctes: Ctes, around: Scope | None = None) -> Shape:
        """Say what a VALUES list gives; after LATERAL its values may come from the sources before it."""
        if around is None:
            return values_shape(values, self._dialect, self._policy.max_series_rows)
        self._names.expressions(list(values.expressions), "from", Scope(outer=around), ctes)
        return values_shape(values, self._dialect, self._policy.max_series_rows, self._names.chars)

    def _table(self, table: exp.Table, ctes: Ctes) -> Source:
        """Find what a table reference means: a series, a common table expression or a catalogued table."""
        self._names.judged[id(table)] = table
        self._tables += 1
        if self._tables > self._policy.max_tables:
            raise refuse(f"more than {self._policy.max_tables} tables are read", table.name)
        if isinstance(table.this, exp.Func) and self._dialect in {"duckdb", "postgres"}:
            return self._listed(table)
        plain = isinstance(table.this, exp.Identifier) and not table.db
        if plain and folded(table.this, self._dialect) in ctes:
            return _cte_source(table, *ctes[folded(table.this, self._dialect)])
        if plain and self._dialect == "mysql" and self._catalogue.table(table.name) is None:
            rows = sequence_rows(table, self._policy.max_series_rows)
            if rows is not None:
                return derived(_name(table), Shape((OutputColumn("seq"),), rows, condensed=True))
        return self._catalogued(table, [name.this for name, _ in ctes.values()])

    def _catalogued(self, table: exp.Table, ctes: list[str]) -> Source:
        """Find a table of the catalogue and its columns that may be read."""
        known = catalogued(table, self._catalogue, self._policy, ctes)
        if table.args.get("alias") is not None and table.args["alias"].args.get("columns"):
            raise refuse(f"the columns of {known.name} may not be renamed in FROM", known.name)
        hidden = restricted_columns(known, self._policy)
        columns = {c.name.lower(): plain_column(c.name) for c in known.columns}
        for column in hidden & columns.keys():
            del columns[column]
        return Source(_name(table), columns, hidden, table=known.name, schema=schema_of(known, self._dialect))

    def _listed(self, item: exp.Expr) -> Source:
        """Name a series or an unnested list of constants."""
        engines_name, rows, chars = listed_rows(item, self._policy.max_series_rows)
        alias = item.args.get("alias")
        name = alias.this if alias is not None and alias.this is not None else exp.Identifier(this=engines_name)
        column = OutputColumn(engines_name if self._dialect == "duckdb" else name.this, chars=chars)
        return derived(name, renamed(Shape((column,), rows, condensed=True), alias))

    def _join(self, join: exp.Join, before: list[str], scope: Scope, ctes: Ctes, joined: Joined) -> None:
        """Add the joined item to the sources `before` it, and note what USING, NATURAL or ASOF tie."""
        added = self._item(join.this, scope, ctes, joined)
        shared = [identifier.name for identifier in join.args.get("using") or ()]
        if join.args.get("method") == "NATURAL":
            names = [name for key in added for name in (*scope.sources[key].columns, *scope.sources[key].restricted)]
            shared = [name for name in names if any(knows(scope.sources[key], name) for key in before)]
        for name in shared:
            joined.pairs += _merge(name, added, before, scope)
        if join.args.get("method") == "ASOF":
            joined.pairs.append((added[0], before[0]))
        if join.args.get("on") is not None:
            joined.conditions.append(join.args["on"])
        if join.args.get("kind") in {"SEMI", "ANTI"}:
            joined.filtering += added
        else:
            before += added


def _name(table: exp.Table) -> exp.Identifier:
    """How the columns of a table are qualified."""
    alias = table.args.get("alias")
    name: exp.Identifier = alias.this if alias is not None else table.this
    return name


def _cte_source(table: exp.Table, name: exp.Identifier, shape: Shape) -> Source:
    """Name what a common table expression gives, and spell the reference to it as it was defined."""
    require_plain(table)
    if table.this != name:
        table.set("this", same(name))
    return derived(_name(table), renamed(shape, table.args.get("alias")))


def _merge(name: str, added: list[str], before: list[str], scope: Scope) -> list[tuple[str, str]]:
    """Make one column of those called `name` on both sides of a join; return the pairs of sources it ties."""
    key = name.lower()
    for source in (scope.sources[other] for other in (*added, *before)):
        if key in source.restricted:
            raise restricted(name, source)
    new = [one for one in added if key in scope.sources[one].columns]
    old = [other for other in before if key in scope.sources[other].columns]
    if not new or not old:
        columns = scope.sources[added[0]].columns
        raise unknown("column", name, columns, "is not on both sides of the join")
    scope.merged.add(key)
    return [(one, other) for one in new if not scope.sources[one].columns[key].constant for other in old]
