"""Rules for words that mean nothing here: left over, but for what a charge or a booking always is."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.words import words

_LEVIED = frozenset({"collected", "levied", "charged", "imposed"})
_BEGUN = frozenset({"booked", "sourced"})
_CHARGES = frozenset({"fee", "fees", "fine", "fines", "penalty", "penalties", "charge", "charges", "surcharge"})


def unknown(walk: Walk) -> None:
    """ "fines collected", "fees levied": a column of charges keeps nothing else."""
    before = walk.peek(-1)
    charge = isinstance(before, Attribute) and walk.knowledge.field(before).role == "measure"
    said = walk.items[walk.position - 1].text if walk.position else ""
    if walk.text().lower() in _BEGUN and isinstance(before, Thing) and walk.peek(walk.skip(1, "stop")) is None:
        walk.take(1, "as they are")  # "offices with zero loans booked"
    elif charge and walk.text().lower() in _LEVIED and words(said)[-1] in _CHARGES:
        walk.take(1, "the charge")
    else:
        walk.leave_over()
