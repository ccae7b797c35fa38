"""What every rule is given: one parsed statement and what it may read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard.policy import Policy
from ai_engine.guard.reading import Reading
from ai_engine.guard.scopes import WITHOUT_PARTS

_POSITION = frozenset({"line", "col", "start", "end"})


@dataclass(slots=True)
class Statement:
    """One statement under judgement; rules may replace parts of `tree`.

    Attributes:
        tree: the root query.
        kinds: every node of `tree` as parsed, by its class, so that a rule looks only at those it is about.
        depth: nodes on the longest way from the root to a leaf.
        prefix: how the guard's own names begin, and no others.
        reading: what the names mean, once they are resolved.
    """

    tree: exp.Query
    kinds: dict[type[exp.Expr], list[exp.Expr]]
    depth: int
    catalogue: Catalogue
    policy: Policy
    prefix: str
    reading: Reading | None = None

    @property
    def dialect(self) -> str:
        """The database's dialect, as sqlglot calls it."""
        return self.catalogue.dialect

    def nodes(self, *classes: type[exp.Expr]) -> list[Any]:
        """Nodes of the given classes and those derived from them."""
        return [node for kind, found in self.kinds.items() if issubclass(kind, classes) for node in found]


def statement_of(tree: exp.Query, catalogue: Catalogue, policy: Policy, prefix: str) -> Statement:
    """Walk the tree once, level by level; positions and comments go, which nobody reads and every copy would copy."""
    kinds: dict[type[exp.Expr], list[exp.Expr]] = {}
    level: list[exp.Expr] = [tree]
    depth = 0
    while level:
        depth += 1
        below: list[exp.Expr] = []
        for node in level:
            kind = type(node)
            kinds.setdefault(kind, []).append(node)
            node.comments = None
            meta = node._meta
            if meta is not None:
                node._meta = None if meta.keys() <= _POSITION else {key: meta[key] for key in meta.keys() - _POSITION}
            if kind in WITHOUT_PARTS:
                continue
            for value in node.args.values():
                if isinstance(value, exp.Expr):
                    below.append(value)
                elif type(value) is list:
                    below += [part for part in value if isinstance(part, exp.Expr)]
        level = below
    return Statement(tree, kinds, depth, catalogue, policy, prefix)


Rule: TypeAlias = Callable[[Statement], None]
