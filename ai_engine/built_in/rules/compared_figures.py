"""Rule for a figure that a number bounds: "customers with a total balance over 10 lakh"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Cue, Number, Thing
from ai_engine.built_in.rules.amounts import OF_TIMES, units_agree
from ai_engine.built_in.sketch import COMPARISONS, Walk
from ai_engine.semantics.intent import Having, Measure

_DURATIONS = frozenset({"days", "weeks", "months", "years"})


def compare_measure(walk: Walk, measure: Measure) -> bool:
    """ "total balance over 10000", "average income above the average": keep groups by their figure."""
    ahead = walk.skip(_past_own_rows(walk, measure), "not")
    cue, number = walk.peek(ahead), walk.peek(ahead + 1)
    if not (isinstance(cue, Cue) and cue.kind == "compare" and isinstance(number, Number)):
        return False
    operator = COMPARISONS.get(str(cue.value))
    if walk.items[walk.position + ahead].text.lower() in OF_TIMES:
        return False  # no number of loans is "before 2020"
    if operator is None or (measure.aggregate == "count" and number.unit is not None):
        return False  # no number of loans is "more than 90 days"
    if measure.field is not None and not units_agree(walk.knowledge.field(measure.field), number):
        return False
    metric = walk.knowledge.model.metric(measure.metric) if measure.metric is not None else None
    if metric is not None and number.unit in _DURATIONS and metric.unit != number.unit:
        return False  # no overdue amount is "more than 90 days"
    walk.sketch.havings.append(Having(measure=measure, operator=operator, value=number.value))
    walk.take(ahead + 2, "condition on the figure")
    return True


def _past_own_rows(walk: Walk, measure: Measure) -> int:
    """ "the average rate charged on the loans exceeds 6": between figure and bound, whose figure it is."""
    ahead = walk.skip(0, "have")
    return ahead + 1 if walk.peek(ahead) == Thing(str(walk.knowledge.base(measure))) else 0
