"""Who gives and who takes: the two parties that a row of a payment, a transfer or a message joins."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ai_engine.semantics.schema_words import word_set

Party: TypeAlias = Literal["giver", "taker"]
_DOERS = word_set("payer sender originator buyer purchaser debtor remitter initiator requester creator drawer")
_GIVERS = _DOERS | word_set("from source origin")
_TAKERS = word_set("payee receiver recipient to target destination beneficiary creditor")


def party_of(role: str) -> Party | None:
    """Return which party the role of a key names ("payer", "beneficiary account"), None where it names neither."""
    said = set(role.split())
    if said & _GIVERS:
        return None if said & _TAKERS else "giver"
    return "taker" if said & _TAKERS else None


def names_the_doer(role: str) -> bool:
    """Tell whether a role is that of whoever made the row, whose it is when nothing else is said."""
    return bool(_DOERS & set(role.split()))
