"""Dates and years called after what happened on them: `issued_on` is the issue date, the day a card was issued."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_EVENTS: Final[tuple[tuple[str, ...], ...]] = tuple(
    tuple(line.split())
    for line in """
    opened open opening
    closed close closing closure
    issued issue issuance
    expired expires expire expiry expiration
    joined join joining
    started start
    ended end
    began begin beginning
    matured matures maturity
    disbursed disbursement disbursal
    sanctioned sanction
    approved approval
    rejected rejection
    declined decline
    resolved resolution
    settled settlement
    paid payment
    posted posting
    booked booking
    created creation
    updated update
    modified modification
    registered registration
    enrolled enrolment enrollment
    onboarded onboarding
    purchased purchase
    sold sale
    redeemed redemption
    cancelled cancellation
    hired hire hiring
    received receipt
    reported report reporting
    filed filing
    submitted submission
    transferred transfer
    renewed renewal
    activated activation
    authorised authorisation authorized authorization
    verified verification
    reviewed review
    decided decide decision
    completed completion
    requested request
    executed execution
    delivered delivery
    shipped shipping
    dispatched dispatch
    discharged discharge
    terminated termination
    launched launch launching
    released release
    published publication
    founded foundation founding
    established establishment
    incorporated incorporation
    built construction
    inspected inspection
    assessed assessment
    valued valuation
    left leave leaving
    resigned resignation
    admitted admission
    graduated graduation
    arrived arrival
    departed departure
    returned return
    refunded refund
    invoiced invoicing
    billed billing
    repaired repair
    """.strip().splitlines()
)
# "cards that expire in 2027" asks for the day, while "expired cards" are those of a status.
_VERBS: Final = {
    "expired": ("expire",), "matured": ("mature",), "started": ("began", "begun"), "began": ("begun", "started"),
    "ended": ("finished",), "registered": ("register",), "enrolled": ("enrol", "enroll"),
}  # fmt: skip
_SAYING_NO_EVENT: Final = frozenset({"made", "happened", "occurred"})  # a claim made is the claim itself
_SAYING_A_DAY: Final = frozenset({"date", "time", "on", "at", "day", "timestamp", "of", "year"})


PRESENT_OF: Final = {
    "paid": "pay", "repaid": "repay", "sold": "sell", "lent": "lend", "withdrawn": "withdraw", "withdrew": "withdraw",
    "taken": "take", "took": "take", "given": "give", "sent": "send", "written": "write", "built": "build",
    "left": "leave", "drawn": "draw", "drew": "draw", "bought": "buy", "spent": "spend",
}  # fmt: skip
"""Verbs in the past by their bare form, participles first, where they are none in "ed"."""


def verb_forms(participle: str) -> tuple[str, ...]:
    """Return a word that says what was done and its verb, none for other words: "disbursed" and "disburse"."""
    if participle in PRESENT_OF:
        return participle, PRESENT_OF[participle]
    return (participle, participle[:-1], participle[:-2]) if participle.endswith("ed") else ()


def event_phrases(words: Sequence[str]) -> tuple[str, ...]:
    """Return other ways to say a date from the words of its column, the bare verb last; none when it names no event."""
    rest = [word for word in words if word not in _SAYING_A_DAY]
    if len(rest) > 1 and rest[-1] in _SAYING_NO_EVENT:
        return (f"{' '.join(rest[:-1])} date",)
    event = next((forms for forms in _EVENTS if rest and rest[-1] in forms), None)
    if event is None or len(rest) == len(words):
        return ()
    owner = " ".join(rest[:-1])
    happened, *nouns = event
    step = "year" if "year" in words else "date"
    said = [*(f"{noun} {step}" for noun in (happened, *nouns)), f"{happened} on", happened, *_VERBS.get(happened, ())]
    return tuple(f"{owner} {phrase}".strip() for phrase in said)


def words_of_event(words: Sequence[str]) -> frozenset[str]:
    """Return the words, each alone, for what happened on a date whose column is called so; none when it says none."""
    rest = {word for word in words if word not in _SAYING_A_DAY}
    return frozenset(form for forms in _EVENTS if rest.intersection(forms) for form in forms)


def tell_one_event(first: Sequence[str], second: Sequence[str]) -> bool:
    """Tell whether two names are of one event: what was sanctioned, and the day it was.

    An opening balance is no balance of the day an account was opened, nor a closing one of the day it was closed.
    """
    stages = {"opening", "closing", "open", "close", "start", "end"}
    return any(
        set(forms) & set(first) - stages and set(forms) & set(second) and len(set(first)) > 1 for forms in _EVENTS
    )
