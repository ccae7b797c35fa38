"""Rules for the days between two dates: "days from application to disbursal", "closed within 90 days of opening"."""

from __future__ import annotations

from collections.abc import Iterator

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Cue, Days, Number, Stored, Thing, dataset_of_meaning
from ai_engine.built_in.rules.properties import DATE_NOUNS
from ai_engine.built_in.sketch import Item, Walk
from ai_engine.semantics.intent import Condition, FieldRef, Measure
from ai_engine.semantics.words import stem, words

_DAYS_IN = {"days": 1, "weeks": 7}
_AVERAGED = frozenset({"avg", "min", "max", "median", "stddev"})
_NOUNS = frozenset(map(stem, DATE_NOUNS))


def elapsed(walk: Walk) -> None:
    """ "average days from opening to closing", "days to close": a figure of each row that has both dates."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    if cue.value == "within":
        if not _within(walk):
            walk.take(1)
        return
    first = _next_date(walk, 1)
    second = _next_date(walk, first[0] + 1) if first is not None and cue.value is None else None
    pending = walk.pending
    aggregates = pending.aggregates if pending is not None else ("avg",)
    if first is None or walk.superlative is not None or not _AVERAGED.issuperset(aggregates):
        walk.leave_over()
        return
    if cue.value == "to":
        place, end = first
        start = walk.knowledge.time_field(end.dataset)
    else:
        if second is None:
            walk.leave_over()
            return
        (_, start), (place, end) = first, second
    if start is None or start == end:
        walk.leave_over()
        return
    if cue.value == "to":
        walk.assume(f"Days are counted from {walk.knowledge.field(start).label}.")
    walk.pending = None
    between = end.model_copy(update={"since": start})
    walk.take(place + 1, walk.knowledge.field(between).label)
    walk.sketch.measures += [Measure(aggregate=said, field=between) for said in aggregates]


def elapsed_after(walk: Walk, operator: str, number: Number) -> bool:
    """ "paid more than 30 days after the due date": the days from one date to the one named before."""
    direction = walk.text(3).lower().split()[-1] if walk.is_cue(2, "compare") else ""
    days = _in_days(number)
    if direction not in {"after", "before"} or days is None:
        return False
    before, after = _date_before(walk), _next_date(walk, 3)
    if before is None or after is None or before == after[1]:
        return False
    start, end = (after[1], before) if direction == "after" else (before, after[1])
    _compare(walk, start, end, operator, days, taken=after[0] + 1)
    return True


def _within(walk: Walk) -> bool:
    """ "closed within 90 days of opening"."""
    number = walk.peek(1)
    days = _in_days(number) if isinstance(number, Number) else None
    before, after = _date_before(walk), _next_date(walk, 2)
    if days is None or after is None or before is None or before == after[1]:
        return False
    _compare(walk, after[1], before, "<=", days, taken=after[0] + 1)
    return True


def _compare(walk: Walk, start: FieldRef, end: FieldRef, operator: str, days: int, *, taken: int) -> None:
    said = [item for item in walk.sketch.attributes if ref(item) == end]
    walk.sketch.attributes = [item for item in walk.sketch.attributes if item not in said]
    between = end.model_copy(update={"since": start})
    walk.having = False
    walk.take(taken, f"{walk.knowledge.field(between).label} {operator} {days}")
    walk.add_filter(Condition(field=between, operator=operator, values=(days,)))


def _in_days(number: Number) -> int | None:
    return int(number.value) * _DAYS_IN[number.unit] if number.unit in _DAYS_IN else None


def _date_before(walk: Walk) -> FieldRef | None:
    """The date named by what was said last, past the things it was said of."""
    ahead = -1
    while isinstance(walk.peek(ahead), Thing):
        ahead -= 1
    return date_said(walk, ahead)


def happened_elsewhere(walk: Walk) -> bool:
    """ "claims paid last month", where payments of claims have that date and claims have none: it dates no claim."""
    subject, verb = walk.subject, stem(walk.text().lower())
    if subject is None or not isinstance(walk.peek(1), Days) or not isinstance(walk.peek(-1), Thing):
        return False
    dated = {
        dataset.name
        for dataset in walk.knowledge.model.datasets
        for item in dataset.fields
        if item.role == "time" and verb in {stem(word) for word in words(item.label)}
    }
    return subject not in dated and any(walk.knowledge.is_parent(name, subject) for name in dated)


def _next_date(walk: Walk, ahead: int) -> tuple[int, FieldRef] | None:
    """The next date that is named, and where; only links and things may stand before it."""
    while walk.is_cue(ahead, "and", "have") or (
        isinstance(walk.peek(ahead), Thing) and isinstance(walk.peek(ahead + 1), Attribute | Stored)
    ):
        ahead += 1
    found = date_said(walk, ahead)
    return (ahead, found) if found is not None else None


def date_said(walk: Walk, ahead: int) -> FieldRef | None:
    """The date that a word tells: its own, or that of what happened ("closed", "disbursal")."""
    meaning = walk.peek(ahead)
    if isinstance(meaning, Attribute) and walk.knowledge.field(meaning).role == "time":
        return ref(meaning)
    if meaning is None or isinstance(meaning, Thing | Number):
        return None
    said = {stem(word) for word in words(walk.items[walk.position + ahead].text)} - _NOUNS
    for dataset in _datasets(walk, walk.items[walk.position + ahead]):
        for item in walk.knowledge.dataset(dataset).fields:
            names = [{stem(word) for word in words(name)} for name in (item.label, *item.synonyms)]
            if item.role == "time" and said and any(said <= name for name in names):
                return FieldRef(dataset=dataset, field=item.name)
    return None


def _datasets(walk: Walk, said: Item) -> Iterator[str]:
    """Where the date may be kept: with the things that are named, then with what the words themselves name."""
    yield from (item.meaning.dataset for item in walk.items if isinstance(item.meaning, Thing))
    yield from filter(None, (dataset_of_meaning(item.meaning) for item in (said, *walk.items)))
