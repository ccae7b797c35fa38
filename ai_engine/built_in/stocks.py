"""What lasts and what happens: figures that are a state at a date, rows that began at one."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.spelled_names import EVENTS
from ai_engine.semantics.intent import Condition, FieldRef, Measure
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.people import holds_people
from ai_engine.semantics.words import stem, words

STATES = frozenset(map(stem, "balance outstanding overdue exposure position holding arrears status".split()))
ENDINGS = frozenset(map(stem, "closing closed closure end ended exit termination cancelled expiry expired".split()))
_BEGINNINGS = EVENTS | frozenset(map(stem, "joining joined onboarding enrolment hiring hired inception".split()))


def is_stock(measure: Measure, knows: Knowledge) -> bool:
    """Tell whether a figure is a state of things at a date, which does not add up over dates."""
    if is_snapshot(measure, knows):
        return measure.field is None or measure.field.field not in knows.dataset(measure.field.dataset).flows
    return is_state(measure, knows)


def is_snapshot(measure: Measure, knows: Knowledge) -> bool:
    """Tell whether a figure is over rows that were taken at dates."""
    base = knows.base(measure)
    return base is not None and knows.dataset(base).snapshot_time is not None


def is_state(measure: Measure, knows: Knowledge) -> bool:
    """Tell whether a figure is known as of now only."""
    if measure.metric is not None:
        return knows.model.metric(measure.metric).time_field is None
    if measure.field is None or measure.aggregate in {"count", "count_distinct"}:
        return False
    dataset = knows.dataset(measure.field.dataset)
    return begins_with_its_date(dataset) and says(knows.field(measure.field).label, STATES)


def is_flow(place: FieldRef, knows: Knowledge) -> bool:
    """Tell whether an amount is of something that happened, and neither kept at a date nor of what began at one."""
    dataset = knows.dataset(place.dataset)
    if dataset.snapshot_time is not None:
        return place.field in dataset.flows
    happens = dataset.default_time is not None and not holds_people(dataset) and not _lasts(dataset, knows)
    return happens and not says(knows.field(place).label, STATES)


def _lasts(dataset: Dataset, knows: Knowledge) -> bool:
    """Tell whether a row has a life after its date: an account or a loan, where a booking has none."""
    if not begins_with_its_date(dataset):
        return False
    lives = any(says(item.label, STATES if item.role == "measure" else ENDINGS) for item in dataset.fields)
    return lives or any(link.to_dataset == dataset.name for link in knows.model.relationships)


def begins_with_its_date(dataset: Dataset) -> bool:
    """Tell whether the date of a row is when it began, not when something happened to it."""
    dated = dataset.default_time
    return dated is not None and says(dataset.field(dated).label, _BEGINNINGS)


def says(label: str, stems: frozenset[str]) -> bool:
    """Tell whether a label has one of some words."""
    return bool(stems.intersection(map(stem, words(label))))


_ENDED = frozenset(
    """
    closed cancelled canceled terminated redeemed broken matured settled resolved repaid prepaid foreclosed surrendered
    withdrawn liquidated dissolved completed
    """.split()
)
_DAYS = frozenset("closed closing closure close terminated termination settled settlement resolved resolution".split())
_STATES = frozenset({"status", "state", "stage"})


def day_of_ending(item: Condition, knows: Knowledge) -> FieldRef | None:
    """The only day of ending that rows in a state of ending keep: "bonds redeemed early in 2025" were closed then."""
    said = {word for value in item.values for word in words(str(value))}
    label = words(knows.field(item.field).label)
    if not _ENDED.intersection(said) or not _STATES.intersection(label):
        return None
    days = [field for field in knows.dataset(item.field.dataset).fields if _is_day_of_ending(field)]
    return FieldRef(dataset=item.field.dataset, field=days[0].name) if len(days) == 1 else None


def _is_day_of_ending(field: Field) -> bool:
    return field.role == "time" and bool(_DAYS.intersection(words(field.label)))
