"""A formula as data: the words that ask for it, what it needs, and its program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ai_engine.specialists.computation.calculation import Unit
from ai_engine.specialists.computation.quantities import QuantityKind


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing a formula needs.

    Attributes:
        name: variable of the program.
        said: how people call it, where it is missing.
        kinds: quantities that may fill it, best first.
        before: words directly before a quantity that give it to this slot whatever the order.
        many: takes all that are left, as a list.
        default: used where nothing was said, and stated as an assumption.
    """

    name: str
    said: str
    kinds: tuple[QuantityKind, ...] = ("money", "number")
    before: str = ""
    many: bool = False
    default: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula.

    Attributes:
        cue: the words that ask for it; the first formula in `FORMULAS` whose cue is there is meant.
        unit: of the result; "same" where it has the unit of what went in, "quotient" that of the first by the second.
        expression: over the names of its slots.
        given: its inputs in words, with the same names in braces.
        in_any_order: two of its inputs may change places.
    """

    name: str
    cue: str
    slots: tuple[Slot, ...]
    expression: str
    given: str
    unit: Unit | Literal["same", "quotient"] = "number"
    tail: str = ""
    step: str = ""
    in_any_order: bool = False

    def asked_in(self, text: str) -> bool:
        """Whether its words are there."""
        return re.search(self.cue, text, re.IGNORECASE) is not None


FIRST = Slot(
    "first", "the first value", before=r"\b(?:from|of|between|(?:was|were|had|stood|began|started)(?: at| with)?)\s+$"
)
LAST = Slot(
    "last",
    "the last value",
    before=r"\b(?:to|reach(?:ed|es|ing)?|became|becoming|(?:is|are|has|have|stands?)(?: now| today)?(?: at)?)\s+$",
)
