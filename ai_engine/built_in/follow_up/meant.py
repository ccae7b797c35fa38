"""Which of the questions before is meant, where a question names it: "the 2025 figure", "that earlier quarter"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Days
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import tokenise
from ai_engine.semantics.intent import Intent, Period
from ai_engine.types import Turn

_FIGURE = r"(?:one|figure|number|count|total|sum|amount|value|result)"
_NAMED = re.compile(rf"\bthe (?P<which>[\w' -]+?) {_FIGURE}\b", re.IGNORECASE)
_BEHIND = re.compile(
    r"(?:and |so )?(?:which|what|who are(?: the)?) (?P<noun>[a-z][\w -]*?) "
    r"(?:(?:are|were|is|was|stand|lie) behind|make up|account for) "
    rf"(?:that|this|it|those|these|them|the (?P<which>[\w' -]+?))(?: {_FIGURE}s?)?[\s?.]*",
    re.IGNORECASE,
)


def of_named_days(question: str, history: Sequence[Turn], knowledge: Knowledge) -> tuple[str, Sequence[Turn]]:
    """ "split the 2025 one by region": the conversation up to the answer for 2025, of which "split that" is asked."""
    found = _NAMED.search(question)
    days = _days(found["which"], knowledge) if found is not None else None
    if found is None or days is None:
        return question, history
    within = [place for place, turn in enumerate(history) if turn.intent and _lies_within(turn.intent.period, days)]
    exact = [place for place in within if _bounds(history[place].intent) == (days.start, days.end)]
    if not exact and len({_bounds(history[place].intent) for place in within}) != 1:
        return question, history
    return f"{question[: found.start()]}that{question[found.end() :]}", history[: (exact or within)[-1] + 1]


def _days(said: str, knowledge: Knowledge) -> Days | None:
    tokens = tokenise(f"in {said}")  # by which "May" is a month
    read = PeriodReader(knowledge.as_of, knowledge.model.fiscal_year_start_month).read(tokens, 1)
    return read[1] if read is not None and read[0] == len(tokens) else None


def _bounds(intent: Intent | None) -> tuple[date | None, date | None]:
    period = intent.period if intent else None
    return (period.start, period.end) if period else (None, None)


def _lies_within(period: Period | None, days: Days) -> bool:
    if period is None or None in {period.start, period.end, days.start, days.end}:
        return False
    assert period.start and period.end and days.start and days.end  # noqa: S101 - seen above
    return days.start <= period.start and period.end <= days.end


def of_earlier_days(answered: Sequence[Intent]) -> Intent | None:
    """ "for that earlier quarter": of the two questions before the one whose days come first."""
    dated = [intent for intent in answered if _bounds(intent)[0] is not None]
    return min(dated, key=lambda intent: _bounds(intent)[0] or date.max, default=None)


def until_the_last_answer(history: Sequence[Turn]) -> Sequence[Turn]:
    """The conversation before its last answer."""
    last = max(place for place, turn in enumerate(history) if turn.intent is not None)
    return history[:last]


def behind_a_figure(question: str) -> tuple[str, str] | None:
    """ "which customers are behind the Pune figure": the noun, and what only the figure is of, "" for all of it."""
    found = _BEHIND.fullmatch(question.strip())
    return (found["noun"], found["which"] or "") if found is not None else None
