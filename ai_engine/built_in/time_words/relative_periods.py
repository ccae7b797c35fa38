"""Stretches of time counted from the as-of day: last month, the past 90 days, 3 weeks ago, year to date."""

from __future__ import annotations

from datetime import timedelta

from ai_engine.built_in.meanings import Days
from ai_engine.built_in.numbers import number_at
from ai_engine.built_in.time_words.period_words import BankCalendar, Read, Reader, unit_at, without_article, word_at
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.calendar_days import Unit, moved

_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_SHIFTS = {
    **dict.fromkeys(("this", "current"), 0),
    **dict.fromkeys(("last", "previous", "past", "prior", "preceding"), -1),
    **dict.fromkeys(("next", "coming", "upcoming"), 1),
}
_TRAILING = frozenset({"last", "past", "previous", "trailing", "recent", "latest", "next", "coming"})
_BOUNDS = {  # whether what is further back is meant
    **dict.fromkeys((("more", "than"), ("over",), ("at", "least"), ("longer", "than"), ("earlier", "than")), True),
    **dict.fromkeys((("less", "than"), ("under",), ("no", "more", "than"), ("not", "more", "than")), False),
}
_TO_DATE: dict[str, Unit] = {"mtd": "month", "ytd": "year", "qtd": "quarter", "fytd": "fiscal year"}


def relative(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """today, yesterday, this month, last quarter, previous fiscal year, current week."""
    word = word_at(tokens, i)
    if word in _DAYS:
        day = calendar.as_of + timedelta(days=_DAYS[word])
        return i + 1, Days(day, day + timedelta(days=1), word)
    i, word = without_article(tokens, i)
    shift = _SHIFTS.get(word)
    if shift is None:
        return None
    unit, end = unit_at(tokens, i + 1)
    if unit is None or word_at(tokens, end - 1).endswith("s"):
        return None
    counted = _counted_in(calendar, tokens, end) if shift < 0 else None
    if counted is not None:  # "the past month, inclusive of 1 month ago" counts back from today
        return counted, Days(moved(calendar.as_of, unit, -1), calendar.tomorrow, f"past {unit}")
    start, stop = calendar.around(unit, shift)
    return end, Days(start, stop, f"{'this' if not shift else 'last' if shift < 0 else 'next'} {unit}")


def trailing(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """last 30 days, past three months, trailing 12 months; whole days counted back from the as-of day."""
    i, word = without_article(tokens, i)
    if word not in _TRAILING:
        return None
    number = number_at(tokens, i + 1)
    if number is None or number[1].value != int(number[1].value):
        return None
    end, amount = number
    unit: Unit | None = {"days": "day", "weeks": "week", "months": "month", "years": "year"}.get(amount.unit or "")  # type: ignore[assignment]
    if unit is None:
        if word_at(tokens, end) in {"calendar", "full", "complete"}:
            end += 1
        unit, end = unit_at(tokens, end)
    if unit is None:
        return None
    count = int(amount.value)
    label = f"{word} {count} {unit}{'s' * (count != 1)}"
    if word in {"next", "coming"}:
        return end, Days(calendar.as_of, moved(calendar.as_of, unit, count) + timedelta(days=1), label)
    end = _counted_in(calendar, tokens, end) or end
    return end, Days(moved(calendar.as_of, unit, -count), calendar.tomorrow, label)


def _counted_in(calendar: BankCalendar, tokens: tuple[Token, ...], end: int) -> int | None:
    """The end of ", inclusive of 30 days ago", which says that the first day counts; None when nothing says so."""
    start = end + (word_at(tokens, end) == ",")
    if word_at(tokens, start) not in {"inclusive", "including"} or word_at(tokens, start + 1) != "of":
        return None
    first = ago(calendar, tokens, start + 2)
    return first[0] if first is not None else None


def further_back(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """more than 15 years ago, less than 2 years ago: before and after the same day so long ago."""
    said = next((words for words in _BOUNDS if tuple(word_at(tokens, i + n) for n in range(len(words))) == words), None)
    whole = ago(calendar, tokens, i + len(said)) if said is not None else None
    number = number_at(tokens, i + len(said)) if said is not None else None
    if said is None or whole is None or number is None or number[1].value != int(number[1].value):
        return None
    unit: Unit = str(number[1].unit)[:-1]  # type: ignore[assignment]
    day = moved(calendar.as_of, unit, -int(number[1].value))
    label = f"{' '.join(said)} {whole[1].label}"
    return whole[0], Days(None, day, label) if _BOUNDS[said] else Days(day, calendar.tomorrow, label)


def ago(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """3 months ago: the whole of that day, week, month or year."""
    number = number_at(tokens, i)
    if number is None or number[1].unit not in {"days", "weeks", "months", "years"}:
        return None
    end, amount = number
    if word_at(tokens, end) not in {"ago", "back", "earlier"}:
        return None
    unit: Unit = amount.unit[:-1]  # type: ignore[index, assignment]
    start, stop = calendar.around(unit, -int(amount.value))
    return end + 1, Days(start, stop, f"{amount.value} {amount.unit} ago")


def to_date(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """month to date, YTD, this year so far."""
    i, word = without_article(tokens, i)
    if word in _TO_DATE:
        return i + 1, _until_now(calendar, _TO_DATE[word])
    if word in {"this", "current"}:
        i += 1
    unit, end = unit_at(tokens, i)
    words = (word_at(tokens, end), word_at(tokens, end + 1))
    if unit and words in {("to", "date"), ("so", "far"), ("till", "date")}:
        return end + 2, _until_now(calendar, unit)
    return None


def _until_now(calendar: BankCalendar, unit: Unit) -> Days:
    return Days(calendar.around(unit, 0)[0], calendar.tomorrow, f"{unit} to date")


READERS: tuple[Reader, ...] = (relative, trailing, further_back, ago, to_date)
