"""Rows called by the state they are in: "declines" are the declined payments, "overdue" is what is due and unpaid."""

from __future__ import annotations

import re
from datetime import timedelta

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import words

OUTCOMES = {
    "failure": "failed", "cancellation": "cancelled canceled", "rejection": "rejected", "approval": "approved",
    "closure": "closed", "completion": "completed", "resolution": "resolved", "reversal": "reversed",
    "expiry": "expired", "settlement": "settled", "delinquency": "delinquent", "dormancy": "dormant",
    "default": "defaulted default", "success": "success successful succeeded", "denial": "denied",
    "activation": "activated active", "escalation": "escalated", "decline": "declined", "dispute": "disputed",
    "conversion": "converted", "refund": "refunded", "return": "returned", "withdrawal": "withdrawn",
    "renewal": "renewed", "repudiation": "repudiated", "bounce": "bounced", "lapse": "lapsed",
    "redemption": "redeemed redeem",
}  # fmt: skip
# "Withdrawals" and "refunds" are rather money that went out than rows in the state "withdrawn".
ROWS_IN_STATES = tuple(sorted(OUTCOMES.keys() - {
    "withdrawal", "return", "refund", "dispute", "default", "settlement", "success", "conversion"
}))  # fmt: skip
_PLAINLY = 0.3
_UNPAID = re.compile(r"\b(?:unpaid|not (?:yet )?(?:been )?paid)\b", re.IGNORECASE)
_DUE = frozenset({"due"})
_PAID = frozenset("paid payment repaid repayment settled settlement received receipt cleared".split())


def many(noun: str) -> str:
    """The plural of a noun of an outcome."""
    return f"{noun[:-1]}ies" if noun.endswith("cy") else f"{noun}{'es' if noun.endswith('ss') else 's'}"


def state_called(noun: str, knowledge: Knowledge) -> str | None:
    """The state that is stored for an outcome: "declined" for a decline; None where nothing is known of it."""
    return next((state for state in OUTCOMES[noun].split() if knowledge.lexicon.stored((state,))), None)


def rows_in_state(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "declines by reason": the rows in that state, where one table has it and nothing else is called so."""
    noun = next(noun for noun in ROWS_IN_STATES if many(noun) == found["noun"].lower())
    known = knowledge.lexicon
    if any(isinstance(c.meaning, Thing) or c.cost < _PLAINLY for c in known.names((noun,))) or known.stored((noun,)):
        return None
    for state in OUTCOMES[noun].split():
        tables = {value.dataset for value in known.values.exactly((state,))}
        if len(tables) == 1:
            dataset = knowledge.dataset(tables.pop())
            held = next(value for value in known.values.exactly((state,)))
            field = f"{dataset.field(held.field).label} " if (state,) in cue_table().by_phrase else ""
            return f"{plural(dataset.label)} with {field}{state}" if field else f"{state} {plural(dataset.label)}"
    return None


def overdue(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:
    """ "overdue by more than 30 days": due so long before today and not paid, of the only rows that keep both days."""
    days = [(_day(item, _DUE), _day(item, _PAID)) for item in knowledge.model.datasets]
    tables = [(due, paid) for due, paid in days if due is not None and paid is not None]
    own = ("past", "due"), ("overdue",)
    first_day = knowledge.as_of - timedelta(days=int(found["days"] or found["before"] or 0))
    since = "today" if first_day == knowledge.as_of else first_day.isoformat()
    held = "on or before" if (found["bound"] or found["bound_before"] or "").lower() == "at least" else "before"
    if len(tables) != 1 or any(knowledge.lexicon.stored(said) or knowledge.lexicon.names(said) for said in own):
        return None
    due, paid = tables[0]
    late = f"whose {due.label} is {held} {since}"
    return late if _UNPAID.search(question) else f"{late} and whose {paid.label} is missing"


def _day(dataset: Dataset, said: frozenset[str]) -> Field | None:
    days = [item for item in dataset.fields if item.role == "time" and said.intersection(words(item.label))]
    return days[0] if len(days) == 1 else None
