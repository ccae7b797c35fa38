"""Rules for what narrows the rows: values, comparisons, dates, and relations to other things."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Cue, CueKind, Days, Number, Quote, Stored, Thing, Unknown
from ai_engine.built_in.sketch import COMPARISONS, OPPOSITE, Walk
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Filter, Having, Measure, Membership, Operator, Value
from ai_engine.semantics.model import Field

_LINKS: tuple[CueKind, ...] = ("and", "or", "stop")
_YOUNGEST, _OLDEST = 10, 120
_SAME_LENGTH = 3  # months differ by three days at the most
_TEXT_OPERATORS = {"contains", "starts with", "ends with"}


def stored(walk: Walk) -> None:
    """Values found in the data: "Mumbai", "savings or current", "not closed", "both gold and silver"."""
    people = walk.knowledge.people
    values = _same_field_values(walk)
    first = values[0]
    if first.dataset == people and not walk.sketch.things and walk.is_cue(0, "have", "relative", "not"):
        _ask_for(walk, people)
    place = FieldRef(dataset=first.dataset, field=first.field)
    label = walk.knowledge.field(place).label
    negated = walk.use_negation()
    shown = ", ".join(str(value.value) for value in values)
    if walk.both and len(values) > 1:
        walk.both = False
        for value in values:
            inner = Condition(field=place, operator="=", values=(_value(value),))
            walk.sketch.filters.append(Membership(dataset=first.dataset, filters=(inner,), negated=negated))
        return
    operator: Operator = ("not in" if negated else "in") if len(values) > 1 else ("!=" if negated else "=")
    related = _related_to_subject(walk, first)
    condition = Condition(field=place, operator=operator, values=tuple(map(_value, values)))
    walk.sketch.meanings.append((shown, f"{label} is {'not ' if negated else ''}{shown}"))
    if related and negated:
        inside = condition.model_copy(update={"operator": "in" if len(values) > 1 else "="})
        walk.add_filter(Membership(dataset=first.dataset, negated=True, filters=(inside,)))
    else:
        walk.add_filter(condition)


def _ask_for(walk: Walk, people: str) -> None:
    """ "how many women have ...", "women with loans": the value stands for the people who have it."""
    walk.sketch.things.append(Thing(people))
    if walk.pending is not None and walk.pending.aggregates == ("count",):
        walk.sketch.measures.append(Measure(aggregate="count", dataset=people))
        walk.pending = None


def compare(walk: Walk) -> None:
    """A comparison whose left side was not named right before it."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    number = walk.peek(1)
    if isinstance(number, Days) and cue.value == ">":
        walk.take(1)  # "over the last 12 months"
        return
    if isinstance(number, Number) and _is_age(walk, number):
        older(walk)
        return
    if cue.value in _TEXT_OPERATORS:
        _text_before_field(walk, str(cue.value))
        return
    negated = walk.use_negation()
    operator = str(OPPOSITE[str(cue.value)] if negated and cue.value in OPPOSITE else cue.value)
    if isinstance(number, Number):
        following = walk.peek(2)
        described = described_thing(walk, 2)
        if described is not None and walk.peek(2) is not described and number.unit is None:
            count_related(walk, operator, number, described, taken=2)
        elif isinstance(following, Thing) and walk.pending is not None and walk.pending.of_amount:
            _compare_amount(walk, operator, number, following)
        elif isinstance(following, Thing):
            count_related(walk, operator, number, following, taken=3)
        elif isinstance(following, Attribute) and walk.knowledge.field(following).role == "measure":
            _add_number(walk, ref(following), operator, number, taken=3)
        elif (target := _understood_number(walk, number)) is not None:
            _add_number(walk, target, operator, number, taken=2)
        else:
            walk.leave_over(2)
        return
    if walk.is_cue(1, "aggregate") and (target := _understood_number(walk, None)) is not None:
        aggregate = walk.peek(1)
        assert isinstance(aggregate, Cue)  # noqa: S101 - is_cue says so
        named = walk.peek(2)
        field = ref(named) if isinstance(named, Attribute) else target
        versus = Measure(aggregate=str(aggregate.value), field=field)
        walk.add_filter(Condition(field=field, operator=operator, versus=versus))
        walk.take(2 + isinstance(named, Attribute), f"compared with the {walk.text(2)}")
        return
    walk.leave_over()


def _is_age(walk: Walk, number: Number) -> bool:
    """ "customers over 60 (years)": people and no figure named."""
    after = walk.peek(2)
    people = walk.knowledge.people
    return (
        people is not None
        and bool(walk.sketch.things)
        and walk.sketch.things[-1].dataset == people
        and isinstance(walk.peek(-1), Thing | Cue)
        and number.unit in {None, "years"}
        and _YOUNGEST <= number.value <= _OLDEST
        and not isinstance(after, Thing | Attribute | Stored)
    )


def _compare_amount(walk: Walk, operator: str, number: Number, found: Thing) -> None:
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


def _text_before_field(walk: Walk, operator: str) -> None:
    """ "with the letter a in their names"; without a text, "containing" is a verb like "with"."""
    text, named = walk.peek(1), walk.peek(2)
    if not isinstance(text, Quote) and operator == "contains":
        have(walk)
    elif not isinstance(text, Quote):
        walk.leave_over()
    elif isinstance(named, Attribute):
        walk.add_filter(Condition(field=ref(named), operator=operator, values=(text.text,)))
        walk.take(3, f"{walk.knowledge.field(named).label} {operator} {text.text}")
    else:
        walk.leave_over(2)


def older(walk: Walk) -> None:
    """ "older than 60", "aged between 25 and 35": an age of the people in question."""
    cue, number = walk.peek(), walk.peek(1)
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    datasets = [thing.dataset for thing in walk.sketch.things] or [d.name for d in walk.knowledge.model.datasets]
    age = next(filter(None, map(walk.knowledge.age_field, datasets)), None)
    if age is None or not isinstance(number, Number):
        walk.leave_over()
        return
    if cue.value == "between":
        upper = walk.peek(walk.skip(2, *_LINKS))
        values: tuple[Value, ...] = (int(number.value),)
        if isinstance(upper, Number):
            values += (int(upper.value),)
        walk.add_filter(Condition(field=age, operator="between" if len(values) > 1 else "=", values=values))
        walk.take(2 if len(values) == 1 else walk.skip(2, *_LINKS) + 1, "age")
        return
    walk.add_filter(Condition(field=age, operator=str(cue.value), values=(int(number.value),)))
    walk.take(2, "age")


def days(walk: Walk) -> None:
    """A period that no date field stands before."""
    found = walk.peek()
    assert isinstance(found, Days)  # noqa: S101 - dispatched by type
    negated = walk.use_negation()
    if _is_compared_period(walk, found):
        walk.take(1, "compared with")
        return
    if walk.alternative or walk.open_membership or walk.sketch.period is not None or negated:
        place = _time_in_question(walk)
        if place is None:
            walk.leave_over()
            return
        for item in _days_filters(place, found, negated=negated):
            walk.add_filter(item)
    else:
        walk.sketch.period = found
    walk.take(1, found.label)


def _is_compared_period(walk: Walk, found: Days) -> bool:
    """ "October vs September", "September over August 2026": the second is what the first is held against."""
    first = walk.sketch.period
    if first is None or first.start is None or first.end is None or found.start is None or found.end is None:
        return False
    changed = walk.sketch.one_row_each or walk.sketch.transform in {"change", "change_percent"}
    if not changed:
        return False
    earlier, later = sorted((first, found), key=lambda days: days.start or date.min)
    assert earlier.start and earlier.end and later.start and later.end  # noqa: S101 - both have both sides
    if (
        earlier.end == later.start
        and abs((earlier.end - earlier.start) - (later.end - later.start)).days <= _SAME_LENGTH
    ):
        walk.sketch.compare = "previous_period"
    elif (later.start.year - earlier.start.year, later.start.month) == (1, earlier.start.month):
        walk.sketch.compare = "same_period_last_year"
    else:
        return False
    walk.sketch.period, walk.sketch.one_row_each = later, False
    return True


def quote(walk: Walk) -> None:
    """A quoted text that no column is known to hold, without a column before it."""
    found = walk.peek()
    assert isinstance(found, Quote)  # noqa: S101 - dispatched by type
    named = [a for a in walk.sketch.attributes if walk.knowledge.field(a).type == "text"]
    if named and isinstance(walk.peek(-1), Attribute):
        walk.sketch.attributes.remove(named[-1])
        walk.add_filter(Condition(field=ref(named[-1]), operator="=", values=(found.text,)))
        walk.take(1, f"{walk.knowledge.field(named[-1]).label} is {found.text}")
        return
    walk.leave_over()


def negation(walk: Walk) -> None:
    """ "not", "without": waits for what it denies."""
    walk.negated = not walk.negated
    walk.take(1, "not")


def have(walk: Walk) -> None:
    """ "with", "who made": what follows belongs to the subject; "with no" and "without" come here too."""
    walk.having = True
    walk.take(1)


def only(walk: Walk) -> None:
    """ "with only savings accounts" denies all others, which is not understood; "only active ones" says nothing."""
    if walk.having:
        walk.leave_over()
    else:
        walk.take(1)


def weekday(walk: Walk) -> None:
    """ "on weekends", "on Mondays": a day of the week of what is dated."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    place = _time_in_question(walk)
    if place is None:
        walk.leave_over()
        return
    numbers = tuple(int(day) for day in str(cue.value).split())
    operator: Operator = "not in" if walk.use_negation() else "in"
    walk.add_filter(Condition(field=place.model_copy(update={"grain": "weekday"}), operator=operator, values=numbers))
    walk.take(1, "day of the week")


def empty(walk: Walk) -> None:
    """ "missing email": a field without a value."""
    found = walk.peek(1)
    if isinstance(found, Attribute):
        operator: Operator = "is not null" if walk.use_negation() else "is null"
        walk.add_filter(Condition(field=ref(found), operator=operator))
        walk.take(2, f"{walk.knowledge.field(found).label} {operator}")
        return
    walk.leave_over()


def condition_after(walk: Walk, found: Attribute) -> bool:
    """Read "balance over 5 lakh", "opened in 2024", "name contains 'a'", "term 24 months" where it begins here."""
    place = ref(found)
    item = walk.knowledge.field(found)
    ahead = 1
    denied = False
    while walk.is_cue(ahead, "not", "have", "relative"):
        denied ^= walk.is_cue(ahead, "not")
        ahead += 1
    meaning = walk.peek(ahead)
    if walk.is_cue(1, "have", "relative") and walk.sketch.asks_list and isinstance(meaning, Cue | Days):
        return False  # "balance of accounts with more than 5 crore" shows it too
    if isinstance(meaning, Cue) and meaning.kind == "compare":
        return not _counts_things(walk, ahead) and _comparison(walk, found, ahead, denied)
    if isinstance(meaning, Cue) and meaning.kind == "empty":
        operator: Operator = "is not null" if denied or walk.use_negation() else "is null"
        walk.add_filter(Condition(field=place, operator=operator))
        walk.take(ahead + 1, f"{item.label} {operator}")
        return True
    if item.role == "time" and isinstance(meaning, Days):
        _date_condition(walk, place, meaning, ahead + 1, denied)
        return True
    if any(walk.is_cue(between, "have", "relative") for between in range(1, ahead)):
        return False
    if isinstance(meaning, Number) and item.type != "boolean" and not walk.is_cue(ahead + 1, "superlative"):
        if item.role in {"time", "flag"} or (item.role in {"text", "name"} and meaning.unit):
            return False
        _add_number(walk, place, "!=" if denied or walk.use_negation() else "=", meaning, taken=ahead + 1)
        return True
    if isinstance(meaning, Quote) and item.type == "text":
        walk.add_filter(Condition(field=place, operator="!=" if denied else "=", values=(meaning.text,)))
        walk.take(ahead + 1, f"{item.label} is {meaning.text}")
        return True
    return False


def related_thing(walk: Walk, found: Thing) -> bool:
    """Read a thing that the subject has or lacks: "with a loan", "who made no transactions"."""
    subject = walk.subject
    knows = walk.knowledge
    denied = walk.negated
    if subject is None or subject == found.dataset or not (walk.having or denied):
        return False
    last = walk.sketch.filters[-1] if walk.open_membership else None
    if isinstance(last, Membership) and last.dataset == found.dataset and not denied:
        walk.take(1)  # "a mortgage loan": the value before it opened the membership
        return True
    if knows.is_parent(subject, found.dataset) and not denied:
        return False  # each row belongs to one: naming it narrows nothing
    walk.negated = False
    label = knows.dataset(found.dataset).label
    walk.add_filter(Membership(dataset=found.dataset, negated=denied, via=found.via))
    _take_waiting_values(walk, found)
    walk.take(1, f"{'without' if denied else 'with'} {label}")
    return True


# --- parts ---------------------------------------------------------------------------------------------------------


def _value(found: Stored) -> Value:
    assert found.value is None or isinstance(found.value, str | int | bool)  # noqa: S101 - only names are indexed
    return str(found.value) if isinstance(found.value, str) else found.value or 0


def _same_field_values(walk: Walk) -> list[Stored]:
    """Take a value and those of the same field listed after it."""
    first = walk.peek()
    assert isinstance(first, Stored)  # noqa: S101 - dispatched by type
    values = [first]
    walk.take(1)
    while True:
        noun = walk.peek()
        own = isinstance(noun, Thing) and noun.dataset == first.dataset and walk.is_cue(1, *_LINKS, "against")
        ahead = walk.skip(int(own), *_LINKS, "both", "against", "not" if walk.negated else "and")
        following = walk.peek(ahead)
        walk.sketch.one_row_each |= walk.is_cue(int(own), "against") and isinstance(following, Stored)
        if ahead == int(own) or not (
            isinstance(following, Stored) and (following.dataset, following.field) == (first.dataset, first.field)
        ):
            return values
        values.append(following)
        walk.take(ahead + 1)


def _related_to_subject(walk: Walk, found: Stored) -> bool:
    """Whether the value sits in rows of which the subject has many."""
    subject = walk.subject
    knows = walk.knowledge
    return subject is not None and subject != found.dataset and not knows.is_parent(subject, found.dataset)


def _take_waiting_values(walk: Walk, found: Thing) -> None:
    """Values said right before the thing describe it: "a gold card", "business loans"."""
    *earlier, membership = walk.sketch.filters
    assert isinstance(membership, Membership)  # noqa: S101 - just added
    moved: list[Filter] = []
    while earlier and isinstance(earlier[-1], Condition) and earlier[-1].field.dataset == found.dataset:
        moved.insert(0, earlier.pop())
    negated = membership.negated or any(_is_negative(item) for item in moved)
    plain = tuple(_positive(item) for item in moved)
    narrowed = membership.model_copy(update={"filters": plain, "negated": negated})
    walk.sketch.filters = [*earlier, narrowed]


def _is_negative(item: Filter) -> bool:
    return isinstance(item, Condition) and item.operator in {"!=", "not in"}


def _positive(item: Filter) -> Filter:
    if isinstance(item, Condition) and _is_negative(item):
        return item.model_copy(update={"operator": "=" if item.operator == "!=" else "in"})
    return item


def _keep_groups_with(walk: Walk, grouped: Attribute, operator: str, count: int, found: Thing, taken: int) -> None:
    """ "cities with more than 1000 customers": groups of the field, kept by how many rows they have."""
    compared = COMPARISONS.get(operator)
    if compared is None:
        walk.leave_over(taken)
        return
    counted = Measure(aggregate="count", dataset=found.dataset)
    walk.sketch.attributes.remove(grouped)
    walk.sketch.groups.append(grouped)
    walk.sketch.havings.append(Having(measure=counted, operator=compared, value=Decimal(count)))
    walk.having = False
    walk.take(taken, f"number of {walk.knowledge.dataset(found.dataset).label} rows {operator} {count}")


def described_thing(walk: Walk, ahead: int) -> Thing | None:
    """The thing at `ahead`, past values that describe it: "two active savings accounts"."""
    while isinstance(walk.peek(ahead), Stored):
        ahead += 1
    found = walk.peek(ahead)
    return found if isinstance(found, Thing) else None


def count_related(walk: Walk, operator: str, number: Number, found: Thing, *, taken: int) -> None:
    """ "more than two accounts", "at least 3 transactions", "0 loans"."""
    count = int(number.value)
    bounds = {
        ">": (count + 1, None), ">=": (count, None), "<": (None, count - 1), "<=": (None, count), "=": (count, count),
    }.get(operator)  # fmt: skip
    subject = walk.subject
    grouped = walk.sketch.attributes[-1] if walk.sketch.attributes and not walk.sketch.things else None
    if grouped is not None and walk.knowledge.field(grouped).role in {"category", "name", "flag"}:
        _keep_groups_with(walk, grouped, operator, count, found, taken)
        return
    if bounds is None or subject is None or subject == found.dataset:
        walk.leave_over(taken)
        return
    walk.take(taken, f"number of {walk.knowledge.dataset(found.dataset).label} rows {operator} {count}")
    if bounds[1] == 0:
        walk.add_filter(Membership(dataset=found.dataset, negated=True, via=found.via))
    else:
        walk.add_filter(Membership(dataset=found.dataset, at_least=bounds[0], at_most=bounds[1], via=found.via))
    walk.having = False


def _understood_number(walk: Walk, number: Number | None) -> FieldRef | None:
    """Which figure "over 5 lakh" means where none is named: that of the last thing."""
    valued = [Thing(item.field.dataset) for item in walk.sketch.filters if isinstance(item, Condition)]
    named = walk.sketch.attributes[-1] if walk.sketch.attributes else None
    if named is not None and number is not None and walk.knowledge.field(named).role == "measure":
        return ref(named)
    before = walk.peek(-1)
    latest = [Thing(before.dataset)] if isinstance(before, Stored | Thing) else []
    for thing in (*latest, *reversed(walk.sketch.things), *reversed(valued)):
        duration = number.unit if number is not None else None
        if duration in {"days", "weeks", "months", "years"}:
            fields = [f for f in walk.knowledge.dataset(thing.dataset).fields if f.unit == duration]
            target = FieldRef(dataset=thing.dataset, field=fields[0].name) if len(fields) == 1 else None
        else:
            target = walk.knowledge.main_measure(thing.dataset)
        if target is not None:
            walk.assume(f"The comparison is about {walk.knowledge.field(target).label}, as no other figure was named.")
            walk.sketch.cost += 0.2
            return target
    return None


def _add_number(walk: Walk, place: FieldRef, operator: str, number: Number, *, taken: int) -> None:
    label = walk.knowledge.field(place).label
    item = walk.knowledge.field(place)
    if not _units_agree(item, number) or (item.type == "text" and operator not in {"=", "!="}):
        walk.leave_over(taken)
        return
    value = walk.knowledge.typed(place, number)
    if operator == "between":
        ahead = walk.skip(taken, *_LINKS)
        upper = walk.peek(ahead)
        if isinstance(upper, Number):
            pair = (value, walk.knowledge.typed(place, upper))
            walk.add_filter(Condition(field=place, operator="between", values=pair))
            walk.take(ahead + 1, f"{label} between {pair[0]} and {pair[1]}")
            return
        walk.leave_over(taken)
        return
    walk.add_filter(Condition(field=place, operator=operator, values=(value,)))
    walk.having = False
    walk.take(taken, f"{label} {operator} {value}")


def _units_agree(item: Field, number: Number) -> bool:
    """A percentage of money, or days of a count, would compare unlike with unlike."""
    if number.unit is None or item.unit is None:
        return True
    if number.unit == "money":
        return item.unit not in {"percent", "days", "weeks", "months", "years", "count"}
    return item.unit == number.unit


def _comparison(walk: Walk, found: Attribute, ahead: int, denied: bool) -> bool:
    """The attribute is followed by a comparison at `ahead`; read its right side."""
    cue = walk.peek(ahead)
    assert isinstance(cue, Cue)  # noqa: S101 - the caller looked
    denied ^= walk.use_negation()
    operator = str(OPPOSITE.get(str(cue.value), cue.value) if denied else cue.value)
    place, item = ref(found), walk.knowledge.field(found)
    right = walk.peek(ahead + 1)
    if operator.removeprefix("not ") in _TEXT_OPERATORS:
        return item.type == "text" and _text_comparison(walk, place, operator, ahead)
    if isinstance(right, Number) and item.role not in {"time", "name", "text"}:
        _add_number(walk, place, operator, right, taken=ahead + 2)
        return True
    if isinstance(right, Days):
        return _compare_days(walk, place, operator, right, ahead + 2)
    if isinstance(right, Stored | Quote) and operator in {"=", "!="}:
        value: Value = right.text if isinstance(right, Quote) else _value(right)
        walk.add_filter(Condition(field=place, operator=operator, values=(value,)))
        walk.take(ahead + 2, f"{item.label} {operator} {value}")
        return True
    if walk.is_cue(ahead + 1, "aggregate"):
        return _compare_with_figure(walk, found, operator, ahead + 1)
    if isinstance(right, Attribute) and walk.knowledge.field(right).type == item.type:
        walk.add_filter(Condition(field=place, operator=operator, other=ref(right)))
        walk.take(ahead + 2, f"{item.label} {operator} {walk.knowledge.field(right).label}")
        return True
    return False


def _counts_things(walk: Walk, ahead: int) -> bool:
    """ "more than one loan" is about the loans, not about the field before."""
    return isinstance(walk.peek(ahead + 1), Number) and isinstance(walk.peek(ahead + 2), Thing)


def _text_comparison(walk: Walk, place: FieldRef, operator: str, ahead: int) -> bool:
    texts: list[str] = []
    end = ahead + 1
    while True:
        item = walk.peek(end)
        text = item.text if isinstance(item, Quote) else str(item.value) if isinstance(item, Stored) else None
        if isinstance(item, Unknown):
            text = item.word
        if isinstance(item, Number):
            text = f"{item.value:f}"
        if text is None:
            break
        texts.append(text)
        following = walk.skip(end + 1, "or", "stop")
        if following == end + 1:
            break
        end = following
    if not texts:
        return False
    conditions = tuple(Condition(field=place, operator=operator, values=(text,)) for text in texts)
    walk.add_filter(conditions[0] if len(conditions) == 1 else AnyOf(filters=conditions))
    walk.take(end + 1 if walk.peek(end) is not None else end, f"{operator} {' or '.join(texts)}")
    return True


def _compare_with_figure(walk: Walk, found: Attribute, operator: str, ahead: int) -> bool:
    """ "credit score below the average credit score of all customers"."""
    cue = walk.peek(ahead)
    assert isinstance(cue, Cue)  # noqa: S101 - the caller looked
    named = walk.peek(ahead + 1)
    field = ref(named) if isinstance(named, Attribute) else ref(found)
    versus = Measure(aggregate=str(cue.value), field=field)
    walk.add_filter(Condition(field=ref(found), operator=operator, versus=versus))
    taken = ahead + 1 + isinstance(named, Attribute)
    if isinstance(named, Attribute) and isinstance(walk.peek(taken), Thing):
        thing = walk.peek(taken)
        taken += isinstance(thing, Thing) and thing.dataset == named.dataset
    walk.take(taken, f"{operator} the {cue.value} of all")
    return True


def _compare_days(walk: Walk, place: FieldRef, operator: str, right: Days, taken: int) -> bool:
    sides = {
        ">": Days(right.end, None, f"after {right.label}"),
        ">=": Days(right.start, None, f"since {right.label}"),
        "<": Days(None, right.start, f"before {right.label}"),
        "<=": Days(None, right.end, f"until {right.label}"),
        "=": right,
    }
    if operator not in sides:
        return False
    _date_condition(walk, place, sides[operator], taken, denied=False)
    return True


def _date_condition(walk: Walk, place: FieldRef, found: Days, taken: int, denied: bool) -> None:
    negated = denied or walk.use_negation()
    only_date_said = walk.sketch.period is None and not negated and not walk.alternative and not walk.open_membership
    if only_date_said and place.dataset == (walk.subject or place.dataset):
        walk.sketch.period, walk.sketch.period_field = found, place
    else:
        for item in _days_filters(place, found, negated=negated):
            walk.add_filter(item)
    walk.having = False
    walk.take(taken, f"{walk.knowledge.field(place).label}: {found.label}")


def _days_filters(place: FieldRef, found: Days, *, negated: bool) -> tuple[Filter, ...]:
    lower = _edge(place, ">=", found.start)
    upper = _edge(place, "<", found.end)
    if not negated:
        return tuple(item for item in (lower, upper) if item)
    outside = tuple(item.model_copy(update={"operator": OPPOSITE[item.operator]}) for item in (lower, upper) if item)
    return (AnyOf(filters=outside),) if len(outside) > 1 else outside


def _edge(place: FieldRef, operator: Operator, day: date | None) -> Condition | None:
    return Condition(field=place, operator=operator, values=(day,)) if day else None


def _time_in_question(walk: Walk) -> FieldRef | None:
    last = walk.sketch.filters[-1] if walk.open_membership else None
    if isinstance(last, Membership):
        return walk.knowledge.time_field(last.dataset)
    if walk.sketch.period_field is not None:
        return walk.sketch.period_field
    subject = walk.subject
    return walk.knowledge.time_field(subject) if subject else None
