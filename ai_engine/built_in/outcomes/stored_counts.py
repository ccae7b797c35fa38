"""Where a table also keeps how many there are of something: counting them and taking what is kept are two readings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from ai_engine.built_in.follow_up.figures import base_of_intent
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.one_reading import Reading
from ai_engine.built_in.outcomes.rivals import Verdict
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure, Membership
from ai_engine.semantics.stored_counts import rows_kept_count_of


def beside_stored_counts(verdict: Verdict, knowledge: Knowledge) -> Verdict:
    """Offer what is kept beside what is counted, as nothing tells whether the two agree."""
    if not verdict.is_answered:
        return verdict
    counted = verdict.distinct[0]
    assert counted.intent is not None  # noqa: S101 - only complete readings are distinct
    rows = _rows_counted(counted, knowledge)
    if rows is not None:
        return replace(verdict, distinct=(replace(counted, intent=rows), counted))
    kept = _total_kept(counted.intent, knowledge) or _condition_kept(counted, knowledge)
    if kept is None:
        return verdict
    return replace(verdict, distinct=(counted, replace(counted, intent=kept)))


def _rows_counted(reading: Reading, knowledge: Knowledge) -> Intent | None:
    """ "How many customers are in Pune?", read as the number that is kept there though nobody named that."""
    intent = reading.intent
    place = intent.measures[0].field if intent is not None and len(intent.measures) == 1 else None
    if (
        intent is None
        or place is None
        or any(said.meaning == knowledge.field(place).label for said in reading.meanings)
    ):
        return None
    counted = rows_kept_count_of(knowledge.model, knowledge.dataset(place.dataset), knowledge.field(place))
    if counted is None or intent.measures[0] != Measure(aggregate="sum", field=place):
        return None
    if intent.dimensions or intent.order or not knowledge.is_parent(counted, place.dataset):
        return None
    return intent.model_copy(update={"measures": (Measure(aggregate="count", dataset=counted),)})


def _total_kept(intent: Intent, knowledge: Knowledge) -> Intent | None:
    """ "How many customers are there?", where each branch has a number of customers."""
    counted = intent.measures[0].dataset if len(intent.measures) == 1 else None
    if counted is None or intent != Intent(subject=intent.subject, measures=intent.measures):
        return None
    if intent.measures[0] != Measure(aggregate="count", dataset=counted):
        return None
    kept = [field for owner in knowledge.model.datasets for field in _kept(owner.name, counted, knowledge)]
    if len(kept) != 1:
        return None
    return Intent(measures=(Measure(aggregate="sum", field=kept[0]),))


def _condition_kept(reading: Reading, knowledge: Knowledge) -> Intent | None:
    """ "customers with 0 loans", where each customer has a number of loans; "no loans" asks for rows."""
    intent = reading.intent
    subject = base_of_intent(intent, knowledge) if intent is not None else None
    if intent is None or subject is None or not any(_says_a_number(said.words) for said in reading.meanings):
        return None
    filters = list(intent.filters)
    for place, asked in enumerate(filters):
        if not isinstance(asked, Membership) or asked.filters or asked.via:
            continue
        kept = list(_kept(subject, asked.dataset, knowledge))
        condition = _compared(kept[0], asked) if len(kept) == 1 else None
        if condition is not None:
            filters[place] = condition
            return intent.model_copy(update={"filters": tuple(filters)})
    return None


def _says_a_number(said: str) -> bool:
    return any(character.isdigit() for character in said)


def _compared(kept: FieldRef, asked: Membership) -> Condition | None:
    least, most = asked.at_least, asked.at_most
    if least is None and most is None:
        return Condition(field=kept, operator="=", values=(Decimal(0),)) if asked.negated else None
    if asked.negated:
        return None
    if least == most:
        return Condition(field=kept, operator="=", values=(Decimal(least or 0),))
    if least is not None and most is not None:
        return Condition(field=kept, operator="between", values=(Decimal(least), Decimal(most)))
    if least is not None:
        return Condition(field=kept, operator=">=", values=(Decimal(least),))
    return Condition(field=kept, operator="<=", values=(Decimal(most or 0),))


def _kept(owner: str, counted: str, knowledge: Knowledge) -> Iterator[FieldRef]:
    """Columns of one table that hold how many rows of another belong to each of its rows."""
    dataset = knowledge.dataset(owner)
    if dataset.snapshot_time is None and knowledge.is_parent(counted, owner):
        for field in dataset.fields:
            if rows_kept_count_of(knowledge.model, dataset, field) == counted and not field.sensitive:
                yield FieldRef(dataset=owner, field=field.name)
