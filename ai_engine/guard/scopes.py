"""What one SELECT can see: its sources, their columns, and the queries around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sqlglot import exp

Clause: TypeAlias = Literal["select", "from", "where", "group", "having", "qualify", "window", "order"]

ALIAS_CLAUSES: dict[str, frozenset[Clause]] = {
    "duckdb": frozenset({"select", "where", "group", "having", "qualify", "window", "order"}),
    "sqlite": frozenset({"from", "where", "group", "having", "order"}),
    "mysql": frozenset({"group", "having", "order"}),
    "postgres": frozenset({"group", "order"}),
}


USUAL_CHARS = 100
LEAVES = frozenset({exp.Column, exp.Literal, exp.Identifier, exp.DataType, exp.Var})


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """One column that a source offers, or that a query gives.

    Attributes:
        name: exact spelling.
        constant: the same in every row, so that comparing it joins nothing.
        chars: how wide a value is at most, estimated.
    """

    name: str
    constant: bool = False
    chars: int = USUAL_CHARS


@dataclass(frozen=True, slots=True)
class Shape:
    """What a query gives to the one around it.

    Attributes:
        most_rows: how many rows at most; None where the tables decide.
        condensed: grouped, distinct, limited or constant, so that it is likely smaller than the tables it reads.
        tied_to: sources of the query around that an equality ties every row to.
    """

    columns: tuple[OutputColumn, ...]
    most_rows: int | None = None
    condensed: bool = False
    tied_to: frozenset[str] = frozenset()


Ctes: TypeAlias = dict[str, tuple[exp.Identifier, Shape]]


@dataclass(frozen=True, slots=True)
class Source:
    """One thing in FROM.

    Attributes:
        alias: how columns are qualified, spelled as defined.
        columns: lower-case name → column; restricted ones are not among them.
        restricted: lower-case names of columns that exist but may not be read.
        most_rows: how many rows it can have at most; None where the tables decide.
        table: the catalogue's table, "" for a derived one.
        schema: lower-case schema of that table, with which its columns may be qualified.
        condensed: grouped, distinct, limited or constant.
    """

    alias: exp.Identifier
    columns: dict[str, OutputColumn]
    restricted: frozenset[str] = frozenset()
    most_rows: int | None = None
    table: str = ""
    schema: str = ""
    condensed: bool = False


@dataclass(slots=True)
class Scope:
    """The names visible in one SELECT.

    Attributes:
        outer: the query it is correlated with.
        filters: what a SEMI or ANTI JOIN compares with, seen by nothing but its ON.
        merged: lower-case names of columns that joins made one of.
    """

    outer: Scope | None = None
    sources: dict[str, Source] = field(default_factory=dict)
    filters: dict[str, Source] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    aliases: dict[str, OutputColumn] = field(default_factory=dict)

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


@dataclass(frozen=True, slots=True)
class Reference:
    """What a column reference means.

    Attributes:
        scope: the SELECT whose FROM holds the source; None for an alias of the list of columns.
        source: key of the source in that scope.
    """

    column: OutputColumn
    scope: Scope | None = None
    source: str = ""


def folded(identifier: exp.Identifier, dialect: str) -> str:
    """The name as the database compares it."""
    name: str = identifier.this
    if dialect == "postgres" and identifier.args.get("quoted"):
        return name
    return name.lower()


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
            stack.extend(node.iter_expressions(reverse=True))
    return nodes
