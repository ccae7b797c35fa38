"""What every rule is given: one parsed statement and what it may read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard.policy import Policy


@dataclass(slots=True)
class Statement:
    """One statement under judgement; rules may replace parts of `tree`.

    Attributes:
        tree: the root query.
        nodes: every node of `tree` as parsed, outermost first.
    """

    tree: exp.Query
    nodes: tuple[exp.Expr, ...]
    catalogue: Catalogue
    policy: Policy

    @property
    def dialect(self) -> str:
        """The database's dialect, as sqlglot calls it."""
        return self.catalogue.dialect


Rule: TypeAlias = Callable[[Statement], None]
