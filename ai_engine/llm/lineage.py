"""What the columns of a statement stand for, followed through the statement as the guard reads it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard import names_written_out
from ai_engine.llm.read_sources import branches
from ai_engine.llm.statement_parts import (
    LISTED,
    SOURCES,
    atoms,
    conditions_of,
    merged_by,
    reads_outside,
    sorted_by,
)
from ai_engine.semantics.model import Dataset

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


@dataclass(frozen=True, slots=True)
class Choice:
    """A part of a condition that chooses rows.

    Attributes:
        condition: all of it must hold.
        select: has it.
        asked_in: the WHERE or ON that has it, by which all rows of the statement go; None: it is anywhere else.
    """

    condition: exp.Expr
    select: exp.Select
    asked_in: int | None


class Lineage:
    """The statement with every name written out, in which each source has an alias of its own.

    Raises:
        SqlRejected: the guard does not read the statement.
    """

    def __init__(self, sql: str, catalogue: Catalogue) -> None:
        tree = names_written_out(sql, catalogue)
        self.lists = tuple(branches(tree))
        self._sources = {item.alias: item for item in tree.find_all(*SOURCES) if item.alias}
        self._ctes: dict[str, exp.Expr] = {cte.alias: cte.this for cte in tree.find_all(exp.CTE)}
        self._beside: defaultdict[int, set[str]] = defaultdict(set)
        for alias, item in self._sources.items():
            self._beside[id(item.find_ancestor(exp.Select))].add(alias)
        self._spine = self._find_spine(tree)
        self._ties = self._find_ties(tree)
        self.choices = tuple(self._find_choices(tree))
        self.merged_by = tuple(merged_by(tree))
        self.sorted_by = tuple(sorted_by(tree))

    def of(self, column: exp.Column) -> Stored | Computed | None:
        """Say what a column is; None where it cannot be followed: a PIVOT, a query that reads what stands beside it."""
        source = self._sources.get(column.table)
        if source is None or source.args.get("pivots"):
            return None
        if isinstance(source, LISTED):
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
        """Tell whether a condition only holds whole stored values equal, or not, as joins by a key do."""
        if isinstance(condition, exp.In) and "query" in condition.args:
            listed = [item.unalias() for select in branches(condition.args["query"]) for item in select.selects]
            return all(self.is_stored(_whole(one)) for one in (condition.this, *listed))
        return isinstance(condition, (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ)) and all(
            self.is_stored(_whole(one)) for one in (condition.this, condition.expression)
        )

    def of_one_column(self, value: exp.Expr) -> bool:
        """Tell whether a value is made of one column of one row, and of what the statement writes beside it."""
        level = [value]
        while level:
            columns = {(column.table, column.name): column for one in level for column in one.find_all(exp.Column)}
            found = [self.of(column) for column in columns.values()]
            if len(columns) > 1 or any(one.find(exp.Query, exp.AggFunc, exp.Window) for one in level):
                return False
            if any(one is None or (isinstance(one, Computed) and len(one.items) != 1) for one in found):
                return False
            items = [item for one in found if isinstance(one, Computed) for item in one.items]
            level = [select.selects[place].unalias() for select, place in items]
        return True

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
                yield from ((part, select) for _, part, select in conditions_of(one))
                left += [self._ctes[table.name] for table in one.find_all(exp.Table) if table.name in self._ctes]

    def _query(self, source: exp.Expr) -> exp.Expr:
        query = self._ctes.get(source.name) if isinstance(source, exp.Table) else None
        return query or (source.this if isinstance(source, exp.Lateral) else source)

    def _find_spine(self, tree: exp.Expr) -> frozenset[int]:
        """Find the SELECTs of which each row is one that the statement goes through: no set operation, no condition."""
        named = Counter(table.name for table in tree.find_all(exp.Table))
        followed, found, left = Counter[str](), set[int](), [tree]
        while left:
            query = left.pop().unnest()
            if not isinstance(query, exp.Select):
                continue
            found.add(id(query))
            for source in (self._sources[alias] for alias in self._beside[id(query)]):
                if not isinstance(source.parent, (exp.From, exp.Join)):
                    continue
                followed[source.name] += 1
                if isinstance(source, exp.Subquery) or (
                    source.name in self._ctes and followed[source.name] == named[source.name]
                ):
                    left.append(self._query(source))
        return frozenset(found)

    def _find_choices(self, tree: exp.Expr) -> Iterator[Choice]:
        for clause, part, select in conditions_of(tree):
            if not isinstance(clause.parent, exp.Filter):  # it chooses what one aggregate takes in
                asks = isinstance(clause, (exp.Where, exp.Join)) and id(select) in self._spine
                yield Choice(part, select, id(clause) if asks else None)

    def _find_ties(self, tree: exp.Expr) -> defaultdict[str, list[tuple[exp.Expr, bool]]]:
        found: defaultdict[str, list[tuple[exp.Expr, bool]]] = defaultdict(list)
        for clause, part, select in conditions_of(tree):
            beside = self._beside[id(select)]
            tied = {column.table for column in part.find_all(exp.Column)} & beside
            lacking = set[str]()
            if isinstance(clause, exp.Join) and clause.side:
                lacking = {clause.this.alias} if clause.side == "LEFT" else beside
            if (len(tied) > 1 or lacking) and not all(map(self.is_plain_tie, atoms(part))):
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


def stored_as(dataset: Dataset, column: str) -> Stored:
    """Return a column of a dataset's table as statements have it."""
    return Stored(dataset.table_name.lower(), column.strip('"`').lower())
