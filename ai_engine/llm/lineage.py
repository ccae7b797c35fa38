"""What the columns of a statement stand for, followed through the statement as the guard reads it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard import names_written_out
from ai_engine.llm.read_sources import branches
from ai_engine.semantics.model import Dataset

_LISTED = (exp.Values, exp.Unnest)


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
        items = tree.find_all(exp.Table, exp.Subquery, exp.Lateral, *_LISTED)
        self._sources = {item.alias: item for item in items if item.alias}
        self._ctes = {cte.alias: cte.this for cte in tree.find_all(exp.CTE)}

    def of(self, column: exp.Column) -> Stored | Computed | None:
        """Say what a column is; None where it cannot be followed: a PIVOT, a query that reads what stands beside it."""
        source = self._sources.get(column.table)
        if source is None or source.args.get("pivots"):
            return None
        if isinstance(source, _LISTED):
            return Computed()
        query = source.this if isinstance(source, exp.Lateral) else source
        if isinstance(source, exp.Table):
            if not isinstance(source.this, exp.Identifier):
                return Computed()
            if source.name not in self._ctes:
                return Stored(source.name.lower(), column.name.lower())
            query = self._ctes[source.name]
        if isinstance(source, exp.Lateral) and reads_outside(source):
            return None
        selects = list(branches(query))
        names = [item.alias_or_name for item in selects[0].selects] if selects else []
        if column.name not in names:
            return None
        return Computed(tuple((select, names.index(column.name)) for select in selects))


def reads_outside(query: exp.Expr) -> bool:
    """Tell whether a query reads columns of one around it."""
    inside = {item.alias for item in query.find_all(exp.Table, exp.Subquery, exp.Lateral, *_LISTED)}
    return any(column.table not in inside for column in query.find_all(exp.Column))


def stored_as(dataset: Dataset, column: str) -> Stored:
    """Return a column of a dataset's table as statements have it."""
    return Stored(dataset.table_name.lower(), column.strip('"`').lower())
