"""Who gives and who takes: the two parties that a row of a payment, a transfer or a message joins."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from ai_engine.semantics.schema_words import word_set
from ai_engine.semantics.words import words

Party: TypeAlias = Literal["giver", "taker"]
_DOERS = word_set("payer sender originator buyer purchaser debtor remitter initiator requester creator drawer")
_GIVERS = _DOERS | word_set("from source origin")
_TAKERS = word_set("payee receiver recipient to target destination beneficiary creditor")
PARTY_NOUNS: dict[Party, frozenset[str]] = {
    "giver": frozenset({"payer", "sender", "remitter", "originator"}),
    "taker": frozenset({"payee", "receiver", "recipient", "beneficiary"}),
}
DIRECTIONS: dict[Party, tuple[str, ...]] = {"giver": ("outgoing", "outbound"), "taker": ("incoming", "inbound")}

_AGENT = re.compile(r"\w{2,}(?:or|er|ee|ant|ent|iary)")
_NO_AGENTS = frozenset(
    "other former latter counter inner outer upper lower over under after order transfer number current recent present"
    " permanent equivalent major minor prior senior junior interior exterior quarter center".split()
)


def party_of(role: str) -> Party | None:
    """Return which party the role of a key names ("payer", "beneficiary account"), None where it names neither."""
    said = set(role.split())
    if said & _GIVERS:
        return None if said & _TAKERS else "giver"
    return "taker" if said & _TAKERS else None


def names_the_doer(role: str) -> bool:
    """Tell whether a role is that of whoever made the row, whose it is when nothing else is said."""
    return bool(_DOERS & set(role.split()))


def is_agent(role: str) -> bool:
    """Tell whether a role names who plays it ("debtor", "payee", "beneficiary") rather than which one ("home")."""
    last = words(role)[-1:]
    return bool(last) and _AGENT.fullmatch(last[0]) is not None and last[0] not in _NO_AGENTS
