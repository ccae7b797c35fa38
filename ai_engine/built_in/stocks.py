"""What lasts and what happens: figures that are a state at a date, rows that began at one."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute
from ai_engine.built_in.spelled_dates import EVENTS, is_day_of_leaving
from ai_engine.semantics.infer.events import words_of_event
from ai_engine.semantics.intent import Condition, FieldRef, Measure
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.people import holds_people
from ai_engine.semantics.words import stem, words

STATES = frozenset(map(stem, "balance outstanding overdue exposure position holding arrears status".split()))
ENDINGS = frozenset(map(stem, "closing closed closure end ended exit termination cancelled expiry expired".split()))
_BEGINNINGS = EVENTS | frozenset(
    map(stem, "joining joined onboarding onboarded enrolment hiring hired inception since".split())
)


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
    joining.
    """
    if knows.time_field(dataset_name) is not None:
        return None
    links = [link for link in knows.model.relationships if link.from_dataset == dataset_name]
    dated = [date for link in links if (date := knows.time_field(link.to_dataset)) is not None]
    named = words(knows.dataset(dataset_name).label)[:-1]
    own = [date for date in dated if words(knows.dataset(date.dataset).label) == named]  # an order item's order
    happened = [date for date in dated if not begins_with_its_date(knows.dataset(date.dataset))]
    found = own or (dated if len(dated) == 1 else happened)
    return found[0] if len(found) == 1 else None


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


def day_of_state(item: Condition, knows: Knowledge) -> FieldRef | None:
    """The day on which rows came to a state, where they keep one.

    "Orders cancelled in May" were so on their day of cancellation, "bonds redeemed early in 2025" were closed then.
    """
    said = {word for value in item.values for word in words(str(value))}
    if item.operator not in {"=", "in"} or not _STATES.intersection(words(knows.field(item.field).label)):
        return None
    days = [field for field in knows.dataset(item.field.dataset).fields if field.role == "time"]
    own = [field for field in days if said.intersection(words_of_event(words(field.label)))]
    if len(own) == 1:
        return FieldRef(dataset=item.field.dataset, field=own[0].name)
    return only_day_of_ending(item.field.dataset, knows) if _ENDED.intersection(said) else None


def only_day_of_ending(dataset: str, knows: Knowledge) -> FieldRef | None:
    """The day on which rows ended, which those that have not are without."""
    days = [field for field in knows.dataset(dataset).fields if _is_day_of_ending(field)]
    return FieldRef(dataset=dataset, field=days[0].name) if len(days) == 1 else None


def of_now(dataset: Dataset, knows: Knowledge) -> Condition | None:
    """What those that are there today have in common: they are active, or have not left or ended yet.

    None where nothing says so, or a state says more.
    """
    flags = [item for item in dataset.fields if item.role == "flag" and item.label == "active"]
    left = [item for item in dataset.fields if is_day_of_leaving(dataset, item) or _is_day_of_ending(item)]
    if any(_STATES.intersection(words(item.label)) for item in dataset.fields if item.role == "category"):
        return None
    if len(flags) == 1:
        place = FieldRef(dataset=dataset.name, field=flags[0].name)
        yes = knows.flag_value(Attribute(dataset.name, flags[0].name), yes=True)
        return Condition(field=place, operator="=", values=(yes,))
    if len(left) != 1 or not knows.may_lack(place := FieldRef(dataset=dataset.name, field=left[0].name)):
        return None
    return Condition(field=place, operator="is null")


def _is_day_of_ending(field: Field) -> bool:
    return field.role == "time" and bool(_DAYS.intersection(words(field.label)))
