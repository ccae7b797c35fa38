"""How many owners beside a figure of their rows: those of these rows, and not those who joined in the period."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.rules.dates import days_filters
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import Condition, Filter, Intent, Measure, Membership
from ai_engine.semantics.restatement import plural

_TWO = 2


def owners_of_those_rows(sketch: Sketch, intent: Intent, knows: Knowledge) -> Intent:
    """ "total of the card payments and number of members in May" counts members with such a payment in May."""
    found = _owner_and_rows(intent, knows)
    if found is None or not (intent.period or sketch.groups_by_time):
        return intent
    owner, rows = found
    place, period = knows.time_field(rows), intent.period
    along = [item.field.dataset for item in intent.dimensions]
    told = tuple(item for item in intent.filters if isinstance(item, Condition) and item.field.dataset == rows)
    if place is None or not (told or rows in along) or (period is not None and period.field is not None):
        return intent
    seen_from_others = intent.subject not in {None, owner, rows}
    if sketch.groups_by_time or sketch.period is None or intent.compare is not None or seen_from_others:
        label = plural(knows.dataset(owner).label)
        sketch.unplaced.append(f"{label}: of which date")
        return intent
    if rows in along and period is not None:
        return intent.model_copy(update={"period": period.model_copy(update={"field": place})})
    of_rows = (*told, *days_filters(place, sketch.period, negated=False))
    held = Membership(dataset=rows, filters=of_rows)

    def narrowed(measure: Measure) -> Measure:
        own: tuple[Filter, ...] = (held,) if knows.base(measure) == owner else of_rows
        return measure.model_copy(update={"filters": (*measure.filters, *own)})

    kept = tuple(item for item in intent.filters if item not in told)
    measures = tuple(map(narrowed, intent.measures))
    return intent.model_copy(update={"measures": measures, "filters": kept, "period": None})


def _owner_and_rows(intent: Intent, knows: Knowledge) -> tuple[str, str] | None:
    """Two kinds of rows, of which the one belongs to the other and that other is merely counted."""
    bases = [base for measure in intent.measures if (base := knows.base(measure)) is not None]
    if len(bases) != len(intent.measures) or len(set(bases)) != _TWO:
        return None
    for owner, rows in (tuple(dict.fromkeys(bases)), tuple(dict.fromkeys(reversed(bases)))):
        counts = [measure for measure in intent.measures if knows.base(measure) == owner]
        plain = all(_counts_them(measure, owner, knows) for measure in counts)
        if plain and knows.is_parent(rows, owner):
            return owner, rows
    return None


def _counts_them(measure: Measure, owner: str, knows: Knowledge) -> bool:
    distinct = Measure(aggregate="count_distinct", field=knows.key(owner))
    return measure in (Measure(aggregate="count", dataset=owner), distinct)
