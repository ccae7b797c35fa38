"""What lasts and what happens: figures that are a state at a date, rows that began at one."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.spelled_dates import EVENTS
from ai_engine.semantics.intent import FieldRef, Measure
from ai_engine.semantics.model import Dataset
from ai_engine.semantics.people import holds_people
from ai_engine.semantics.words import stem, words

STATES = frozenset(map(stem, "balance outstanding overdue exposure position holding arrears status".split()))
ENDINGS = frozenset(map(stem, "closing closed closure end ended exit termination cancelled expiry expired".split()))
_JOINING = frozenset(map(stem, "joining joined onboarding onboarded enrolment enrolled hiring hired".split()))
_BEGINNINGS = EVENTS | _JOINING | frozenset(map(stem, "inception since".split()))


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


def date_of_whole(dataset_name: str, knows: Knowledge) -> FieldRef | None:
    """The date of the one row that rows without a date belong to: an order line is of the day of its order.

    What lasts dates nothing where something else happened: a lot is of the day of its sale, and not of its seller's
    joining. Nor does the day on which people joined date what is theirs.
    """
    if knows.time_field(dataset_name) is not None:
        return None
    links = [link for link in knows.model.relationships if link.from_dataset == dataset_name]
    dated = [date for link in links if (date := knows.time_field(link.to_dataset)) is not None]
    dated = [date for date in dated if not says(knows.field(date).label, _JOINING)]
    named = words(knows.dataset(dataset_name).label)[:-1]
    own = [date for date in dated if words(knows.dataset(date.dataset).label) == named]  # an order item's order
    happened = [date for date in dated if not begins_with_its_date(knows.dataset(date.dataset))]
    found = own or (dated if len(dated) == 1 else happened)
    return found[0] if len(found) == 1 else None


def says(label: str, stems: frozenset[str]) -> bool:
    """Tell whether a label has one of some words."""
    return bool(stems.intersection(map(stem, words(label))))
