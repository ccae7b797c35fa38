"""States that rows come to: the day on which they did, the amount that is called so, and those that are so today."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ai_engine.built_in.deeds import is_planned
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute
from ai_engine.built_in.spelled_dates import is_day_of_leaving
from ai_engine.semantics.infer.events import tell_one_event, words_of_event
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Filter
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.words import words

_DAYS = frozenset("closed closing closure close terminated termination settled settlement resolved resolution".split())
_DECIDED = frozenset({"decided", "decision"})
_PAID = frozenset("paid payment settled settlement".split())
_ENDED = frozenset(
    """
    closed cancelled canceled terminated redeemed broken matured settled resolved repaid prepaid foreclosed surrendered
    withdrawn liquidated dissolved completed
    """.split()
)
_OUTCOMES = (
    (frozenset({"paid"}), (_PAID,)),
    (frozenset("rejected declined refused denied dismissed".split()), (_DECIDED, _DAYS)),
    (frozenset("approved granted accepted reduced".split()), (_DECIDED,)),
    (_ENDED, (_DAYS,)),
)
"""States, and what the day is called on which rows come to them where it is not called after the state itself."""
_OVER = frozenset("expired lapsed ended finished void voided rejected declined archived paid lost won inactive".split())
_SEVERAL = 2
_NOW = frozenset("active current live open running ongoing valid".split())
_STATES = frozenset({"status", "state", "stage"})
_NO_DEEDS = frozenset("on at date time day of opening closing open close start end amount total value".split())


def day_of_state(item: Condition, knows: Knowledge) -> FieldRef | None:
    """The day on which rows came to a state, where they keep one.

    "Orders cancelled in May" were so on their day of cancellation, "bonds redeemed early in 2025" were closed then,
    "claims paid in 2025" were settled.
    """
    if not _is_state(item, knows):
        return None
    said = {word for value in item.values for word in words(str(value))}
    days = [field for field in knows.dataset(item.field.dataset).fields if field.role == "time"]
    own = [field for field in days if said.intersection(words_of_event(words(field.label)))]
    if len(own) == 1:
        return FieldRef(dataset=item.field.dataset, field=own[0].name)
    return _day_of_outcome(item.field.dataset, said, knows)


def day_of_figure(figure: FieldRef, knows: Knowledge) -> FieldRef | None:
    """The day on which a figure came about: the sanctioned amount at the sanction, the paid one at the settlement."""
    item = knows.field(figure)
    said = words(item.label) if item.role == "measure" else ()
    return knows.date_of_figure(figure) or _day_of_outcome(figure.dataset, said, knows)


def amount_called_after(
    dataset: str, filters: Iterable[Filter], dated: FieldRef | None, knows: Knowledge
) -> FieldRef | None:
    """The amount called after what became of rows: the approved amount of approved limits, the paid one of bills paid.

    None where none or several are.
    """
    happened = [day for day in (dated,) if day is not None and day.dataset == dataset]
    said = [words(str(value)) for item in states_of(dataset, filters, knows) for value in item.values]
    said += [words(knows.field(day).label) for day in happened]
    measures = [item for item in knows.dataset(dataset).fields if item.default_aggregate == "sum"]
    called = [item.name for item in measures if any(_is_called_after(words(item.label), one) for one in said)]
    return FieldRef(dataset=dataset, field=called[0]) if len(called) == 1 else None


def states_of(dataset: str, filters: Iterable[Filter], knows: Knowledge) -> tuple[Condition, ...]:
    """The conditions that rows have come to a state."""
    own = (item for item in filters if isinstance(item, Condition) and item.field.dataset == dataset)
    return tuple(item for item in own if _is_state(item, knows))


def lacks_some(place: FieldRef, knows: Knowledge) -> bool:
    """Tell whether a value may be missing where the database says of others of the row that they never are."""
    told = (item for item in knows.dataset(place.dataset).fields if item.role != "identifier")
    others = (FieldRef(dataset=place.dataset, field=item.name) for item in told)
    return knows.may_lack(place) and not all(map(knows.may_lack, others))


def _is_called_after(label: tuple[str, ...], happened: tuple[str, ...]) -> bool:
    return bool(set(label) & set(happened) - _NO_DEEDS) or tell_one_event(label, happened)


def only_day_of_ending(dataset: str, knows: Knowledge) -> FieldRef | None:
    """The day on which rows ended, which those that have not are without."""
    return _only_day(dataset, _DAYS, knows)


def is_open_what_is_so_now(dataset: Dataset, knows: Knowledge) -> bool:
    """Tell whether rows end in several ways by their state, and nothing says which of the others are there today."""
    states = [item for item in dataset.fields if item.role == "category" and _STATES.intersection(words(item.label))]
    ways = any(len(_ended_and_not(dataset, item, knows)[0]) >= _SEVERAL for item in states)
    return ways and of_now(dataset, knows) is None


def _in_state_of_now(dataset: Dataset, states: list[Field], knows: Knowledge) -> Condition | None:
    """That they are in no state of ending, of which there are several; None where one of the others alone says now."""
    if len(states) != 1:
        return None
    ended, others = _ended_and_not(dataset, states[0], knows)
    now = [value for value in others if not _NOW.isdisjoint(_called(states[0], value))]
    place = FieldRef(dataset=dataset.name, field=states[0].name)
    if len(ended) < _SEVERAL or (now and now != others):
        return None
    return Condition(field=place, operator="not in", values=tuple(ended))


def _ended_and_not(dataset: Dataset, state: Field, knows: Knowledge) -> tuple[list[str], list[str]]:
    held = knows.vocabulary.values.values_of(dataset.name, state.name)
    known = [str(value) for value in held.values] if held is not None and held.complete else []
    over = [value for value in known if not (_ENDED | _OVER).isdisjoint(_called(state, value))]
    return over, [value for value in known if value not in over]


def _called(state: Field, value: str) -> set[str]:
    return {word for said in (value, *state.value_synonyms.get(value, ())) for word in words(said)}


def _is_state(item: Condition, knows: Knowledge) -> bool:
    return item.operator in {"=", "in"} and not _STATES.isdisjoint(words(knows.field(item.field).label))


def _day_of_outcome(dataset: str, said: Collection[str], knows: Knowledge) -> FieldRef | None:
    named = (days for states, called in _OUTCOMES if not states.isdisjoint(said) for days in called)
    return next((day for days in named if (day := _only_day(dataset, days, knows)) is not None), None)


def _only_day(dataset: str, called: frozenset[str], knows: Knowledge) -> FieldRef | None:
    days = [item.name for item in knows.dataset(dataset).fields if _is_day(item, called)]
    return FieldRef(dataset=dataset, field=days[0]) if len(days) == 1 else None


def _is_day(item: Field, called: frozenset[str]) -> bool:
    return item.role == "time" and not called.isdisjoint(words(item.label))


def of_now(dataset: Dataset, knows: Knowledge) -> Condition | None:
    """What those that are there today have in common: they are active, or have not left or ended yet.

    None where nothing says so, or where their states leave open which of them are.
    """
    flags = [item for item in dataset.fields if item.role == "flag" and item.label == "active"]
    left = [item for item in dataset.fields if is_day_of_leaving(dataset, item) or _is_day(item, _DAYS)]
    states = [item for item in dataset.fields if item.role == "category" and _STATES.intersection(words(item.label))]
    if states:
        return _in_state_of_now(dataset, states, knows)
    if len(flags) == 1:
        place = FieldRef(dataset=dataset.name, field=flags[0].name)
        yes = knows.flag_value(Attribute(dataset.name, flags[0].name), yes=True)
        return Condition(field=place, operator="=", values=(yes,))
    if len(left) != 1 or not knows.may_lack(place := FieldRef(dataset=dataset.name, field=left[0].name)):
        return None
    return Condition(field=place, operator="is null")


def has_happened(event: FieldRef, knows: Knowledge) -> Condition | None:
    """The condition that something has happened to rows; None where it has to all of them."""
    if is_planned(knows.field(event)):
        return Condition(field=event, operator="<", values=(knows.as_of,))
    return Condition(field=event, operator="is not null") if knows.may_lack(event) else None


def has_not_happened(event: FieldRef, knows: Knowledge) -> Filter:
    """The condition that something has not happened to rows, or not yet."""
    missing = Condition(field=event, operator="is null")
    if not is_planned(knows.field(event)):
        return missing
    later = Condition(field=event, operator=">=", values=(knows.as_of,))
    return AnyOf(filters=(missing, later)) if knows.may_lack(event) else later
