"""Calculations asked again with another number: "and for 15 years?" after "EMI for 25 lakh at 9 % over 20 years"."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.semantics.words import words
from ai_engine.specialists.computation.quantities import Quantity, quantities

_GLUE = frozenset(
    "a about an and at but by can could do does emi for go had have he how i if in instead is it its let make my of "
    "off now on only or our over put rate same say she so take tenor tenure term that the then they to try use was we "
    "were what will with would you your hmm ok okay well right".split()
)
_CHANGED = frozenset(
    "change cut decrease drop extend increase lengthen lower move pay raise reduce rise shorten stretch".split()
)
_DURATIONS = frozenset(("years", "months", "weeks", "days"))


def standing_alone(question: str, earlier: Sequence[str]) -> str:
    """Return the question with what it leaves unsaid, taken from the questions before it, oldest first.

    A question of nothing but numbers and small words puts its numbers where the earlier one has its only number of the
    same kind; any other question is returned as it is.
    """
    whole = ""
    for text in (*earlier, question):
        whole = _carried(text, whole) or text
    return whole


def _carried(text: str, whole: str) -> str | None:
    new = quantities(text)
    if not new or not set(words(_without(text, new))) <= _GLUE | _CHANGED:
        return None
    old = quantities(whole)
    swaps: list[tuple[Quantity, Quantity]] = []
    for one in new:
        alike = [other for other in old if _kind(other) == _kind(one)]
        if len(alike) != 1 or any(taken is alike[0] for taken, _ in swaps):
            return None
        swaps.append((alike[0], one))
    for place, one in sorted(swaps, key=lambda swap: -swap[0].start):
        whole = f"{whole[: place.start]}{text[one.start : one.end]}{whole[place.end :]}"
    return whole


def _without(text: str, found: Sequence[Quantity]) -> str:
    for one in reversed(found):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text


def _kind(one: Quantity) -> str:
    return "duration" if one.kind in _DURATIONS else one.kind
