"""Numbers in comparisons: which figure they are about, and in which unit it is kept."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, CueKind, Days, Number, Step, Stored, Thing
from ai_engine.built_in.sketch import GroupTarget, Walk
from ai_engine.semantics.intent import Condition, FieldRef
from ai_engine.semantics.model import Field
from ai_engine.semantics.words import words

_LINKS: tuple[CueKind, ...] = ("and", "or", "stop")
OF_TIMES = frozenset({"before", "after", "earlier than", "later than", "prior to", "bought after"})
MONEY_NOUNS = frozenset(
    "fee deposit payment repayment collection charge premium salary interest commission disbursement withdrawal "
    "remittance income expense revenue dividend penalty refund".split()
)
_MONEY_WORDS = frozenset("amount balance limit principal outstanding due price salary income premium".split())
_EARNING = frozenset({"earn", "earns", "earned", "earning", "drawing"})
_INCOME = frozenset({"income", "salary", "wage", "wages", "pay", "earnings", "remuneration"})
_LARGEST_FRACTION = Decimal("1.5")
_FEW = 99
_HANDFUL = 10
_STEP_WORDS = frozenset({"day", "week", "month", "quarter", "year"})


def measured_after(walk: Walk, lower: Number) -> Attribute | None:
    """ "between 30 and 89 days past due": the figure stands behind the upper number, whose unit is the figure's."""
    ahead = walk.skip(2, *_LINKS)
    upper, named = walk.peek(ahead), walk.peek(ahead + 1)
    if not isinstance(upper, Number) or not isinstance(named, Attribute) or lower.unit not in {None, upper.unit}:
        return None
    item = walk.knowledge.field(named)
    return named if item.role == "measure" and units_agree(item, upper) else None


def understood_number(walk: Walk, number: Number | None) -> FieldRef | None:
    """Which figure "over 5 lakh" means where none is named: that of the last thing."""
    valued = [Thing(item.field.dataset) for item in walk.sketch.filters if isinstance(item, Condition)]
    if walk.is_cue(-1, "have") and walk.items[walk.position - 1].text.lower() in _EARNING:
        return _earned(walk)
    named = walk.sketch.attributes[-1] if walk.sketch.attributes else None
    bounded = walk.sketch.filters[-1] if walk.sketch.filters and walk.is_cue(-1, "and", "stop") else None
    if isinstance(walk.peek(-2), Number) and isinstance(bounded, Condition) and number is not None:
        return bounded.field  # "at least 500 and at most 900"
    if named is not None and number is not None and walk.knowledge.field(named).role == "measure":
        return ref(named)
    if number is not None and _is_number_of_things(walk, number):
        return None
    before = walk.peek(-1)
    latest = [Thing(before.dataset)] if isinstance(before, Stored | Thing) else []
    for thing in (*latest, *reversed(walk.sketch.things), *reversed(valued)):
        duration = number.unit if number is not None else None
        if duration in {"days", "weeks", "months", "years", "percent"}:
            fields = [f for f in walk.knowledge.dataset(thing.dataset).fields if f.unit == duration]
            target = FieldRef(dataset=thing.dataset, field=fields[0].name) if len(fields) == 1 else None
        else:
            target = walk.knowledge.main_measure(thing.dataset)
        if target is not None:
            walk.assume(f"The comparison is about {walk.knowledge.field(target).label}, as no other figure was named.")
            walk.sketch.cost += 0.2
            return target
    return None


def _is_number_of_things(walk: Walk, number: Number) -> bool:
    """ "at least 3 unpaid instalments", "that had at least one": a few of something, and no sum of money."""
    if number.unit is not None or not 0 < number.value <= _FEW:
        return False
    ahead = walk.position + 1
    while ahead < len(walk.items) and not isinstance(walk.items[ahead].meaning, Number):
        ahead += 1
    following = ahead + 1 - walk.position
    ends = walk.peek(following) is None or isinstance(walk.peek(following), Days)
    ends = ends or walk.items[walk.position + following].apart  # "above 50 in Leeds"
    return number.value < _HANDFUL or not (ends or walk.is_cue(following, "and", "or", "stop", "group", "superlative"))


def _earned(walk: Walk) -> FieldRef | None:
    """ "members earning over 5000": their income or salary, whatever their main figure is."""
    fields = walk.knowledge.dataset(walk.subject).fields if walk.subject is not None else ()
    found = [item for item in fields if item.role == "measure" and _INCOME.intersection(words(item.label))]
    if len(found) != 1 or walk.subject is None:
        return None
    walk.assume(f"The comparison is about {found[0].label}, as no other figure was named.")
    return FieldRef(dataset=walk.subject, field=found[0].name)


def is_counted(walk: Walk, found: Attribute, number: Number, ahead: int) -> bool:
    """A few of an amount, said in the plural of its name."""
    said = walk.items[walk.position + ahead].text.lower().split()[-1]
    several = said.endswith("s") and not walk.knowledge.field(found).label.lower().endswith("s")
    return several and number.unit is None and 0 < number.value <= _FEW


def add_number(walk: Walk, place: FieldRef, operator: str, number: Number, *, taken: int) -> None:
    """Compare a field with the number, and move on past `taken` items; unlike units are left over."""
    label = walk.knowledge.field(place).label
    item = walk.knowledge.field(place)
    if not units_agree(item, number) or (item.type == "text" and operator not in {"=", "!="}):
        walk.leave_over(taken)
        return
    number = _as_stored(number, item)
    value = walk.knowledge.typed(place, number)
    if operator == "between":
        ahead = walk.skip(taken, *_LINKS)
        upper = walk.peek(ahead)
        if isinstance(upper, Number):
            pair = (value, walk.knowledge.typed(place, _as_stored(upper, item)))
            walk.add_filter(Condition(field=place, operator="between", values=pair))
            walk.take(ahead + 1, f"{label} between {pair[0]} and {pair[1]}")
            return
        walk.leave_over(taken)
        return
    walk.add_filter(Condition(field=place, operator=operator, values=(value,)))
    walk.having = False
    per_year = number.unit == "percent" and walk.peek(taken) == Step("year")  # "18 percent a year"
    walk.take(taken + per_year, f"{label} {operator} {value}")


def _as_stored(number: Number, item: Field) -> Number:
    """95 % of what is kept as a fraction is 0.95."""
    whole = item.unit == "fraction" and (number.unit == "percent" or abs(number.value) > _LARGEST_FRACTION)
    return replace(number, value=number.value / 100, unit=None) if whole else number


def units_agree(item: Field, number: Number) -> bool:
    """A percentage of money, or days of a count, would compare unlike with unlike."""
    if number.unit == "percent" and item.unit is None and _MONEY_WORDS.intersection(words(item.label)):
        return False
    if number.unit is None or item.unit is None:
        return True
    if item.unit == "fraction":
        return number.unit == "percent"
    if number.unit == "money":
        return item.unit not in {"percent", "days", "weeks", "months", "years", "count"}
    return item.unit == number.unit


def says_its_span(walk: Walk, target: GroupTarget) -> bool:
    """ "annual fee of 0 per year", "earn more than 5000 a month": said of a figure that is one of a year or month."""
    last = walk.sketch.filters[-1] if walk.sketch.filters else None
    listed = not (walk.sketch.groups or walk.sketch.measures) or isinstance(walk.peek(-1), Number)
    if not isinstance(target, Step) or not isinstance(last, Condition) or not listed:
        return False
    spans = {"year": {"annual", "yearly"}, "month": {"monthly"}, "quarter": {"quarterly"}}.get(target.grain, set())
    return bool(spans.intersection(words(walk.knowledge.field(last.field).label)))


def names_a_duration(walk: Walk, taken: int) -> bool:
    """Leave over what is grouped by where it is a duration."""
    found = any(_is_a_duration(walk, place) for place in range(1, taken))
    if found:
        walk.leave_over(taken)
    return found


def _is_a_duration(walk: Walk, ahead: int) -> bool:
    """ "per month", where only a number of months is called so: how long something lasts is no step of time."""
    found, said = walk.peek(ahead), walk.items[walk.position + ahead].text.lower()
    if said not in _STEP_WORDS or not isinstance(found, Attribute):
        return False
    return walk.knowledge.field(found).role == "measure" and words(walk.knowledge.field(found).label)[-1] == f"{said}s"
