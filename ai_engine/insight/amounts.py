"""Figures as a bank writes them: Rs.1,75,206.00, 12,500 customers, 2.35%, 30 days."""

from __future__ import annotations

import math
from datetime import date, datetime, time
from decimal import Decimal, localcontext

from ai_engine.formats import PLAIN, Formats
from ai_engine.insight.dates import spell_timestamp
from ai_engine.types import OutputColumn, Scalar

MISSING = "(none)"
PERCENTAGES = {"percent": Decimal(1), "fraction": Decimal(100)}
"""Units that are read in percent, with what a figure is multiplied by; a fraction of 0.95 is 95 percent."""

_SIGNS = {"INR": "Rs.", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "CN¥"}
_NO_MINOR_UNIT = frozenset({"JPY", "KRW", "VND", "CLP", "ISK", "UGX", "XAF", "XOF"})
_THREE_PLACES = frozenset({"BHD", "JOD", "KWD", "OMR", "TND", "IQD", "LYD"})
_DURATIONS = {"days": "day", "months": "month", "years": "year", "hours": "hour", "minutes": "minute"}
_FLOAT_DIGITS = 15
"""Decimal digits a double always keeps; what lies beyond is noise of binary arithmetic."""
_ISO_CODE_CHARS = 3
_MAX_SHOWN_DIGITS = 60


def exact(value: Scalar) -> Decimal | None:
    """Return a cell as the number it stands for, None when it is no finite number.

    A float becomes the shortest decimal it can mean, so that 0.1 + 0.2 is 0.3. A boolean is no number.
    """
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, float):
        return Decimal(f"{value:.{_FLOAT_DIGITS}g}") if math.isfinite(value) else None
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else None


def is_currency(unit: str | None) -> bool:
    """Tell a currency code ("INR") from the other units ("percent", "days")."""
    return unit is not None and len(unit) == _ISO_CODE_CHARS and unit.isalpha() and unit.isupper()


def round_half_up(number: Decimal, places: int) -> Decimal:
    """Round as people and banks do: a half goes away from zero."""
    with localcontext() as context:
        context.prec = max(28, number.adjusted() + places + 2)
        context.rounding = "ROUND_HALF_UP"
        return number.quantize(Decimal(1).scaleb(-places))


def format_amount(number: Decimal, currency: str, formats: Formats = PLAIN) -> str:
    """Write money with its sign, its grouping and all places of its minor unit."""
    places = 0 if currency in _NO_MINOR_UNIT else 3 if currency in _THREE_PLACES else 2
    rounded = round_half_up(number, places)
    sign = _SIGNS.get(currency, f"{currency} ")
    return f"{'-' if rounded < 0 else ''}{sign}{group_digits(abs(rounded), formats, currency)}"


def format_number(number: Decimal, formats: Formats = PLAIN) -> str:
    """Write a plain number.

    At most two places (as many as needed for the first two digits of a small fraction); a number that came with exactly
    two keeps both, as money without a known currency does.
    """
    if number.as_tuple().exponent == -2 and abs(number) >= 1:
        return _signed(number, formats)
    return _signed(_shortest(number), formats)


def format_percent(number: Decimal) -> str:
    """Write percentage points; the number is already a percentage, 12.5 for 12.5%."""
    return f"{_signed(_shortest(number), PLAIN)}%"


def spoken_figure(number: Decimal, unit: str | None, formats: Formats) -> str:
    """Write a figure for a sentence: money in lakh and crore (else million and billion), two places at the most.

    Args:
        number: the figure.
        unit: as in `OutputColumn.unit`.
        formats: whose reader's.
    """
    if unit in PERCENTAGES:
        return spoken_percent(number * PERCENTAGES[unit])
    if unit is not None and is_currency(unit):
        for size, word in formats.scales(unit):
            if abs(number) >= size:
                told = group_digits(round_half_up(abs(number) / size, 2), formats, unit)
                return f"{'-' if number < 0 else ''}{_SIGNS.get(unit, f'{unit} ')}{told} {word}"
    return _format_figure(number, unit, formats)


def spoken_percent(number: Decimal) -> str:
    """Write percentage points for a sentence, with two places at the most."""
    rounded = round_half_up(number, 2)
    if rounded == 0 and number != 0:
        return "under 0.01%" if number > 0 else "just under 0%"
    return f"{_signed(_shortest(rounded), PLAIN)}%"


def format_value(value: Scalar, unit: str | None = None, formats: Formats = PLAIN) -> str:
    """Write one cell for people.

    Args:
        value: the cell.
        unit: as in `OutputColumn.unit`.
        formats: decide between 1,75,206 and 175,206, and how a day is written.
    """
    number = exact(value)
    if number is not None:
        return _format_figure(number, unit, formats)
    if value is None or value == "":
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return spell_timestamp(value, formats)
    if isinstance(value, date):
        return formats.day(value)
    if isinstance(value, time):
        return f"{value:%H:%M:%S}" if value.second else f"{value:%H:%M}"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return str(value)


def format_cell(value: Scalar, column: OutputColumn, formats: Formats = PLAIN) -> str:
    """Write one cell of a column: only figures are grouped; account 100234 and the year 2025 stay as they are."""
    if column.role == "measure" or exact(value) is None:
        return format_value(value, column.unit, formats)
    return str(_plain(value))


def _plain(value: Scalar) -> Scalar:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _format_figure(number: Decimal, unit: str | None, formats: Formats) -> str:
    if unit is not None and is_currency(unit):
        return format_amount(number, unit, formats)
    if unit in PERCENTAGES:
        return format_percent(number * PERCENTAGES[unit])
    text = format_number(number, formats)
    if unit in _DURATIONS:
        return f"{text} {_DURATIONS[unit]}{'' if text == '1' else 's'}"
    return text


def _shortest(number: Decimal) -> Decimal:
    places = 2 if abs(number) >= 1 else 4
    rounded = round_half_up(number, places)
    if rounded == 0 and number != 0:
        rounded = round_half_up(number, 1 - number.adjusted())
    return rounded.to_integral_value() if rounded == rounded.to_integral_value() else rounded.normalize()


def _signed(number: Decimal, formats: Formats) -> str:
    return f"{'-' if number < 0 else ''}{group_digits(abs(number), formats)}"


def group_digits(number: Decimal, formats: Formats, currency: str | None = None) -> str:
    """Write a number of at least zero in full, those of a currency as its country does unless the reader has chosen."""
    if abs(number.adjusted()) > _MAX_SHOWN_DIGITS:
        return f"{number:.1e}"
    whole, point, fraction = f"{number:f}".partition(".")
    if formats.grouping_of(currency) != "lakh":
        return f"{int(whole):,}{point}{fraction}"
    head, tail = whole[:-3], whole[-3:]
    pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)]
    return f"{','.join([*reversed(pairs), tail])}{point}{fraction}"
