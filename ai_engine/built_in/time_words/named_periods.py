"""Stretches of time by their names in the calendar: 15 March 2024, Q2 FY25, the first week of October, 2023-24."""

from __future__ import annotations

from calendar import month_name
from datetime import date, timedelta

from ai_engine.built_in.meanings import Days
from ai_engine.built_in.numbers import number_at
from ai_engine.built_in.time_words.period_words import (
    SIDES,
    BankCalendar,
    Read,
    Reader,
    is_year,
    without_article,
    word_at,
    year_at,
)
from ai_engine.built_in.time_words.two_periods import MONTHS, part_of_year, place_of_year, year_of_other
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.calendar_days import add_months, spell, written_day

_BEFORE_A_MONTH = SIDES | {"in", "of", "for", "during", "between", "to", "last", "this", "month"}

_BEARING_RATES = frozenset(
    "purchase cash advance transfer intro introductory penalty card loan representative average avg effective".split()
)
_NEAR = 4
_COMING = frozenset("due expire expires expiring mature matures maturing upcoming coming".split())
_GONE_BY = frozenset("was were had fell expired matured last past overdue before since after".split())


def part_of_month(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """first week of October 2026, last 10 days of March, first fortnight of June."""
    i, word = without_article(tokens, i)
    if word not in {"first", "last"}:
        return None
    number = number_at(tokens, i + 1)
    unit = word_at(tokens, i + 1)
    if number is not None and number[1].unit == "days":
        end, days = number[0], int(number[1].value)
    elif unit in {"week", "fortnight"}:
        end, days = i + 2, 7 if unit == "week" else 15
    else:
        return None
    if word_at(tokens, end) not in {"of", "in"}:
        return None
    month = named_month(calendar, tokens, end + 1)
    if month is None or month[1].start is None or month[1].end is None or not 0 < days < 28:
        return None
    first, after = month[1].start, month[1].end
    start, stop = (first, first + timedelta(days=days)) if word == "first" else (after - timedelta(days=days), after)
    return month[0], Days(start, stop, f"{word} {days} days of {month[1].label}")


def named_month(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """March 2025, Mar, March last year."""
    if word_at(tokens, i) == "month" and word_at(tokens, i + 1) == "of":
        i += 2
    word = word_at(tokens, i)
    month = MONTHS.get(word)
    if month is None or (word == "may" and not (year_at(calendar, tokens, i + 1) or _dates(tokens, i - 1))):
        return None
    if word == "apr" and _is_a_rate(calendar, tokens, i):
        return None
    end = i + 1
    in_quarter = word_at(tokens, end) == "quarter"  # "the September quarter of 2026"
    end += in_quarter
    if word_at(tokens, end) in {"of", "in"} or (end < len(tokens) and tokens[end].word == ","):
        end += 1
    plain = i + 1 + in_quarter, _unsaid_year(calendar, tokens, i, month)
    end, year = year_at(calendar, tokens, end) or plain
    if in_quarter:
        return end, _quarter_ending(year, month)
    if word_at(tokens, end) == "quarter":
        return end + 1, _quarter_ending(year, month)
    return end, _month(year, month)


def _unsaid_year(calendar: BankCalendar, tokens: tuple[Token, ...], i: int, month: int) -> int:
    """The year of a month without one: that of the month it is held against, else the last that has begun."""
    other = year_of_other(tokens, i, (i + 1, 1, month))
    year = year_at(calendar, tokens, other[0]) if other is not None else None
    if other is not None and year is not None:
        return year[1] + other[1]
    return calendar.year_of(month, coming=_is_to_come(tokens, i))


def _is_a_rate(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> bool:
    """ "purchase apr per product" is the annual percentage rate, and no April."""
    return word_at(tokens, i - 1) in _BEARING_RATES and year_at(calendar, tokens, i + 1) is None


def _is_to_come(tokens: tuple[Token, ...], i: int) -> bool:
    """ "falling due in December", "cards that expire in March": said of what lies ahead."""
    before = [token.word for token in tokens[max(0, i - _NEAR) : i]]
    return not _GONE_BY.intersection(before) and not _COMING.isdisjoint(before)


def _quarter_ending(year: int, month: int) -> Days:
    """The September 2026 quarter is the three months that end with it."""
    after = add_months(date(year, month, 1), 1)
    return Days(add_months(after, -3), after, f"the {month_name[month]} {year} quarter")


def _month(year: int, month: int) -> Days:
    start = date(year, month, 1)
    return Days(start, add_months(start, 1), f"{month_name[month]} {year}")


def month_is_first(tokens: tuple[Token, ...]) -> bool:
    """Tell whether the dates in figures have the month first, as one of them can be read in no other way."""
    dates = [token.text for token in tokens if token.kind == "date"]
    return any(written_day(text) is None and written_day(text, month_first=True) is not None for text in dates)


def either_way(tokens: tuple[Token, ...]) -> Token | None:
    """The first date in figures that would be another day with its month first, where nothing says what is first."""
    dates = [token for token in tokens if token.kind == "date"]
    if month_is_first(tokens) or any(written_day(token.text, month_first=True) is None for token in dates):
        return None
    return next((item for item in dates if written_day(item.text) != written_day(item.text, month_first=True)), None)


def days_of_month(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """1 to 15 March 2026."""
    first = word_at(tokens, i)
    if not first.isdecimal() or word_at(tokens, i + 1) not in {"to", "till", "until", "through"}:
        return None
    last = named_day(calendar, tokens, i + 2)
    if last is None or last[1].start is None or not 1 <= int(first) < last[1].start.day:
        return None
    return last[0], Days(last[1].start.replace(day=int(first)), last[1].end, f"{first} to {last[1].label}")


def named_day(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """2024-03-15, 15/03/2024, 15 March 2024, March 15th, 2024."""
    if i >= len(tokens):
        return None
    if tokens[i].kind == "date":
        day = written_day(tokens[i].text, month_first=month_is_first(tokens))
        return (i + 1, Days(day, day + timedelta(days=1), spell(day))) if day else None
    link = word_at(tokens, i + 1) == "of"  # "15th of March"
    first, second, after = word_at(tokens, i), word_at(tokens, i + 1 + link), i + 2 + link
    for number, name in ((first, second), *(() if link else ((second, first),))):
        day_text = number.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
        if name in MONTHS and day_text.isdecimal() and 1 <= int(day_text) <= 31:
            has_link = after < len(tokens) and tokens[after].word in {",", "of"}
            year = year_at(calendar, tokens, after + has_link)
            coming = _is_to_come(tokens, i)
            end, found = year or (after, calendar.year_of(MONTHS[name], coming=coming))
            try:
                day = date(found, MONTHS[name], int(day_text))
            except ValueError:
                return None
            return end, Days(day, day + timedelta(days=1), spell(day))
    return None


def quarter(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """Q1 2025, Q3, first quarter of 2023, Q2 FY25, H1 2024; those of a fiscal year count from its first month."""
    i, _ = without_article(tokens, i)
    part = part_of_year(tokens, i)
    if part is None or part[1] == 1 or not 1 <= part[2] <= 12 // part[1]:
        return None
    plain, length, number = part
    name = f"{'Q' if length == 3 else 'H'}{number}"

    def of(place: int, shift: int) -> Read | None:
        fiscal = fiscal_year(calendar, tokens, place)
        if fiscal is not None and fiscal[1].start is not None and not shift:
            start = add_months(fiscal[1].start, length * (number - 1))
            return fiscal[0], Days(start, add_months(start, length), f"{name} {fiscal[1].label}")
        year = year_at(calendar, tokens, place)
        start = date(year[1] + shift, length * (number - 1) + 1, 1) if year else date.min
        return (year[0], Days(start, add_months(start, length), f"{name} {start.year}")) if year else None

    own = of(place_of_year(tokens, plain), 0)
    if own is not None:
        return own
    other = year_of_other(tokens, i, part)
    shared = of(*other) if other is not None else None
    if shared is not None:
        return plain, shared[1]
    start = date(calendar.as_of.year, length * (number - 1) + 1, 1)
    if start > calendar.as_of:
        start = add_months(start, -12)
    return plain, Days(start, add_months(start, length), f"{name} {start.year}")


def fiscal_year(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:
    """FY24, FY 2024-25, fiscal year 2025, 2023-24; named by the year in which it ends, as in India."""
    i, word = without_article(tokens, i)
    end, explicit, text = i + 1, True, ""
    if word.startswith("fy") and word[2:].isdecimal():
        text = word[2:]
    elif word == "fy" or (word in {"fiscal", "financial"} and word_at(tokens, i + 1) == "year"):
        end = i + 1 if word == "fy" else i + 2
        text, end = word_at(tokens, end), end + 1
    elif len(word) == 4 and word.isdecimal():
        text, explicit = word, False
    if not text.isdecimal():
        return None
    first, second = int(text), _signless(word_at(tokens, end))
    if second is not None and second == (first + 1) % 100:
        last_year, end = (first if first > 99 else 2000 + first) + 1, end + 1
    elif explicit:
        last_year = first if first > 99 else 2000 + first
    else:
        return None
    if not is_year(str(last_year)):
        return None
    stop = date(last_year, calendar.fiscal_start, 1) if calendar.fiscal_start > 1 else date(last_year + 1, 1, 1)
    return end, Days(add_months(stop, -12), stop, f"FY{last_year - 1}-{last_year % 100:02d}")


def year_alone(calendar: BankCalendar, tokens: tuple[Token, ...], i: int) -> Read | None:  # noqa: ARG001
    """2024, the year 2024, 1990s."""
    i, word = without_article(tokens, i)
    if word == "year":
        i, word = i + 1, word_at(tokens, i + 1)
    if len(word) == 5 and word[:4].isdecimal() and word[4] == "s":
        decade = int(word[:4])
        return i + 1, Days(date(decade, 1, 1), date(decade + 10, 1, 1), f"the {decade}s")
    if is_year(word):
        return i + 1, Days(date(int(word), 1, 1), date(int(word) + 1, 1, 1), word)
    return None


def _dates(tokens: tuple[Token, ...], i: int) -> bool:
    """Tell whether the word at `i` makes a month of the "may" after it."""
    return word_at(tokens, i) in _BEFORE_A_MONTH or (word_at(tokens, i) == "and" and word_at(tokens, i - 1) in MONTHS)


def _signless(word: str) -> int | None:
    text = word.lstrip("-")
    return int(text) % 100 if text.isdecimal() and len(text) in {2, 4} else None


READERS: tuple[Reader, ...] = (part_of_month, named_month, named_day, days_of_month, quarter, fiscal_year, year_alone)
