"""Terms for what accounts hold, and what was lent: CASA, SB and CA accounts, deposits, the money lent."""

from __future__ import annotations

import re

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Stored, Thing
from ai_engine.built_in.rewording.limit_use import figure_called
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import stem, words

_CLEAR = 0.3
_LENDING = frozenset(map(stem, "loan overdraft credit card mortgage advance od cc".split()))
_COUNTING = re.compile(r"\b(?:how many|number of|no\.? of|count of|list|show|which)\s+$", re.IGNORECASE)
_NARROWED = re.compile(
    r"\s+(?:over|above|below|under|of (?:more|less|over)|more than|less than|with|opened|matur|>|<)", re.I
)
_AVERAGED = re.compile(r"\b(?:avg|average|mean|median|max(?:imum)?|min(?:imum)?|highest|lowest)\s+$", re.IGNORECASE)


_LENT = ("disbursed amount", "loan amount", "amount lent", "loan principal", "principal amount", "principal")
LENT = (
    r"how much (?:money )?(?:have|has|had|did|do) (?:we|the bank|the branch(?:es)?) (?:lent|lend|loaned)"
    r"(?: out)?(?: in total)?"
    r"|(?:total )?(?:amounts?|money|sums?) (?:we (?:have )?)?(?:lent|loaned|borrowed)(?: out)?"
)


def money_lent(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "how much have we lent", where one figure of all tables is the amount of a loan."""
    if any(knowledge.lexicon.stored((verb,)) or knowledge.lexicon.names((verb,)) for verb in ("lent", "borrowed")):
        return None
    figures = [item.label for each in knowledge.model.datasets for item in each.fields if item.role == "measure"]
    called = next((label for label in _LENT if figures.count(label) == 1), None)
    loans = rows_called("loan", knowledge)
    amount = figure_of(loans, "amount") if called is None else None
    called = named_fully(loans, amount) if loans is not None and amount is not None else called
    return called and f"total {called}"


def rows_called(noun: str, knowledge: Knowledge) -> Dataset | None:
    """The one table whose rows a noun clearly names."""
    found = {c.meaning for c in knowledge.lexicon.names((noun,)) if isinstance(c.meaning, Thing) and c.cost < _CLEAR}
    plain = {item.dataset for item in found}
    return knowledge.dataset(plain.pop()) if len(plain) == 1 else None


def figure_of(dataset: Dataset | None, *said: str) -> Field | None:
    """The only figure of the rows, where there are any, whose label has one of these words."""
    return figure_called(dataset, *said) if dataset is not None else None


def named_fully(dataset: Dataset, item: Field) -> str:
    """The figure with its table's noun, which tells it from others of the same name."""
    return item.label if dataset.label in item.label else f"{dataset.label} {item.label}"


def _holds(knowledge: Knowledge, *kinds: str) -> bool:
    """Whether one field tells all these kinds apart."""
    places = [
        {
            (c.meaning.dataset, c.meaning.field)
            for c in knowledge.lexicon.stored((kind,))
            if isinstance(c.meaning, Stored)
        }
        for kind in kinds
    ]
    return bool(set.intersection(*places))


def keeps_deposits_only(accounts: Dataset, knowledge: Knowledge) -> bool:
    """Whether no kind of account is one of lending."""
    for item in accounts.fields:
        known = knowledge.vocabulary.values.values_of(accounts.name, item.name)
        held = {stem(word) for value in (known.values if known else ()) for word in words(str(value))}
        if item.role == "category" and held & _LENDING:
            return False
    return True


def _paid_in(before: str, accounts: Dataset, knowledge: Knowledge) -> str | None:
    """ "cash deposits" are credits in cash: the way they were paid in is kept with the entries of the accounts."""
    said = words(before)[-1:]
    ways = {value.dataset for value in knowledge.lexicon.values.exactly(said)} if said else set()
    kinds = {value.dataset for value in knowledge.lexicon.values.exactly(("credit",))}
    entries = ways & kinds & set(knowledge.referring(accounts.name))
    return f"credit {plural(knowledge.dataset(entries.pop()).label)}" if len(entries) == 1 else None


def savings_and_current(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """Current and savings accounts together, and their part of all deposits."""
    accounts = rows_called("account", knowledge)
    balance = figure_of(accounts, "balance")
    if accounts is None or not _holds(knowledge, "savings", "current"):
        return None
    if found["ratio"] is None:
        return "savings or current"
    if balance is None or not keeps_deposits_only(accounts, knowledge):
        return None
    return f"percentage of savings or current {plural(accounts.label)} in total {balance.label}"


def kind_of_account(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """SB and CA: savings and current accounts, where these are told apart."""
    kind = "savings" if found["kind"][0] in "sS" else "current"
    return kind if _holds(knowledge, "savings", "current") else None


def deposits(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:
    """ "total deposits" are what the accounts hold, "deposits over 10 lakh" the accounts that hold it."""
    accounts = rows_called("account", knowledge)
    balance = figure_of(accounts, "balance")
    if accounts is None or balance is None or not keeps_deposits_only(accounts, knowledge):
        return None
    paid_in = _paid_in(question[: found.start()], accounts, knowledge)
    if paid_in is not None and not found["noun"]:
        return paid_in
    noun, following = (found["noun"] or "").lower(), question[found.end() :]
    rows = noun.startswith("ac") or noun.startswith("a/c") or _NARROWED.match(following)
    if rows or (_COUNTING.search(question[: found.start()]) and not noun):
        return plural(accounts.label)
    averaged = _AVERAGED.search(question[: found.start()])
    return f"{'' if averaged else 'total '}{named_fully(accounts, balance)}"
