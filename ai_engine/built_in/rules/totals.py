"""Rules for sums over the rows that things have, compared with a number: "loans of more than 5000 in total"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Number, Thing
from ai_engine.built_in.sketch import COMPARISONS, Walk
from ai_engine.semantics.intent import Having, Measure, Membership
from ai_engine.semantics.words import words

_SUMMED = frozenset({"total", "sum", "combined", "together"})


def compare_amount(walk: Walk, operator: str, number: Number, found: Thing) -> None:
    """ "a total amount of more than 5000 in loans": the sum over the related rows."""
    amount = walk.knowledge.main_measure(found.dataset)
    compared = COMPARISONS.get(operator)
    if amount is None or compared is None or walk.pending is None:
        walk.leave_over(3)
        return
    measure = Measure(aggregate=walk.pending.aggregates[0], field=amount)
    walk.pending = None
    walk.sketch.havings.append(Having(measure=measure, operator=compared, value=number.value))
    walk.take(3, f"{walk.knowledge.field(amount).label} {operator} {number.value}")


def total_of_related(walk: Walk) -> Measure | None:
    """ "customers who have loans with a total amount of more than 5000": the sum over the rows just named."""
    last = walk.sketch.filters[-1] if walk.open_membership else None
    if walk.pending is None or not isinstance(last, Membership) or not _SUMMED.intersection(words(walk.pending.text)):
        return None
    amount = None if last.negated else walk.knowledge.main_measure(last.dataset)
    return Measure(aggregate="sum", field=amount, filters=last.filters) if amount is not None else None


def compare_total(walk: Walk, total: Measure, operator: str, number: Number) -> None:
    """Keep those whose sum over the rows just named compares so; the sum stands in for having such rows."""
    compared = COMPARISONS.get(operator)
    if compared is None:
        walk.leave_over(2)
        return
    walk.pending, walk.open_membership = None, False
    walk.sketch.filters.pop()
    walk.sketch.havings.append(Having(measure=total, operator=compared, value=number.value))
    walk.take(2, f"total {operator} {number.value}")
