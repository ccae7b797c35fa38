"""Rules for periods: what they date, and what they are held against."""

from __future__ import annotations

from datetime import date, timedelta

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Cue, Days, Step, Stored, Thing
from ai_engine.built_in.rules.counting import described_thing
from ai_engine.built_in.rules.not_yet import not_yet
from ai_engine.built_in.rules.two_periods import is_compared_period, is_other_period, lie_apart
from ai_engine.built_in.rules.whose_period import (
    dates_figure,
    from_then_on,
    is_of_the_rows_themselves,
    is_of_what_happened,
    is_of_what_is_ranked,
)
from ai_engine.built_in.sketch import OPPOSITE, Item, Pending, Walk
from ai_engine.semantics.calendar_days import add_months
from ai_engine.semantics.intent import (
    AnyOf,
    Condition,
    FieldRef,
    Filter,
    Grain,
    Membership,
    Operator,
)
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import stem, words


def days(walk: Walk) -> None:
    """A period that no date field stands before."""
    found = walk.peek()
    assert isinstance(found, Days)  # noqa: S101 - dispatched by type
    found = from_then_on(walk, 0, found)
    negated = walk.use_negation()
    if negated and found.moment and (told := _date_of_verb(walk)) is not None and not_yet(walk, told, found, 1):
        return
    before = walk.sketch.period
    if before is not None and (before.start, before.end) == (found.start, found.end) and not negated:
        walk.take(1, "said again")  # "in FY 2025-26 (April to March)"
        return
    if _is_in_a_name(walk, found):
        walk.take(1, "part of the name")
        return
    if is_compared_period(walk, found):
        walk.take(1, "compared with")
        return
    if is_other_period(walk, negated=negated):
        walk.sketch.other_period = found
        walk.take(1, f"held against {found.label}")
        return
    last = walk.sketch.filters[-1] if walk.open_membership and negated else None
    if isinstance(last, Membership) and not last.negated and (place := walk.knowledge.time_field(last.dataset)):
        undated = tuple(item for item in last.filters if not _is_about(item, place))
        lacking = (*undated, *days_filters(place, found, negated=False))
        walk.sketch.filters.append(last.model_copy(update={"negated": True, "filters": lacking}))
        walk.take(1, f"not {found.label}")  # "used it in 2025 but not in 2026" denies the use, not the date
        return
    if walk.alternative:
        _or_in(walk, time_in_question(walk), found, 1)
        return
    if not negated and dates_figure(walk):
        _narrow_by_first(walk)
        walk.take(1, found.label)
        walk.sketch.period = found
        return
    if (
        walk.open_membership
        and walk.sketch.period is None
        and not negated
        and (is_of_what_happened(walk) or is_of_the_rows_themselves(walk) or is_of_what_is_ranked(walk))
    ):
        walk.open_membership = False
    if walk.open_membership or walk.sketch.period is not None or negated:
        place = time_in_question(walk)
        if place is None or (not negated and not walk.open_membership and lie_apart(walk.sketch.period, found)):
            walk.leave_over()
            return
        for item in days_filters(place, found, negated=negated):
            walk.add_filter(item)
    else:
        walk.sketch.period = found
        walk.sketch.dated_by_verb = told = _date_of_verb(walk)
        if told is not None and told != walk.knowledge.time_field(told.dataset):
            walk.sketch.period_field = told  # "vouchers used in October" are not those issued then
    walk.take(1, found.label)


def _narrow_by_first(walk: Walk) -> None:
    """The period said first narrows the rows, and makes room for that of the figure."""
    sketch = walk.sketch
    assert sketch.period is not None and sketch.period_field is not None  # noqa: S101 - dates_figure looked
    sketch.filters.extend(days_filters(sketch.period_field, sketch.period, negated=False))
    sketch.period_field = None


def _date_of_verb(walk: Walk) -> FieldRef | None:
    """ "accounts opened in 2025", where the verb was read as what holds the sentence together: it tells the date."""
    subject = walk.subject
    if not walk.is_cue(-1, "have") or subject is None:
        return None
    last = walk.knowledge.dataset(subject)
    verb = stem(walk.items[walk.position - 1].text.lower())
    for item in last.fields:
        if item.role == "time" and verb in {stem(word) for word in words(item.label)}:
            return FieldRef(dataset=last.name, field=item.name)
    return None


def _is_in_a_name(walk: Walk, found: Days) -> bool:
    """ "number of crimes in 1996" where that is a column: the year was said apart from the rest of its name."""
    named = [measure.field for measure in walk.sketch.measures if measure.field is not None]
    named += [ref(attribute) for attribute in walk.sketch.attributes]
    year = str(found.start.year) if found.start is not None else ""
    return found.label == year and any(year in words(walk.knowledge.field(place).label) for place in named)


def past(walk: Walk) -> None:
    """ "customers past their KYC due date": the day lies before today."""
    found = walk.peek(1)
    if not (isinstance(found, Attribute) and walk.knowledge.field(found).role == "time"):
        walk.leave_over()
        return
    walk.add_filter(Condition(field=ref(found), operator="<", values=(walk.knowledge.as_of,)))
    walk.take(2, f"{walk.knowledge.field(found).label} before today")


def begun(walk: Walk) -> None:
    """ "new customers per month": those whose own date falls there; without a time, nothing says since when."""
    described = walk.peek(1)
    found = described_thing(walk, 1) or (Thing(described.dataset) if isinstance(described, Stored) else None)
    rest = walk.items[walk.position :]
    dated = (
        any(isinstance(item.meaning, Days | Step) for item in rest) or walk.sketch.period or walk.sketch.groups_by_time
    )
    if found is not None and dated and walk.knowledge.time_field(found.dataset) is not None:
        walk.take(1)
        if _is_all_that_is_asked(walk, rest):
            walk.pending = Pending(("count",), False, "new")
            walk.assume(f"“new {plural(walk.knowledge.dataset(found.dataset).label)}” was read as how many there are.")
    else:
        walk.leave_over()


def _is_all_that_is_asked(walk: Walk, rest: tuple[Item, ...]) -> bool:
    """ "new customers this year": nothing is asked of them, so they are counted; "show" lists them."""
    sketch = walk.sketch
    asked = (
        sketch.asks_list or sketch.asks_what or sketch.measures or sketch.attributes or sketch.things or walk.pending
    )
    plain = all(
        isinstance(item.meaning, Thing | Days | Stored)
        or (isinstance(item.meaning, Cue) and item.meaning.kind in {"begun", "stop", "filler"})
        for item in rest
    )
    return not asked and not walk.having and plain


def dated(walk: Walk) -> None:
    """ "requests of this year, dated by the day they were raised": the date that the period is about."""
    found = walk.peek(1)
    if not (isinstance(found, Attribute) and walk.knowledge.field(found).role == "time" and walk.sketch.period):
        walk.leave_over()
        return
    walk.sketch.period_field = ref(found)
    walk.take(2, f"the period is about {walk.knowledge.field(found).label}")


def weekday(walk: Walk) -> None:
    """ "on weekends", "on Mondays": a day of the week of what is dated."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    place = time_in_question(walk)
    if place is None:
        walk.leave_over()
        return
    numbers = tuple(int(day) for day in str(cue.value).split())
    operator: Operator = "not in" if walk.use_negation() else "in"
    walk.add_filter(Condition(field=place.model_copy(update={"grain": "weekday"}), operator=operator, values=numbers))
    walk.take(1, "day of the week")


def compare_days(walk: Walk, place: FieldRef, operator: str, right: Days, taken: int) -> bool:
    """ "opened after 2020": a comparison whose right side is a date."""
    sides = {
        ">": Days(right.end, None, f"after {right.label}"),
        ">=": Days(right.start, None, f"since {right.label}"),
        "<": Days(None, right.start, f"before {right.label}"),
        "<=": Days(None, right.end, f"until {right.label}"),
        "=": right,
    }
    if operator not in sides:
        return False
    date_condition(walk, place, sides[operator], taken, denied=False)
    return True


def date_condition(walk: Walk, place: FieldRef, found: Days, taken: int, denied: bool) -> None:
    """Date the question by a named field, or add the period as a condition."""
    negated = denied or walk.use_negation()
    if negated and found.moment and not_yet(walk, place, found, taken):
        return
    if is_other_period(walk, negated=negated) and walk.sketch.period_field in {None, place}:
        walk.sketch.other_period, walk.sketch.period_field = found, place
        walk.take(taken, f"held against {found.label}")
        return
    if walk.alternative and not negated:
        _or_in(walk, place, found, taken)
        return
    only_date_said = walk.sketch.period is None and not negated and not walk.open_membership
    only_date_said &= not (walk.sketch.share and None in {found.start, found.end})  # the part, or one of its conditions
    if only_date_said and place.dataset == (walk.subject or place.dataset):
        walk.sketch.period, walk.sketch.period_field = found, place
    else:
        for item in days_filters(place, found, negated=negated):
            walk.add_filter(item)
    walk.having = False
    walk.take(taken, f"{walk.knowledge.field(place).label}: {found.label}")


def _or_in(walk: Walk, place: FieldRef | None, found: Days, taken: int) -> None:
    """ "opened in 2020 or 2022": a calendar unit is one condition, and so can be one of two."""
    if not _joins_its_kind(walk, place):
        walk.leave_over(taken)
        return
    said = _unit_condition(place, found)
    before = walk.sketch.period if walk.items[walk.position - 2].meaning == walk.sketch.period else None
    earlier = _unit_condition(time_in_question(walk), before) if before is not None else None
    if said is None or (before is not None and earlier is None):
        walk.leave_over(taken)
        return
    if earlier is not None:
        walk.sketch.period = walk.sketch.period_field = None
        walk.sketch.filters.append(earlier)
    walk.add_filter(said)
    walk.having = False
    walk.take(taken, f"or {found.label}")


def _joins_its_kind(walk: Walk, place: FieldRef | None) -> bool:
    """ "no payment, in or out, since May": a period is one of two beside another date, or where its date is named."""
    named = isinstance(walk.peek(), Attribute)
    last = walk.sketch.filters[-1] if walk.sketch.filters else None
    dates = [
        item.field for item in (last.filters if isinstance(last, AnyOf) else (last,)) if isinstance(item, Condition)
    ]
    of_time = any(walk.knowledge.field(field).role == "time" for field in dates) or walk.sketch.period is not None
    own = place is not None and not walk.open_membership and walk.is_cue(-1, "or")
    return of_time or (named and own)


def _unit_condition(place: FieldRef | None, found: Days) -> Condition | None:
    """A period that is one day, month or year as a condition on the date seen by that unit."""
    if place is None or found.start is None or found.end is None:
        return None
    start, after = found.start, found.end
    units: tuple[tuple[Grain, date], ...] = (
        ("day", start + timedelta(days=1)), ("month", add_months(start, 1)), ("year", add_months(start, 12)),
    )  # fmt: skip
    first = {"day": True, "month": start.day == 1, "year": (start.month, start.day) == (1, 1)}
    grain = next((grain for grain, end in units if after == end and first[grain]), None)
    if grain is None:
        return None
    value = start.year if grain == "year" else start
    return Condition(field=place.model_copy(update={"grain": grain}), operator="=", values=(value,))


def _is_about(item: Filter, place: FieldRef) -> bool:
    return isinstance(item, Condition) and item.field == place


def days_filters(place: FieldRef, found: Days, *, negated: bool) -> tuple[Filter, ...]:
    """The period as conditions on a date: inside it, or outside where it is denied."""
    lower = _edge(place, ">=", found.start)
    upper = _edge(place, "<", found.end)
    if not negated:
        return tuple(item for item in (lower, upper) if item)
    outside = tuple(item.model_copy(update={"operator": OPPOSITE[item.operator]}) for item in (lower, upper) if item)
    return (AnyOf(filters=outside),) if len(outside) > 1 else outside


def _edge(place: FieldRef, operator: Operator, day: date | None) -> Condition | None:
    return Condition(field=place, operator=operator, values=(day,)) if day else None


def time_in_question(walk: Walk) -> FieldRef | None:
    """The date that a bare period or weekday is about."""
    last = walk.sketch.filters[-1] if walk.open_membership else None
    if isinstance(last, Membership):
        return walk.knowledge.time_field(last.dataset)
    if walk.sketch.period_field is not None:
        return walk.sketch.period_field
    subject = walk.subject
    return walk.knowledge.time_field(subject) if subject else None
