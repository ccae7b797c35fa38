"""How the names of a statement were read, noted for the step that writes them out."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard.scopes import OutputColumn, Reference, Source, Value
from ai_engine.guard.series import Sequence


def unused_prefix(sql: str, catalogue: Catalogue) -> str:
    """How the guard's own names begin: q_, q1_ or so on, which neither the statement nor a name of the catalogue has.

    It stays short, as servers cut off what is behind 63 bytes.
    """
    written = sql.lower()
    prefixes = (f"q{number or ''}_" for number in count())
    return next(prefix for prefix in prefixes if prefix not in written and prefix not in catalogue.names)


@dataclass(frozen=True, slots=True)
class FromItem:
    """One item of FROM.

    Attributes:
        source: what it offers; that below the PIVOT where it has one.
        cte: what the common table expression that it names is called in the statement that runs.
        pivoted: what is left after its PIVOT or UNPIVOT.
    """

    node: exp.Expr
    source: Source
    cte: str = ""
    pivoted: Source | None = None


@dataclass(frozen=True, slots=True)
class MergingJoin:
    """A join by USING or NATURAL, and what it compares, left to right."""

    node: exp.Join
    pairs: tuple[tuple[Value, Value], ...]


@dataclass(slots=True)
class Reading:
    """What every name of one statement means, in the order in which they were resolved.

    Attributes:
        prefix: no name of the catalogue and nothing in the statement begins like this.
        stars: id of an item of a list of columns that is a star → what it stands for.
        names: id of a SELECT inside the statement → what its columns are called.
        tied: id of a SELECT → columns that have one value in each of its groups, by which MariaDB has to group as well.
        sequences: id of an item of FROM that is called like a series → that series.
    """

    prefix: str
    columns: list[tuple[exp.Column, Reference]] = field(default_factory=list)
    items: list[FromItem] = field(default_factory=list)
    joins: list[MergingJoin] = field(default_factory=list)
    stars: dict[int, list[Value]] = field(default_factory=dict)
    names: dict[int, list[str]] = field(default_factory=dict)
    tied: dict[int, list[tuple[Source, OutputColumn]]] = field(default_factory=dict)
    sequences: dict[int, Sequence] = field(default_factory=dict)
    selects: list[exp.Select] = field(default_factory=list)
    ctes: list[tuple[exp.CTE, str]] = field(default_factory=list)
    _made: int = 0
    _columns_made: int = 0

    def fresh(self) -> str:
        """A name that nothing else bears."""
        self._made += 1
        return f"{self.prefix}{self._made}"

    def column_names(self, count: int) -> list[str]:
        """Names of as many columns of a derived table, which no other column of the statement bears."""
        first, self._columns_made = self._columns_made + 1, self._columns_made + count
        return [f"{self.prefix}c{number}" for number in range(first, first + count)]
