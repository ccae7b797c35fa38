"""A period said before everything else dates what was done in it: "in October, how many customers used UPI?"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Days, Thing
from ai_engine.built_in.rules.dates import days_filters
from ai_engine.built_in.rules.roles import way_to
from ai_engine.built_in.rules.whose_period import says_a_deed
from ai_engine.built_in.sketch import Walk
from ai_engine.built_in.stocks import begins_with_its_date
from ai_engine.semantics.intent import Condition, Filter, Membership


def date_deeds(walk: Walk) -> None:
    """Date what was done rather than the day on which those who did it joined."""
    sketch = walk.sketch
    done = [item for item in sketch.filters if _rows_of_deed(walk, item) is not None]
    if not done or not _counts_or_lists_doers(walk):
        return
    if sketch.groups_by_time:
        sketch.unplaced.append("which date to go along")
    elif sketch.period is not None and _is_said_first(walk):
        sketch.filters = [_dated(walk, item, sketch.period) if item in done else item for item in sketch.filters]
        sketch.period = None


def _counts_or_lists_doers(walk: Walk) -> bool:
    sketch, subject = walk.sketch, walk.subject
    dated = sketch.period_field or sketch.counted_by or sketch.dated_by_verb or sketch.compare or sketch.other_period
    alone = all(thing.dataset == subject for thing in sketch.things) and bool(sketch.things)
    counted = all(measure.aggregate == "count" and measure.dataset == subject for measure in sketch.measures)
    return not (dated or sketch.happened) and alone and counted


def _rows_of_deed(walk: Walk, item: Filter) -> str | None:
    """The rows that somebody left behind by doing something: an event, or what began by it."""
    if not isinstance(item, Condition | Membership):
        return None
    rows = item.dataset if isinstance(item, Membership) else item.field.dataset
    knows, subject = walk.knowledge, walk.subject
    if subject is None or rows == subject or not knows.is_parent(rows, subject) or knows.time_field(rows) is None:
        return None
    happens = not begins_with_its_date(knows.dataset(rows))
    return rows if happens or any(says_a_deed(found) for found in walk.items) else None


def _is_said_first(walk: Walk) -> bool:
    """ "in May, how many customers used cash", "customers who in May used cash"."""
    items = walk.items
    at = next((place for place, item in enumerate(items) if isinstance(item.meaning, Days)), len(items))
    opens = not any(isinstance(item.meaning, Thing) for item in items[:at])
    return opens or any(map(says_a_deed, items[at + 1 : at + 2]))


def _dated(walk: Walk, item: Filter, period: Days) -> Filter:
    rows = _rows_of_deed(walk, item)
    place = walk.knowledge.time_field(rows) if rows is not None else None
    assert rows is not None and place is not None  # noqa: S101 - only deeds come here
    when = days_filters(place, period, negated=False)
    if isinstance(item, Membership):
        dated = any(isinstance(inner, Condition) and inner.field == place for inner in item.filters)
        return item if dated else item.model_copy(update={"filters": (*item.filters, *when)})
    return Membership(dataset=rows, filters=(item, *when), via=way_to(walk, Thing(rows)))
