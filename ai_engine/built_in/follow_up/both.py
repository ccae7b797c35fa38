"""What was asked and what was asked before it, in one question: "both, for each branch"."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.intent import Condition, Filter, Intent, Measure

_TWO = 2


def united(asked: Sequence[Intent], knowledge: Knowledge) -> Intent | None:
    """Figures of two questions beside each other, each with the conditions that the other has not.

    None where they are not two figures of the same shape.
    """
    if len(asked) < _TWO:
        return None
    one, other = asked
    if not (one.measures and other.measures) or _shape(one) != _shape(other):
        return None
    common = tuple(item for item in one.filters if item in other.filters)
    same_days = one.period == other.period
    figures = [figure for intent in asked for figure in _figures(intent, common, knowledge, dated=not same_days)]
    if len(set(figures)) <= max(len(one.measures), len(other.measures)):
        return None
    period = one.period if same_days else None
    return other.model_copy(update={"measures": tuple(dict.fromkeys(figures)), "filters": common, "period": period})


def _shape(intent: Intent) -> Intent:
    """All but figures, conditions and days; single figures have no order."""
    return intent.model_copy(update={"measures": (), "filters": (), "period": None})


def _figures(intent: Intent, common: tuple[Filter, ...], knowledge: Knowledge, *, dated: bool) -> list[Measure]:
    own = [item for item in intent.filters if item not in common]
    place, period = date_of(intent, knowledge.model), intent.period
    if dated and place is not None and period is not None:
        bounds = ((">=", period.start), ("<", period.end))
        own += [Condition(field=place, operator=operator, values=(day,)) for operator, day in bounds if day is not None]
    return [figure.model_copy(update={"filters": (*figure.filters, *own)}) for figure in intent.measures]
