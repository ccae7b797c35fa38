"""What one SELECT can see: its sources, their columns, and the queries around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from sqlglot import exp

Clause: TypeAlias = Literal["select", "from", "where", "group", "having", "qualify", "window", "order"]

ALIAS_CLAUSES: dict[str, frozenset[Clause]] = {  # where an alias may stand inside an expression
    "duckdb": frozenset({"select", "where", "having", "qualify", "window", "order"}),
    "sqlite": frozenset({"where", "group", "having", "order"}),
    "mysql": frozenset({"group", "having", "order"}),
    "postgres": frozenset(),
    "trino": frozenset({"order"}),
    "spark": frozenset({"select", "having", "order"}),
    "databricks": frozenset({"select", "having", "qualify", "order"}),
    "tsql": frozenset(),
    "oracle": frozenset({"order"}),
    "snowflake": frozenset({"select", "where", "having", "qualify", "order"}),
    "bigquery": frozenset({"having", "qualify", "order"}),
    "clickhouse": frozenset({"select", "where", "group", "having", "qualify", "order"}),
}

USUAL_CHARS = 100
WITHOUT_PARTS = frozenset({exp.Identifier, exp.Literal, exp.Null, exp.Boolean})
LEAVES = frozenset({exp.Column, exp.Literal, exp.Identifier, exp.DataType, exp.Var})


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """One column that a source offers, or that a query gives.

    Attributes:
        name: exact spelling.
        constant: the same in every row, so that comparing it joins nothing.
        chars: how wide a value is at most, estimated.
        longest: the same where texts of tables are as wide as their types let them be, which `chars` takes for usual.
        inner: what it is called in the statement that runs, where that is another name.
        size: nodes of what it is computed by, every name written out.
        unnamed: what it is computed by where nobody named it, so that the engine calls it by a text of its own.
    """

    name: str
    constant: bool = False
    chars: int = USUAL_CHARS
    longest: int = USUAL_CHARS
    inner: str = ""
    size: int = 1
    unnamed: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """What a query gives to the one around it.

    Attributes:
        most_rows: how many rows at most; None where the tables decide.
        condensed: grouped, distinct, limited or constant, so that it is likely smaller than the tables it reads.
        tied_to: sources of the query around that an equality ties every row to.
        size: nodes of the whole query, every name written out.
    """

    columns: tuple[OutputColumn, ...]
    most_rows: int | None = None
    condensed: bool = False
    tied_to: frozenset[str] = frozenset()
    size: int = 1


@dataclass(frozen=True, slots=True)
class Cte:
    """A common table expression: its name as written, what it gives, what it is called in the statement that runs."""

    name: exp.Identifier
    shape: Shape
    fresh: str


Ctes: TypeAlias = dict[str, Cte]


@dataclass(frozen=True, slots=True)
class Source:
    """One thing in FROM.

    Attributes:
        alias: how columns are qualified, spelled as defined.
        columns: lower-case name → column; restricted ones are not among them, nor those that have no name of their own.
        listed: the same in order, those of one name included.
        fresh: how columns are qualified in the statement that runs; no other source of the statement is called so.
        restricted: lower-case names of columns that exist but may not be read.
        most_rows: how many rows it can have at most; None where the tables decide.
        table: the catalogue's table, "" for a derived one.
        schema: lower-case schema of that table, with which its columns may be qualified.
        condensed: grouped, distinct, limited or constant.
        twins: lower-case names that several columns bear which the database tells apart.
    """

    alias: exp.Identifier
    columns: Mapping[str, OutputColumn]
    listed: tuple[OutputColumn, ...]
    fresh: str
    restricted: frozenset[str] = frozenset()
    most_rows: int | None = None
    table: str = ""
    schema: str = ""
    condensed: bool = False
    twins: frozenset[str] = frozenset()


Value: TypeAlias = tuple[tuple[Source, OutputColumn], ...]
"""What a name reads: a column of one source, or the first of several that is not NULL."""


def has_name(source: Source) -> bool:
    """Whether columns can be qualified by what stands in FROM: not where the guard alone calls it `subquery 1`."""
    return bool(source.alias.args.get("quoted")) or " " not in source.alias.this


def size_of(value: Value) -> int:
    """Nodes of what a name reads, every name written out."""
    return sum(column.size for _, column in value)


@dataclass(frozen=True, slots=True)
class Merged:
    """A column that USING or NATURAL made of several: the keys of their sources, and what its name reads."""

    members: frozenset[str]
    value: Value


@dataclass(slots=True)
class Scope:
    """The names visible in one SELECT.

    Attributes:
        outer: the query it is correlated with.
        filters: what a SEMI or ANTI JOIN compares with, seen by nothing but its ON.
        merged: lower-case name → column that joins made of several.
        compared: what each USING or NATURAL compares, the last join's first: lower-case name, keys of the sources that
            are read for it.
        before_right: keys of the sources on the left of a RIGHT or FULL JOIN.
        shared_later: key of a source → lower-case names that USING or NATURAL compares on its right.
        aliases: name as the database compares it → item of the list of columns.
        repeated: those names that several items bear, of which DuckDB mostly takes the last.
        starred: what `*` stands for.
        is_pivot: the scope is that of a PIVOT, whose columns stay as they are called.
        size: nodes of all that was read of the SELECT so far, every name written out.
    """

    outer: Scope | None = None
    sources: dict[str, Source] = field(default_factory=dict)
    filters: dict[str, Source] = field(default_factory=dict)
    merged: dict[str, Merged] = field(default_factory=dict)
    compared: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    before_right: set[str] = field(default_factory=set)
    shared_later: dict[str, set[str]] = field(default_factory=dict)
    aliases: dict[str, Reference] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()
    starred: list[Value] = field(default_factory=list)
    is_pivot: bool = False
    size: int = 0

    def hide_filters(self, keys: Iterable[str]) -> None:
        """Take away what only conditions of joins may name."""
        for key in keys:
            self.filters[key] = self.sources.pop(key)

    def chain(self) -> Iterator[Scope]:
        """This scope, then those around it, nearest first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer


class Reference(NamedTuple):  # made for every column, at a third of what a frozen dataclass takes
    """What a column reference means.

    Attributes:
        scope: the SELECT whose FROM holds the source; None for an alias of the list of columns.
        source: key of the source in that scope.
        value: what is read there; () for an alias.
        item: the item of the list of columns that an alias names.
        place: the place in the list of columns, from 1, of what a set operation gives.
        alone: the alias is all of an item of GROUP BY, ORDER BY or DISTINCT ON.
    """

    column: OutputColumn
    scope: Scope | None = None
    source: str = ""
    value: Value = ()
    item: exp.Expr | None = None
    place: int = 0
    alone: bool = False

    @property
    def size(self) -> int:
        """Nodes of what is put in for the reference, every name written out."""
        return size_of(self.value) if self.value else self.column.size


_WITHOUT_FOREIGN_CAPITALS = frozenset({"duckdb", "sqlite"})


def folded(identifier: exp.Identifier, dialect: str) -> str:
    """The name as the database compares it."""
    name: str = identifier.this
    if dialect == "postgres" and identifier.args.get("quoted"):
        return name
    return small(name, dialect)


def key_of(column: OutputColumn, dialect: str) -> str:
    """The name of an item of a list of columns as ORDER BY and GROUP BY compare it."""
    return column.name if dialect == "postgres" else small(column.name, dialect)


def small(name: str, dialect: str) -> str:
    """A name in small letters: É and é are two letters to DuckDB and SQLite, as are K and the sign for kelvin."""
    if dialect not in _WITHOUT_FOREIGN_CAPITALS or name.isascii():
        return name.lower()
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


def spelled(identifier: exp.Identifier, dialect: str) -> str:
    """The name as the database gives it back."""
    name: str = identifier.this
    return name.lower() if dialect == "postgres" and not identifier.args.get("quoted") else name


_FOLDING_UP = frozenset({"oracle", "snowflake"})


def stored(name: str, dialect: str) -> str:
    """How a name of the catalogue is quoted: what these engines keep in capitals is given in small letters there."""
    return name.upper() if dialect in _FOLDING_UP and name == name.lower() else name


def same(identifier: exp.Identifier) -> exp.Identifier:
    """A copy that belongs to no tree; much cheaper than a deep one."""
    return exp.Identifier(this=identifier.this, quoted=bool(identifier.args.get("quoted")))


def local_nodes(*roots: exp.Expr) -> list[exp.Expr]:
    """Nodes of expressions, outer before inner; a nested query is among them, its inside and parts of names are not."""
    nodes: list[exp.Expr] = []
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        nodes.append(node)
        if type(node) not in LEAVES and not isinstance(node, exp.Query):
            parts: list[exp.Expr] = []
            for value in node.args.values():
                if isinstance(value, exp.Expr):
                    parts.append(value)
                elif type(value) is list:
                    parts += [part for part in value if isinstance(part, exp.Expr)]
            stack += reversed(parts)
    return nodes


def all_nodes(root: exp.Expr) -> list[exp.Expr]:
    """Every node of a tree, level by level, those inside nested queries included; faster than `walk`."""
    nodes = [root]
    for node in nodes:
        if type(node) in WITHOUT_PARTS:
            continue
        for value in node.args.values():
            if isinstance(value, exp.Expr):
                nodes.append(value)
            elif type(value) is list:
                nodes += [part for part in value if isinstance(part, exp.Expr)]
    return nodes
