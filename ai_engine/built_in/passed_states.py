"""States that rows pass through, said of what happened: "loans sanctioned last year" may be closed by now.

"Sanctioned loans" are in that state. Said after their noun the word is an event, where the rows keep its day.
"""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, Days, Number, Stored, Thing
from ai_engine.built_in.sketch import Item
from ai_engine.semantics.infer.events import event_phrases
from ai_engine.semantics.words import words

_PASSED = frozenset(
    """
    applied requested submitted received reported lodged logged raised opened issued approved sanctioned accepted
    authorised authorized disbursed booked registered activated
    """.split()
)
_STATE_FOR_AN_EVENT = 1.2
_STATE_FOR_A_NAME = 0.3
_EXACTLY = 0.1
_FIGURE_FOR_AN_EVENT = 0.9


def passed_states(items: list[Item], knowledge: Knowledge) -> float:
    """What it costs to take such a word after its noun for a state, or for an amount that nothing is said of."""
    return sum(_cost(items, place, knowledge) for place in range(1, len(items)))


def _cost(items: list[Item], place: int, knowledge: Knowledge) -> float:
    item, before = items[place], items[place - 1]
    meant, said = item.meaning, item.text.lower()
    if said not in _PASSED or not isinstance(meant, Stored | Attribute):
        return 0.0
    following = items[place + 1] if place + 1 < len(items) else None
    if (
        following is not None
        and not following.apart
        and isinstance(meant, Stored)
        and _names_a_figure(said, following, knowledge)
    ):
        return _STATE_FOR_A_NAME
    if isinstance(meant, Stored) and _is_listed(before, following) and _has_its_day(meant.dataset, said, knowledge):
        return _STATE_FOR_A_NAME
    dated = following is not None and isinstance(following.meaning, Days)
    after_noun = dated or (isinstance(before.meaning, Thing | Stored) and not item.apart)
    if not after_noun or not _has_its_day(meant.dataset, said, knowledge):
        return 0.0
    if following is not None and isinstance(following.meaning, Thing | Stored) and not following.apart:
        return 0.0  # "gold loans, sanctioned loans"
    if isinstance(meant, Stored):
        return _STATE_FOR_AN_EVENT
    figure = knowledge.field(meant).role == "measure"
    return _FIGURE_FOR_AN_EVENT * (figure and not _is_compared(items[place + 1 : place + 3]))


def _is_listed(before: Item, following: Item | None) -> bool:
    """ "member, amount, approved on": alone between commas it is the day."""
    sides = (before, following) if following is not None else (before,)
    return all(isinstance(side.meaning, Cue) and side.meaning.kind == "stop" for side in sides)


def _names_a_figure(said: str, following: Item, knowledge: Knowledge) -> bool:
    """ "sanctioned amount", where that is a column."""
    found = knowledge.lexicon.names((said, *words(following.text)))
    return any(isinstance(candidate.meaning, Attribute) and candidate.cost < _EXACTLY for candidate in found)


def _has_its_day(dataset: str, said: str, knowledge: Knowledge) -> bool:
    """Whether the rows keep the day on which it happened."""
    days = (item for item in knowledge.dataset(dataset).fields if item.role == "time")
    return any(said in {*words(day.label), *event_phrases(words(day.label))} for day in days)


def _is_compared(rest: list[Item]) -> bool:
    """ "sanctioned above 3 lakh" is said of the amount."""
    compared = bool(rest) and isinstance(cue := rest[0].meaning, Cue) and cue.kind in {"compare", "aggregate"}
    return bool(rest) and (isinstance(rest[0].meaning, Number) or (compared and isinstance(rest[-1].meaning, Number)))
