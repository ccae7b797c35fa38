"""On SQLite and MySQL, what stands beside groups has one value in each of them.

Everywhere else a column that is neither grouped nor aggregated is refused; SQLite gives that of any row of the group,
by the plan of the day, and so does MariaDB, in its strict mode too, where the column is that of a subquery, a common
table expression or a view, or stands in ORDER BY or a window. Beside one MIN or MAX SQLite gives that of the row which
has it, as it says: that is a ranking, and which of several rows at its top is shown is as open as there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeAlias, TypeGuard

from sqlglot import exp

from ai_engine.catalogue import Catalogue, Dialect, Table
from ai_engine.guard.reading import MergingJoin, Reading
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import OutputColumn, Reference, Scope, Source, Value, local_nodes

_Found: TypeAlias = Mapping[int, Reference]
_Read: TypeAlias = tuple[str, str]
"""A column of one source: the source's name in the statement that runs, the column's in small letters."""
_Link: TypeAlias = tuple[frozenset[_Read], _Read]
"""Where the former have one value, so has the latter."""
_AGGREGATES_BY_NAME = frozenset({"total"})
_OF_ONE_ROW = (exp.Min, exp.Max)
_BEFORE_OVER = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


def require_one_value(select: exp.Select, scope: Scope, reading: Reading, found: _Found, catalogue: Catalogue) -> None:
    """Refuse a column beside groups, or beside an aggregate over all rows, that may differ within one of them.

    One has a single value where it is grouped by, compared with a constant, or of a table whose key is grouped by.
    MariaDB, which knows nothing of that, is told to group by it too, or where there are no groups to take its MIN.
    """
    group = select.args.get("group")
    values = [*select.expressions, *(select.args[arg] for arg in ("having", "order") if select.args.get(arg))]
    values += select.args.get("windows") or ()
    aggregates = [node for node in local_nodes(*values) if _is_over_groups(node)]
    if select.args.get("distinct") is not None and select.args.get("order") is not None:
        listed = _Grouped(select.expressions, select, scope, reading, found, catalogue)
        for column in listed.loose([select.args["order"]]):
            raise refuse(f"{column} may differ in rows that DISTINCT makes one: order by what is listed", column)
    if group is None and not aggregates:
        return
    grouped = _Grouped(group.expressions if group is not None else (), select, scope, reading, found, catalogue)
    of_one_row = [node for node in aggregates if isinstance(node, _OF_ONE_ROW) and catalogue.dialect == "sqlite"]
    are_whole = not any(isinstance(node.parent, exp.Filter) for node in of_one_row)
    if are_whole and len(set(map(grouped.key, of_one_row))) == 1:
        return
    for column in grouped.loose(values):
        beside = "groups" if group is not None else "an aggregate"
        raise refuse(
            f"{column} stands beside {beside} and may be another one in each row: group by it, or write MAX({column})",
            column,
        )
    if catalogue.dialect != "mysql":
        return
    tied = grouped.tied(values)
    if group is not None and any(group.args.get(totals) for totals in ("rollup", "cube", "grouping_sets")):
        _require_rollup_of_shown(select, group, found)
        for name in (column.name for _, column in tied):
            raise refuse(f"{name} stands beside groups with totals: group by it, or write MAX({name})", name)
    for name in grouped.inside(values) if group is None else ():
        raise refuse(f"{name} is read by a query beside an aggregate: group by it", name)
    reading.tied[id(select)] = tied
    scope.size += sum(column.size for _, column in tied)


def _require_rollup_of_shown(select: exp.Select, group: exp.Group, found: _Found) -> None:
    """MariaDB's WITH ROLLUP keeps a grouped column in the row of totals where another column is called like it."""
    grouped = {item.name.lower() for item in group.expressions if id(item) in found and found[id(item)].item is None}
    for item in select.expressions:
        if isinstance(item, exp.Alias) and item.alias.lower() in grouped and item.this.name.lower() not in grouped:
            raise refuse(
                f"WITH ROLLUP {item.alias} may only be the column that is grouped by: call it otherwise", item.alias
            )


def _is_over_groups(node: exp.Expr) -> bool:
    """Whether a value is computed over the rows of a group; one with a window is over groups, row by row."""
    whole = node
    while isinstance(whole.parent, _BEFORE_OVER) and whole.arg_key == "this":
        whole = whole.parent
    if isinstance(whole.parent, exp.Window) and whole.arg_key == "this":
        return False
    called = node.this if isinstance(node, exp.Filter) else node
    by_name = isinstance(called, exp.Anonymous) and called.name.lower() in _AGGREGATES_BY_NAME
    return by_name or (isinstance(called, exp.AggFunc) and not isinstance(called, exp.Anonymous))


class _Grouped:
    """What has one value in each group of one SELECT, which some items make."""

    def __init__(
        self,
        items: Iterable[exp.Expr],
        select: exp.Select,
        scope: Scope,
        reading: Reading,
        found: _Found,
        catalogue: Catalogue,
    ) -> None:
        self._select = select
        self._scope = scope
        self._reading = reading
        self._found = found
        self._around = list(scope.chain())
        self._dialect = catalogue.dialect
        self._ids: dict[Hashable, int] = {}
        self._known: dict[int, int] = {}
        joins = select.args.get("joins") or ()
        sides = {join.args.get("side") or "" for join in joins}
        added = {join.alias_or_name.lower() for join in joins if join.args.get("side")}
        self._tables = {
            source.fresh: next((t for t in catalogue.tables_called(source.table) if _is_of(t.schema, source)), None)
            for source in scope.sources.values()
        }
        self._in_every_row = {
            source.fresh for key, source in scope.sources.items() if key not in added and sides <= {"", "LEFT"}
        }
        meant = [self._meant(item, select) for item in items]
        self._keys = {self.key(item) for item in meant}
        columns = [found[id(item)].value for item in meant if isinstance(item, exp.Column) and id(item) in found]
        columns += [value for item in meant for value in reading.stars.get(id(item), ())]
        read = {_read(value[0]) for value in columns if len(value) == 1}
        self._single = _closure(read, [*self._links_of_keys(), *self._links(select)])

    def loose(self, values: Iterable[exp.Expr]) -> Iterator[str]:
        """The names of columns that may differ within a group."""
        for _, value in self._columns(values):
            yield from self._loose_in(value)

    def inside(self, values: Iterable[exp.Expr]) -> Iterator[str]:
        """The names of columns that a query inside reads, whose MIN would not be one of that query."""
        for node, value in self._columns(values):
            if node.find_ancestor(exp.Query) not in (None, self._select):
                yield value[0][1].name

    def _columns(self, values: Iterable[exp.Expr]) -> Iterator[tuple[exp.Expr, Value]]:
        """What is read beside groups, neither grouped by nor aggregated."""
        stack = list(values)
        while stack:
            node = stack.pop()
            reference = self._found.get(id(node))
            if self.key(node) in self._keys or _is_over_groups(node):
                continue
            if id(node) in self._reading.stars:
                yield from ((node, value) for value in self._reading.stars[id(node)])
            elif reference is not None:  # an alias names what stands in the list of columns
                if reference.scope is self._scope:
                    yield node, reference.value
            elif not isinstance(node, exp.Column):
                stack.extend(node.iter_expressions())

    def tied(self, values: Iterable[exp.Expr]) -> list[tuple[Source, OutputColumn]]:
        """The columns that have one value in each group and are not grouped by, of which MariaDB takes none beside."""
        return list({_read(one): one for _, value in self._columns(values) for one in value}.values())

    def _loose_in(self, value: Value) -> list[str]:
        is_single = all(self._is_the_same(*one) or _read(one) in self._single for one in value)
        return [] if is_single else [column.name for _, column in value]

    def _is_the_same(self, source: Source, column: OutputColumn) -> bool:
        """Whether a column has one value in all rows: no join adds rows without it."""
        return source.fresh in self._in_every_row and (source.most_rows == 1 or column.constant)

    def _meant(self, item: exp.Expr, select: exp.Select) -> exp.Expr:
        """What an item of GROUP BY means: a place in the list of columns, an alias, or itself."""
        item = item.unnest()
        if isinstance(item, exp.Literal) and not item.is_string and item.this.isdecimal():
            place = int(item.this[:9])
            listed = select.expressions
            return listed[place - 1].unalias().unnest() if 0 < place <= len(listed) and not select.is_star else item
        reference = self._found.get(id(item))
        return (reference.item if reference is not None and reference.item is not None else item).unalias().unnest()

    def key(self, node: exp.Expr) -> int:
        """A number that is the same for expressions that compute the same, whatever their subqueries call things."""
        known = self._known.get(id(node))
        if known is None:
            described = self._described(node.unalias().unnest())
            known = self._known[id(node)] = self._ids.setdefault(described, len(self._ids))
        return known

    def _described(self, node: exp.Expr) -> Hashable:
        reference = self._found.get(id(node))
        if reference is None:
            return type(node), tuple(
                (arg, tuple(map(self._part, value)) if isinstance(value, list) else self._part(value))
                for arg, value in sorted(node.args.items())
                if value and not isinstance(value, exp.TableAlias)
            )
        if reference.item is not None:
            return self.key(reference.item)
        if reference.scope in self._around:
            return tuple(map(_read, reference.value))
        return tuple((source.table, column.name) for source, column in reference.value)

    def _part(self, value: object) -> Hashable:
        return self.key(value) if isinstance(value, exp.Expr) else str(value)

    def _links_of_keys(self) -> Iterator[_Link]:
        for source in self._scope.sources.values():
            key = frozenset((source.fresh, name.lower()) for name in _key_of(self._tables[source.fresh], self._dialect))
            for name in source.columns if key else ():
                yield key, (source.fresh, name)

    def _links(self, select: exp.Select) -> Iterator[_Link]:
        """What equalities tie: everywhere for an inner join, for a LEFT JOIN by one alone what it adds to a row."""
        where = select.args.get("where")
        for test in _conjuncts(where.this) if where is not None else ():
            yield from self._equal(test)
            yield from self._constant(test)
        for join in select.args.get("joins") or ():
            side = join.args.get("side") or ""
            tests = list(_conjuncts(join.args["on"])) if join.args.get("on") is not None else []
            if side == "" or (side == "LEFT" and len(tests) == 1):
                for test in tests:
                    yield from self._equal(test, added=join.alias_or_name.lower() if side else "")
        for merging in self._reading.joins:
            if isinstance(merging, MergingJoin) and merging.node.parent is select:
                yield from _merged(merging)

    def _equal(self, test: exp.Expr, added: str = "") -> Iterator[_Link]:
        """Both directions of an equality; of a LEFT JOIN the one to the source that it adds."""
        for one, other in _sides(test):
            reference, against = self._found.get(id(one)), self._found.get(id(other))
            if self._is_column(reference) and self._is_column(against) and added in ("", reference.source):
                yield frozenset({_read(against.value[0])}), _read(reference.value[0])

    def _constant(self, test: exp.Expr) -> Iterator[_Link]:
        for one, other in _sides(test):
            reference = self._found.get(id(one))
            if self._is_column(reference) and isinstance(other, exp.Literal) and self._says_which(other, reference):
                yield frozenset(), _read(reference.value[0])

    def _says_which(self, literal: exp.Literal, reference: Reference) -> bool:
        """Whether one value alone is equal to a literal: many texts of MySQL are equal to a number."""
        source, read = reference.value[0]
        table = self._tables[source.fresh]
        column = table.column(read.name) if table is not None else None
        return literal.is_string or self._dialect != "mysql" or column is None or column.type != "text"

    def _is_column(self, reference: Reference | None) -> TypeGuard[Reference]:
        return reference is not None and reference.scope is self._scope and len(reference.value) == 1


def _sides(test: exp.Expr) -> list[tuple[exp.Expr, exp.Expr]]:
    return [(test.left, test.right), (test.right, test.left)] if isinstance(test, exp.EQ) else []


def _merged(join: MergingJoin) -> Iterator[_Link]:
    side = join.node.args.get("side") or ""
    if side == "" or (side == "LEFT" and len(join.pairs) == 1):
        for left, right in join.pairs:
            yield frozenset(map(_read, left)), _read(right[0])
            if side == "" and len(left) == 1:
                yield frozenset(map(_read, right)), _read(left[0])


def _closure(read: set[_Read], links: list[_Link]) -> set[_Read]:
    """Follow links until nothing is added."""
    single, before = set(read), -1
    while len(single) > before:
        before = len(single)
        single |= {to for known, to in links if known <= single}
    return single


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    stack = [condition]
    while stack:
        node = stack.pop().unnest()
        if isinstance(node, exp.And):
            stack += [node.left, node.right]
        else:
            yield node


def _read(one: tuple[Source, OutputColumn]) -> _Read:
    return one[0].fresh, one[1].name.lower()


def _key_of(table: Table | None, dialect: Dialect) -> tuple[str, ...]:
    """The columns that tell each row from all others: a key of SQLite may be NULL in any number of rows."""
    if table is None:
        return ()
    columns = map(table.column, table.primary_key)
    may_lack = dialect == "sqlite" and any(column is None or column.nullable for column in columns)
    return () if may_lack else table.primary_key


def _is_of(schema: str | None, source: Source, default: str = "main") -> bool:
    return (schema or default).lower() == (source.schema or default)
