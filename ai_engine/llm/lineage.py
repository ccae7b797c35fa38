"""What the columns of a statement stand for, followed through the statement as the guard reads it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard import names_written_out
from ai_engine.llm.read_sources import branches
from ai_engine.semantics.model import Dataset

_LISTED = (exp.Values, exp.Unnest)
_SOURCES = (exp.Table, exp.Subquery, exp.Lateral, *_LISTED)
_TYPE = exp.DataType.Type
_WHOLE_TYPES = frozenset({_TYPE.TEXT, _TYPE.VARCHAR, _TYPE.INT, _TYPE.BIGINT})


@dataclass(frozen=True, slots=True)
class Stored:
    """A column of a table, both in small letters."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class Computed:
    """What queries inside give in its place, one item of a list of columns each; none for what the statement lists."""

    items: tuple[tuple[exp.Select, int], ...] = ()


class Lineage:
    """The statement with every name written out, in which each source has an alias of its own.

    Raises:
        SqlRejected: the guard does not read the statement.
    """

    def __init__(self, sql: str, catalogue: Catalogue) -> None:
        tree = names_written_out(sql, catalogue)
        self.lists = tuple(branches(tree))
        self._sources = {item.alias: item for item in tree.find_all(*_SOURCES) if item.alias}
        self._ctes: dict[str, exp.Expr] = {cte.alias: cte.this for cte in tree.find_all(exp.CTE)}
        self._beside: defaultdict[int, set[str]] = defaultdict(set)
        for alias, item in self._sources.items():
            self._beside[id(item.find_ancestor(exp.Select))].add(alias)
        self._ties = self._find_ties(tree)
        self.sorted_by = tuple(_sorted_by(tree))

    def of(self, column: exp.Column) -> Stored | Computed | None:
        """Say what a column is; None where it cannot be followed: a PIVOT, a query that reads what stands beside it."""
        source = self._sources.get(column.table)
        if source is None or source.args.get("pivots"):
            return None
        if isinstance(source, _LISTED):
            return Computed()
        if isinstance(source, exp.Table):
            if not isinstance(source.this, exp.Identifier):
                return Computed()
            if source.name not in self._ctes:
                return Stored(source.name.lower(), column.name.lower())
        if isinstance(source, exp.Lateral) and reads_outside(source):
            return None
        selects = list(branches(self._query(source)))
        names = [item.alias_or_name for item in selects[0].selects] if selects else []
        if column.name not in names:
            return None
        return Computed(tuple((select, names.index(column.name)) for select in selects))

    def is_stored(self, value: exp.Expr) -> bool:
        """Tell whether a value is a column of a table as it is, through however many queries."""
        return bool(self._stored(value))

    def only_sorts(self, value: exp.Expr) -> bool:
        """Tell whether a value is a stored column with all its letters, or several in a row: it only sorts rows."""
        bare = _whole(value)
        if isinstance(bare, (exp.Concat, exp.DPipe)):
            parts = [part for part in bare.iter_expressions() if not isinstance(part, exp.Literal)]
            return bool(parts) and all(self.only_sorts(part) for part in parts)
        return len(self._stored(bare)) == 1

    def _stored(self, value: exp.Expr) -> set[Stored]:
        """Return the columns of tables that a value is, as they are; none where it is anything else."""
        stored, seen, left = set[Stored](), set[tuple[str, str]](), [value]
        while left:
            one = left.pop().unnest()
            found = self.of(one) if isinstance(one, exp.Column) else None
            if not isinstance(one, exp.Column) or found is None or found == Computed():
                return set()
            if isinstance(found, Stored):
                stored.add(found)
            elif (one.table, one.name) not in seen:
                seen.add((one.table, one.name))
                left += [select.selects[place].unalias() for select, place in found.items]
        return stored

    def is_plain_tie(self, condition: exp.Expr) -> bool:
        """Tell whether a condition only holds whole stored values equal, as joins by a key do."""
        if isinstance(condition, exp.In) and "query" in condition.args:
            listed = [item.unalias() for select in branches(condition.args["query"]) for item in select.selects]
            return all(self.is_stored(_whole(one)) for one in (condition.this, *listed))
        return isinstance(condition, (exp.EQ, exp.NullSafeEQ)) and all(
            self.is_stored(_whole(one)) for one in (condition.this, condition.expression)
        )

    def ties(self, source: str) -> list[tuple[exp.Expr, bool]]:
        """Return the conditions, but plain ties, that put rows of a source beside others; true: else it has none."""
        return self._ties[source]

    def joined_query(self, source: str) -> exp.Expr | None:
        """Return the query that a source is, where others stand beside it."""
        item = self._sources.get(source)
        if item is None or len(self._beside[id(item.find_ancestor(exp.Select))]) == 1:
            return None
        return self._query(item)

    def conditions(self, query: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Select]]:
        """Yield the conditions that choose a query's rows, those of the queries it reads too, with their SELECT."""
        seen, left = set[int](), [query]
        while left:
            one = left.pop()
            if id(one) not in seen:
                seen.add(id(one))
                yield from ((part, select) for _, part, select in _conditions(one))
                left += [self._ctes[table.name] for table in one.find_all(exp.Table) if table.name in self._ctes]

    def _query(self, source: exp.Expr) -> exp.Expr:
        query = self._ctes.get(source.name) if isinstance(source, exp.Table) else None
        return query or (source.this if isinstance(source, exp.Lateral) else source)

    def _find_ties(self, tree: exp.Expr) -> defaultdict[str, list[tuple[exp.Expr, bool]]]:
        found: defaultdict[str, list[tuple[exp.Expr, bool]]] = defaultdict(list)
        for clause, part, select in _conditions(tree):
            beside = self._beside[id(select)]
            tied = {column.table for column in part.find_all(exp.Column)} & beside
            lacking = set[str]()
            if isinstance(clause, exp.Join) and clause.side:
                lacking = {clause.this.alias} if clause.side == "LEFT" else beside
            if (len(tied) > 1 or lacking) and not self.is_plain_tie(part):
                for source in tied | lacking:
                    found[source].append((part, source in lacking))
        return found


def _whole(value: exp.Expr) -> exp.Expr:
    """Return what is read with all its letters, under another type or spelling."""
    while (
        isinstance(value, (exp.Paren, exp.Upper, exp.Lower))
        or (isinstance(value, exp.Trim) and value.expression is None)
        or (isinstance(value, exp.Cast) and value.to.this in _WHOLE_TYPES and not value.to.expressions)
    ):
        value = value.this
    return value


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the parts of a condition that all must hold."""
    for part in condition.flatten() if isinstance(condition, exp.And) else (condition,):
        if isinstance(part.unnest(), exp.And):
            yield from conjuncts(part.unnest())
        else:
            yield part.unnest()


def grouped_by(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what a SELECT groups by, a place in the list of columns as what stands there."""
    group = select.args.get("group")
    stack = list(group.expressions) if group is not None else []
    while stack:
        by = stack.pop()
        if isinstance(by, (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)):
            stack += by.expressions
        else:
            yield _placed(by, select)


def _placed(by: exp.Expr, select: exp.Select) -> exp.Expr:
    if isinstance(by, exp.Literal) and by.is_int and 0 < int(by.this) <= len(select.selects):
        return select.selects[int(by.this) - 1].unalias()
    return by.unnest()


def _sorted_by(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Select, bool]]:
    """Yield what rows are sorted, made distinct or bounded by, with their SELECT; true: beside rows of no other."""
    for query in tree.find_all(exp.Query):
        order, distinct = query.args.get("order"), query.args.get("distinct")
        by = [part.this for part in order.expressions] if order is not None else []
        if isinstance(distinct, exp.Distinct) and isinstance(distinct.args.get("on"), exp.Tuple):
            by += distinct.args["on"].expressions
        bounds = [query.args[bound] for bound in ("limit", "offset") if query.args.get(bound) is not None]
        selects = list(branches(query))
        for select in selects:
            yield from ((_placed(one, select), select, len(selects) == 1) for one in by)
            yield from ((one, select, False) for bound in bounds for one in bound.iter_expressions())


def _conditions(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr, exp.Select]]:
    """Yield each part of a clause that chooses rows, with the clause and the SELECT that has it."""
    for clause in tree.find_all(exp.Join, exp.Where, exp.Having, exp.Qualify):
        condition = clause.args.get("on") if isinstance(clause, exp.Join) else clause.this
        select = clause.find_ancestor(exp.Select)
        if condition is not None and select is not None:
            yield from ((clause, part, select) for part in conjuncts(condition))


def reads_outside(query: exp.Expr) -> bool:
    """Tell whether a query reads columns of one around it."""
    inside = {item.alias for item in query.find_all(*_SOURCES)}
    return any(column.table not in inside for column in query.find_all(exp.Column))


def stored_as(dataset: Dataset, column: str) -> Stored:
    """Return a column of a dataset's table as statements have it."""
    return Stored(dataset.table_name.lower(), column.strip('"`').lower())
