"""Rules for a date that is named only to say what a period is about: "in 2026 by payment date"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Days
from ai_engine.built_in.sketch import GroupTarget, Walk
from ai_engine.semantics.words import words

_A_QUARTER = 89


def dates_the_period(walk: Walk, targets: list[GroupTarget]) -> bool:
    """ "fees collected in 2026 by payment date": over a quarter or more nobody asks for every day."""
    period, place = walk.peek(-1), targets[0]
    if len(targets) > 1 or not isinstance(place, Attribute) or not isinstance(period, Days):
        return False
    long = period.start is not None and period.end is not None and (period.end - period.start).days >= _A_QUARTER
    dated = walk.knowledge.field(place).role == "time" and place.grain is None and walk.sketch.period == period
    if not (long and dated) or words(walk.knowledge.field(place).label)[:1] == ("date",):
        return False
    label = walk.knowledge.field(place).label
    walk.sketch.period_field = ref(place)
    walk.assume(f"“by {label}” was read as the date that the period is about, and not as one row for each day.")
    return True
