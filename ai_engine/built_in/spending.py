"""What is spent: amounts of what happens, which went out; a balance or a limit is no spending."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Stored
from ai_engine.built_in.sketch import Sketch
from ai_engine.built_in.stocks import is_flow
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Measure
from ai_engine.semantics.words import words

_SPENDING = frozenset({"spend", "spending", "spent", "spends"})
_KINDS_OF_PRODUCTS = frozenset({"card", "account", "product", "loan"})


def says_spending(text: str) -> bool:
    """Tell whether money that was spent is asked for."""
    return not _SPENDING.isdisjoint(words(text))


def amount_spent(knows: Knowledge, dataset: str) -> FieldRef | None:
    """The amount of the rows of a dataset where each is something that happened."""
    amount = knows.main_measure(dataset, money_only=True)
    return amount if amount is not None and is_flow(amount, knows) else None


def only_what_went_out(sketch: Sketch, knows: Knowledge, measures: Sequence[Measure]) -> None:
    """ "Spend by channel" leaves out what came in, where rows say which way they went; a balance is not understood."""
    if not sketch.spent:
        return
    amounts = [measure.field for measure in measures if measure.field is not None and measure.aggregate != "count"]
    if not amounts or not all(is_flow(amount, knows) for amount in amounts):
        sketch.unplaced += [sketch.spent] if sketch.spent not in sketch.unplaced else []
        return
    for dataset in dict.fromkeys(amount.dataset for amount in amounts):
        went_out = _went_out(knows, dataset)
        said = [item for item in sketch.filters if went_out is not None and _is_about(item, went_out.field)]
        if said and went_out not in said:
            sketch.unplaced.append(sketch.spent)  # what came in was not spent
        elif went_out is not None and not said:
            sketch.filters.append(went_out)
            sketch.assumptions.append(f"“{sketch.spent}” counts what went out: {went_out.values[0]}.")


def _went_out(knows: Knowledge, dataset: str) -> Condition | None:
    """The condition that rows are debits, where one column says debit or credit of each."""
    debits, credits = (
        {FieldRef(dataset=held.dataset, field=held.field): held.value for held in _held(knows, word, dataset)}
        for word in ("debit", "credit")
    )
    sides = [place for place in debits if place in credits]
    if len(sides) != 1 or not _KINDS_OF_PRODUCTS.isdisjoint(words(knows.field(sides[0]).label)):
        return None
    return Condition(field=sides[0], operator="=", values=(str(debits[sides[0]]),))


def _held(knows: Knowledge, word: str, dataset: str) -> list[Stored]:
    found = (candidate.meaning for candidate in knows.lexicon.stored((word,)))
    return [item for item in found if isinstance(item, Stored) and item.dataset == dataset and not item.via]


def _is_about(item: Filter, place: FieldRef) -> bool:
    return item.field == place if isinstance(item, Condition) else any(_is_about(one, place) for one in item.filters)
