"""Rules for what is asked last of what was found: "and how much is it", "and on which date"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import GroupTarget, Walk
from ai_engine.semantics.intent import Measure
from ai_engine.semantics.people import calls_people


def asks_amount_too(walk: Walk) -> bool:
    """ "who has the largest balance, and how much is it": what ranks is shown, else the amount of what is listed."""
    sketch, said_last = walk.sketch, walk.peek(walk.skip(1, "stop")) is None
    if not said_last or not walk.is_cue(-1, "and", "stop") or walk.pending or walk.superlative:
        return False
    if any(wish.measure for wish in sketch.orders) or any(map(_adds_up_money, sketch.measures)):
        walk.take(1)
        return True
    ranked = sketch.orders[-1].field if sketch.orders else None
    if ranked is not None and walk.subject is not None and walk.knowledge.is_parent(ranked.dataset, walk.subject):
        walk.take(1)  # "who made the biggest transfer": what ranks them over their many rows is shown
        return True
    amount = ranked or (walk.knowledge.main_measure(walk.subject, money_only=True) if walk.subject else None)
    if amount is None or sketch.measures:
        return False
    _show_too(walk, Attribute(amount.dataset, amount.field, amount.via))
    walk.take(1, walk.knowledge.field(amount).label)
    return True


def _adds_up_money(measure: Measure) -> bool:
    return measure.metric is not None or measure.aggregate != "count"


def _show_too(walk: Walk, found: Attribute) -> None:
    """One more column; where no column was named, beside those that name the rows."""
    sketch = walk.sketch
    if not sketch.attributes and sketch.things and not sketch.beside:
        sketch.listed_first = sketch.things[0]
    sketch.attributes += [] if found in sketch.attributes else [found]
    sketch.asks_list = True


def asks_day_too(walk: Walk) -> bool:
    """ "who joined in 2021, and on which date": the date of what is listed."""
    said_last = walk.peek(walk.skip(1, "stop", "have")) is None
    listed = walk.subject is not None and not walk.sketch.measures and not walk.sketch.groups
    if not said_last or not walk.is_cue(-1, "and", "stop") or not listed or walk.subject is None:
        return False
    ranked = {wish.field.dataset if wish.field else walk.subject for wish in walk.sketch.orders}
    if ranked - {walk.subject}:
        walk.leave_over()  # "who made the biggest transfer, and when": of one among many rows
        return True
    day = walk.sketch.period_field or walk.knowledge.time_field(walk.subject)
    if day is None:
        return False
    _show_too(walk, Attribute(day.dataset, day.field, day.via))
    walk.take(walk.skip(1, "stop", "have"), walk.knowledge.field(day).label)
    return True


def asks_whose(walk: Walk) -> bool:
    """ "the largest loan - who": the people are shown instead of what ranks the rows."""
    people, subject, sketch = walk.knowledge.people, walk.subject, walk.sketch
    last = walk.is_cue(-1, "stop") and walk.peek(walk.skip(1, "stop")) is None
    if not last or subject is None or people is None:
        return False
    if sketch.measures and subject != people:
        walk.leave_over()
        return True
    if subject != people:
        sketch.rows_listed = subject
        ranked = {wish.field for wish in sketch.orders}
        names = walk.knowledge.naming_fields(Thing(people))
        sketch.attributes = [item for item in sketch.attributes if ref(item) not in ranked]
        sketch.attributes.extend(Attribute(item.dataset, item.field) for item in names)
    walk.take(1, "names of people")
    return True


def asks_person_too(walk: Walk) -> bool:
    """ "the largest payment, when and by whom": the person of what is listed, where it leads to one person only."""
    ahead = walk.skip(1, "stop", "and")
    said_last = walk.peek(ahead) is None or walk.is_cue(ahead, "when")
    subject, people, sketch = walk.subject, walk.knowledge.people, walk.sketch
    if not said_last or not walk.is_cue(-1, "and", "stop", "group") or not (subject or sketch.orders):
        return False
    listed = sketch.things and not sketch.measures and not sketch.groups
    day = walk.knowledge.time_field(subject) if subject else None
    unknown = people is None or subject is None or (sketch.asks_when and day is None)
    if not listed or unknown or not _belongs_to_one_person(str(subject), str(people), walk):
        walk.leave_over()
        return True
    if sketch.asks_when and day is not None:
        sketch.asks_when = False
        _show_too(walk, Attribute(day.dataset, day.field, day.via))
    sketch.beside.append(Thing(str(people)))
    walk.take(1, walk.knowledge.dataset(str(people)).label)
    return True


def _belongs_to_one_person(subject: str, people: str, walk: Walk) -> bool:
    """Whether rows belong to people, in one role and with nobody else beside them."""
    knows = walk.knowledge
    links = [link for link in knows.model.relationships_of(subject) if link.from_dataset == subject]
    links = [link for link in links if calls_people(knows.dataset(link.to_dataset))]
    return subject != people and knows.is_parent(subject, people) and len(links) <= 1


def counts_uses(walk: Walk) -> bool:
    """ "which payment methods are used, and how often": the rows that refer to each, where only one kind does."""
    sketch = walk.sketch
    said_last = walk.peek(walk.skip(1, "stop", "have")) is None
    if not said_last or len(sketch.things) != 1 or sketch.measures or not walk.is_cue(-1, "and", "stop"):
        return False
    referring = walk.knowledge.referring(sketch.things[0].dataset)
    if len(referring) != 1:
        walk.leave_over()
        return True
    sketch.groups.append(sketch.things.pop())
    sketch.measures.append(Measure(aggregate="count", dataset=referring[0]))
    walk.take(1, f"number of {walk.knowledge.dataset(referring[0]).label} rows")
    return True


def without_amount_said_last(walk: Walk, targets: list[GroupTarget]) -> list[GroupTarget]:
    """ "loans by status and amount": how many of each status and how much, as nobody groups by each amount."""
    last, sketch = targets[-1], walk.sketch
    if not isinstance(last, Attribute) or len(targets) == 1 or sketch.measures or walk.pending is not None:
        return targets
    item = walk.knowledge.field(last)
    summed = walk.knowledge.is_amount(last) and item.default_aggregate == "sum"
    if not summed or not sketch.things or sketch.limit_descending:
        return targets
    sketch.measures.append(Measure(aggregate="count", dataset=sketch.things[0].dataset))
    sketch.measures.append(Measure(aggregate="sum", field=ref(last)))
    return targets[:-1]
