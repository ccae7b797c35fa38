"""What stands in FROM: tables, subqueries, lists of constants and series, and how joins tie them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from ai_engine.guard.constant_rows import values_shape
from ai_engine.guard.functions import WITH_EXPLODE
from ai_engine.guard.merging import Side, joined_sides, shared_names
from ai_engine.guard.pivots import pivoted
from ai_engine.guard.reading import FromItem, MergingJoin, Reading
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import (
    Clause,
    Cte,
    Ctes,
    OutputColumn,
    Scope,
    Shape,
    Source,
    folded,
    same,
    size_of,
)
from ai_engine.guard.series import listed_rows, sequence_of
from ai_engine.guard.shapes import derived, renamed
from ai_engine.guard.sources import name_in_from, stored_source, with_twins
from ai_engine.guard.statement import Statement
from ai_engine.guard.tables import require_plain

_NAMING_LISTED = WITH_EXPLODE | {"duckdb"}
_WITH_SERIES_IN_FROM = _NAMING_LISTED | {"postgres"}


class Names(Protocol):
    """What resolves the queries and expressions inside a FROM."""

    judged: dict[int, exp.Expr]
    reading: Reading

    def query(self, query: exp.Expr, ctes: Ctes, outer: Scope | None) -> Shape:
        """Resolve a query of any kind and say what it gives."""

    def expressions(self, roots: list[exp.Expr], clause: Clause, scope: Scope, ctes: Ctes) -> int:
        """Resolve every name in expressions; return how large they are, every name written out."""

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
        self._reading = names.reading
        self._tables = 0

    def read(self, select: exp.Select, scope: Scope, ctes: Ctes) -> Joined:
        """Put every item of FROM into the scope."""
        joined = Joined()
        from_ = select.args.get("from_")
        if from_ is None:
            return joined
        side = self._item(from_.this, scope, ctes, joined)
        for join in select.args.get("joins") or ():
            if self._dialect != "sqlite" and _is_comma(join):  # elsewhere JOIN sees nothing from before a comma
                scope.starred += side.columns
                side = self._item(join.this, scope, ctes, joined)
            else:
                side = self._join(join, side, scope, ctes, joined)
        scope.starred += side.columns
        return joined

    def _item(self, item: exp.Expr, scope: Scope, ctes: Ctes, joined: Joined) -> Side:
        """Add one item, with the joins that stand in parentheses with it; return what is joined so far."""
        named = item.args.get("alias") is not None or bool(item.args.get("pivots"))
        if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Table) and named:
            raise refuse("joins in parentheses may not be given an alias or be pivoted", item.alias)
        if isinstance(item, exp.Subquery) and isinstance(item.this, (exp.Table, exp.Subquery)) and not named:
            side = self._item(item.this, scope, ctes, joined)
        else:
            key = self._source(item, scope, ctes, joined)
            source = scope.sources[key]
            side = Side((key,), {}, [((source, column),) for column in source.listed])
        for join in item.args.get("joins") or ():
            side = self._join(join, side, scope, ctes, joined)
        return side

    def _source(self, item: exp.Expr, scope: Scope, ctes: Ctes, joined: Joined) -> str:
        """Put one source into the scope and return its key."""
        tied_to: frozenset[str] = frozenset()
        cte: Cte | None = None
        if isinstance(item, exp.Table):
            cte = self._cte_of(item, ctes)
            source = self._table(item, ctes) if cte is None else self._cte(item, cte)
            scope.size += cte.shape.size if cte is not None else 1
        elif isinstance(item, exp.Subquery):
            shape = self._names.query(item, ctes, scope if self._dialect == "duckdb" else scope.outer)
            source, tied_to = self._derived(item, shape, scope), shape.tied_to & scope.sources.keys()
            scope.size += shape.size
        elif isinstance(item, exp.Lateral):
            shape = self._lateral(item, scope, ctes)
            source, tied_to = self._derived(item, shape, scope), shape.tied_to
            scope.size += shape.size
        elif isinstance(item, exp.Values):
            source = self._derived(item, self._values(item, ctes), scope)
        elif isinstance(item, exp.Unnest):
            source = self._listed(item)
        else:
            raise refuse(f"only tables and subqueries may stand in FROM, not {item.key.upper()}", item.key)
        source = with_twins(source, self._dialect)
        left = self._pivoted(item, source, ctes) if item.args.get("pivots") else None
        self._reading.items.append(FromItem(item, source, cte.fresh if cte is not None else "", left))
        source = left or source
        shown = source.alias.this
        key = _key(source)
        if key in scope.sources:
            raise refuse(f"the name {shown} stands twice in FROM; give each its own alias", shown)
        scope.sources[key] = source
        joined.pairs += [(key, other) for other in tied_to]
        return key

    def _pivoted(self, item: exp.Expr, source: Source, ctes: Ctes) -> Source:
        """Apply the PIVOT or UNPIVOT that follows an item."""
        around = Scope(sources={_key(source): source}, is_pivot=True)
        for pivot in item.args["pivots"]:
            self._names.judged[id(pivot)] = pivot
        left = pivoted(item, source, lambda parts: self._names.expressions(parts, "select", around, ctes))
        return replace(left, fresh=self._reading.fresh())

    def _derived(self, item: exp.Expr, shape: Shape, scope: Scope) -> Source:
        """Name what a subquery or a list of rows gives."""
        alias = item.args.get("alias")
        name = alias.this if alias is not None and alias.this is not None else None
        name = name or exp.Identifier(this=f"{item.key} {len(scope.sources) + 1}")
        names_of_its_own = isinstance(item, exp.Values) and self._dialect == "sqlite"
        names = None if names_of_its_own else self._reading.column_names
        return derived(name, renamed(shape, alias), self._reading.fresh(), self._dialect, names)

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
        size = self._names.expressions(list(values.expressions), "from", Scope(outer=around), ctes)
        shape = values_shape(values, self._dialect, self._policy.max_series_rows, self._names.chars)
        return replace(shape, columns=tuple(replace(column, size=size) for column in shape.columns), size=size)

    def _cte_of(self, table: exp.Table, ctes: Ctes) -> Cte | None:
        """The common table expression that a reference means."""
        if not isinstance(table.this, exp.Identifier) or table.db:
            return None
        return ctes.get(folded(table.this, self._dialect))

    def _count(self, table: exp.Table) -> None:
        self._names.judged[id(table)] = table
        self._tables += 1
        if self._tables > self._policy.max_tables:
            raise refuse(f"more than {self._policy.max_tables} tables are read", table.name)

    def _cte(self, table: exp.Table, cte: Cte) -> Source:
        """Name what a common table expression gives, and spell the reference to it as it was defined."""
        self._count(table)
        require_plain(table)
        if table.this != cte.name:
            table.set("this", same(cte.name))
        shape = renamed(cte.shape, table.args.get("alias"))
        return derived(name_in_from(table), shape, self._reading.fresh(), self._dialect, self._reading.column_names)

    def _table(self, table: exp.Table, ctes: Ctes) -> Source:
        """Find what a table reference means: a series or a catalogued table."""
        self._count(table)
        if isinstance(table.this, exp.Func) and self._dialect in _WITH_SERIES_IN_FROM:
            return self._listed(table)
        plain = isinstance(table.this, exp.Identifier) and not table.db
        if plain and self._dialect == "mysql" and self._catalogue.table(table.name) is None:
            sequence = sequence_of(table, self._policy.max_series_rows)
            if sequence is not None:
                shape = Shape((OutputColumn("seq"),), sequence.rows, condensed=True)
                self._reading.sequences[id(table)] = sequence
                name, fresh = name_in_from(table), self._reading.fresh()
                return derived(name, shape, fresh, self._dialect, self._reading.column_names)
        names = [cte.name.this for cte in ctes.values()]
        return stored_source(table, self._catalogue, self._policy, names, self._reading.fresh())

    def _listed(self, item: exp.Expr) -> Source:
        """Name a series or an unnested list of constants."""
        engines_name, rows, chars = listed_rows(item, self._policy.max_series_rows)
        alias = item.args.get("alias")
        name = alias.this if alias is not None and alias.this is not None else exp.Identifier(this=engines_name)
        column = OutputColumn(engines_name if self._dialect in _NAMING_LISTED else name.this, chars=chars)
        shape = renamed(Shape((column,), rows, condensed=True), alias)
        return derived(name, shape, self._reading.fresh(), self._dialect, self._reading.column_names)

    def _join(self, join: exp.Join, before: Side, scope: Scope, ctes: Ctes, joined: Joined) -> Side:
        """Join one more item to what stands `before` it, and note what USING, NATURAL or ASOF tie."""
        added = self._item(join.this, scope, ctes, joined)
        shared = [identifier.name for identifier in join.args.get("using") or ()]
        if join.args.get("method") == "NATURAL":
            around = join.find_ancestor(exp.Select) or join
            if any(one.args.get("pivots") for one in around.find_all(exp.Subquery, exp.Table)):
                raise refuse("a PIVOT is joined by ON or USING: NATURAL sees other columns", "NATURAL")
            shared = shared_names(before, added, scope)
            if not shared and self._dialect == "duckdb":  # which has no product for it
                raise refuse("NATURAL JOIN needs a column that both sides have", "NATURAL")
        side, pairs = joined_sides(join, shared, before, added, scope, self._catalogue)
        if shared or join.args.get("method") == "NATURAL":
            self._reading.joins.append(MergingJoin(join, pairs))
        scope.size += sum(size_of(old) + size_of(new) for old, new in pairs)
        for old, new in pairs:
            joined.pairs += [(_key(one), _key(other)) for one, column in new for other, _ in old if not column.constant]
        if join.args.get("method") == "ASOF":
            joined.pairs.append((added.keys[0], before.keys[0]))
        if join.args.get("on") is not None:
            joined.conditions.append(join.args["on"])
        if join.args.get("kind") in {"SEMI", "ANTI"}:
            joined.filtering += added.keys
        return side


def _key(source: Source) -> str:
    return str(source.alias.this.lower())


def _is_comma(join: exp.Join) -> bool:
    """Whether an item of FROM comes after a comma, or after a JOIN that says nothing and is written as one."""
    return not any(value for arg, value in join.args.items() if arg != "this")
