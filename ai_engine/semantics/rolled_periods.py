"""Periods that move on with the days: "last month" of a question that is asked again next month."""

from __future__ import annotations

from ai_engine.semantics.intent import Intent, Period
from ai_engine.semantics.settled_periods import SEVERAL_FISCAL, relative_days, settled
from ai_engine.semantics.vocabulary import Vocabulary


def period_from(words: str, vocabulary: Vocabulary) -> Period | None:
    """Return the period that words mean as of the data's day, None where they do not count from it.

    Args:
        words: as a period's label has them: "last month", "last 12 months", "year to date".
    """
    days = relative_days(words, vocabulary.as_of, vocabulary.model.fiscal_year_start_month)
    return None if days is None else Period(start=days[0], end=days[1], label=words)


def rolled(intent: Intent, vocabulary: Vocabulary) -> tuple[Intent, tuple[str, ...]]:
    """Let the period of an intent count from the data's day of now, with what was assumed about it.

    A period of named days ("August 2026") stays, and nothing is assumed about it anew.
    """
    if intent.period is None:
        return intent, ()
    now = period_from(intent.period.label, vocabulary)
    if now is None:
        return settled(intent, vocabulary) if SEVERAL_FISCAL.fullmatch(intent.period.label) else (intent, ())
    period = intent.period.model_copy(update={"start": now.start, "end": now.end, "until": None})
    return settled(intent.model_copy(update={"period": period}), vocabulary)


def moves_on(intent: Intent, vocabulary: Vocabulary) -> bool:
    """Tell whether the period, as it was asked on the data's day of now, is called by words that count from that day.

    A period that somebody has set to other days than its words mean does not.
    """
    period = intent.period
    if period is None or not (period_from(period.label, vocabulary) or SEVERAL_FISCAL.fullmatch(period.label)):
        return False
    now = rolled(intent, vocabulary)[0].period
    return now is not None and (now.start, now.end) == (period.start, period.end)
