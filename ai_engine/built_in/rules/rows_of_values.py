"""Rules for values without a noun, which stand for their rows: "the 10 largest debits", "the oldest woman"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Cue, Figure, Stored, Thing
from ai_engine.built_in.rules.amounts import MONEY_NOUNS
from ai_engine.built_in.rules.ranking import order_by
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Measure
from ai_engine.semantics.words import words

_PAID = frozenset({"paid", "received", "earned", "collected", "charged", "credited", "debited"})


def rank_rows_of_value(walk: Walk, found: Stored) -> None:
    """ "the 10 largest debits of October": no noun follows, so the value stands for its rows, ranked by amount."""
    amount = walk.knowledge.main_measure(found.dataset, money_only=True)
    if amount is None or isinstance(walk.peek(), Thing | Attribute | Stored | Figure) or walk.pending is not None:
        return
    walk.sketch.things.append(Thing(found.dataset))
    walk.sketch.listed_first = Thing(found.dataset) if walk.sketch.asks_list else walk.sketch.listed_first
    walk.assume(f"Ranked by {walk.knowledge.field(amount).label}.")
    order_by(walk, field=amount)


def rank_by_rows_of_value(walk: Walk, found: Stored) -> None:
    """ "which city has the most ATM withdrawals": no noun follows, so it is the rows of the value that are counted."""
    if isinstance(walk.peek(), Thing | Attribute | Stored | Figure) or walk.pending is not None:
        return
    if not walk.sketch.groups and walk.subject in {None, found.dataset}:
        return
    order_by(walk, measure=Measure(aggregate="count", dataset=found.dataset))


def add_up_rows_of_value(walk: Walk, found: Stored) -> None:
    """ "total interest paid on savings accounts": the value is a kind of money, whose rows are added up."""
    pending, following = walk.pending, walk.peek()
    own = isinstance(following, Thing | Attribute) and following.dataset == found.dataset
    said_total = pending is not None and pending.aggregates == ("sum",) and walk.is_cue(-2, "aggregate", "amount")
    if own or not (said_total or _is_money_that_went(walk)):
        return
    amount = walk.knowledge.main_measure(found.dataset, money_only=True)
    if amount is None or not MONEY_NOUNS.intersection(words(str(found.value))):
        return
    walk.pending = None
    walk.assume(f"The amount is the {walk.knowledge.field(amount).label}.")
    walk.sketch.measures.append(Measure(aggregate="sum", field=amount))


def _is_money_that_went(walk: Walk) -> bool:
    """ "interest paid on savings accounts": said first and with its verb, it is a sum and no list of accounts."""
    said = [*words(walk.items[walk.position - 1].text)[1:], *(words(walk.text()) if walk.peek() is not None else ())]
    paid = not _PAID.isdisjoint(said)
    first = all(isinstance(item.meaning, Cue) for item in walk.items[: walk.position - 1])
    return paid and first and walk.pending is None and walk.superlative is None and not walk.sketch.asks_list


def rank_people(walk: Walk, people: str) -> None:
    """ "the oldest woman with a loan": no noun follows, so the value stands for the people who are ranked by age."""
    born = walk.knowledge.birth_field(people)
    if born is None or isinstance(walk.peek(), Thing | Attribute):
        return
    if not any(thing.dataset == people for thing in walk.sketch.things):
        walk.sketch.things.append(Thing(people))
    order_by(walk, field=born)


def ask_for(walk: Walk, people: str) -> None:
    """ "how many women have ...", "women with loans": the value stands for the people who have it."""
    walk.sketch.things.append(Thing(people))
    if walk.pending is not None and walk.pending.aggregates == ("count",):
        walk.sketch.measures.append(Measure(aggregate="count", dataset=people))
        walk.pending = None


def count_rows_of_value(walk: Walk) -> None:
    """ "how many clerks whose ...": a value said like a noun is what is counted, before more is said of it."""
    pending, value = walk.pending, walk.peek(-1)
    if pending is None or pending.aggregates != ("count",) or pending.distinct or not isinstance(value, Stored):
        return
    said = (item.meaning for item in walk.items[: walk.position])
    people = [found for found in said if isinstance(found, Stored) and found.dataset == walk.knowledge.people]
    value = people[0] if people else value  # "farmers from the north who ..." are people
    if not value.via and not walk.sketch.things:
        walk.sketch.measures.append(Measure(aggregate="count", dataset=value.dataset))
        walk.pending = None
