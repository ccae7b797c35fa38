"""One way to understand a question."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError

from ai_engine.semantics.intent import Intent
from ai_engine.types import WordMeaning

LEFT_OVER_COST = 3.0
"""Of each word that a reading leaves without a place."""


def beyond_bounds(fault: ValidationError) -> tuple[str, ...]:
    """Say of a structured question that there can be none, since a number or a day in it is beyond what can be."""
    causes = [cause for error in fault.errors() if (cause := error.get("ctx", {}).get("error")) is not None]
    return tuple(dict.fromkeys(f"{cause}: beyond all bounds" for cause in causes or [fault.errors()[0]["msg"]]))


@dataclass(frozen=True)
class Reading:
    """One way to understand a question; complete when nothing is `unplaced` and there is an intent.

    `is_objected_to` when every word found its place and what they say together cannot be answered.
    """

    intent: Intent | None
    cost: float
    unplaced: tuple[str, ...]
    assumptions: tuple[str, ...]
    meanings: tuple[WordMeaning, ...]
    is_objected_to: bool = False

    @property
    def complete(self) -> bool:
        """Every word is accounted for and something is asked."""
        return self.intent is not None and not self.unplaced
