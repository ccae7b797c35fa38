"""Numbers of any kind as exact decimals."""

from __future__ import annotations

from decimal import Decimal


def exact(number: object) -> Decimal:
    """Return a number as the decimal it is written as: the float 8.75 is 8.75, not its nearest binary fraction.

    Raises:
        ValueError: it is no number, or not a finite one.
    """
    if isinstance(number, bool) or not isinstance(number, (int, float, Decimal)):
        raise ValueError(f"{number!r} is no number")
    value = number if isinstance(number, Decimal) else Decimal(str(number))
    if not value.is_finite():
        raise ValueError(f"{number!r} is no finite number")
    return value


def exact_list(numbers: object) -> list[Decimal]:
    """Return a list of numbers as exact decimals.

    Raises:
        ValueError: it is no list, or holds something else than finite numbers (an empty cell, a text).
    """
    if not isinstance(numbers, (list, tuple)):
        raise ValueError("a list of numbers is needed")
    return [exact(number) for number in numbers]
