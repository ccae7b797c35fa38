"""Where the figures of a statement come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.facts import Group, Question, grouped_fact
from ai_engine.semantics.compiler.figures import Figure, Leaf
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import Intent


@dataclass(frozen=True)
class Source:
    """FROM to GROUP BY of a statement, with the SQL of its dimensions and aggregates."""

    query: exp.Select
    groups: tuple[tuple[str, exp.Expression], ...]
    values: Mapping[Leaf, exp.Expression]
    aggregated: bool

    def keep(self, query: exp.Select, condition: exp.Expression) -> exp.Select:
        """Keep the groups that satisfy a condition."""
        return query.having(condition) if self.aggregated else query.where(condition)


def source_of(
    intent: Intent, setting: Setting, question: Question, groups: Sequence[Group], figures: Sequence[Figure]
) -> Source:
    """Lay out where the aggregates of all figures come from."""
    leaves = list(dict.fromkeys(leaf for figure in figures for leaf in figure.leaves))
    if len({leaf.dataset for leaf in leaves}) > 1:
        raise IntentNotCovered("several datasets")
    fact = grouped_fact(setting, question, leaves, groups, [intent.period] if intent.period else [])
    return Source(fact.query, fact.groups, fact.values, aggregated=True)
