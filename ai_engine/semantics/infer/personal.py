"""Which columns hold what identifies or reaches a person, by their names and by the form of their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ai_engine.semantics.schema_words import word_set
from ai_engine.types import ColumnType, Scalar

_REACHING = word_set("phone telephone mobile fax email whatsapp")
_ADDRESSES = frozenset({"address", "street"})
_NOT_ITSELF = word_set(
    """
    verified verification opt flag indicator count counts type status kind channel banking app consent preferred
    enabled active provider domain date time on at category model brand device ip mac payment payments transfer
    transfers transaction transactions bill bills wallet user users login limit amount fee charge
    """
)
_FIGURES = word_set("rate ratio share percent score cost")
_NEVER_REACHING = frozenset({"boolean", "date", "timestamp", "time"})
_HOLDING_TEXTS = frozenset({"text", "other"})
"""Of "other" are columns of SQLite that no type was given to, as what CREATE TABLE AS computes, and lists."""
_BORN = word_set("born birth birthday birthdate dob")
_NOT_THE_DAY = word_set("place city town country state county year month certificate number order rate")
_DAY_SAID = word_set("date day on birthday birthdate dob")
_COUNTED_ONES = word_set("account customer client cif iban")
_NUMBER = word_set("number iban bban cif")
_OF_A_PERSON = word_set("national nationality voter tax taxpayer identity identification driving driver")
_IDENTITY = word_set("id number identifier licence license")
_LICENCE = word_set("licence license")
_FEWEST_VALUES = 5
_BETWEEN = re.compile(r"[\s-]")
_LIKE_A_NUMBER = re.compile(r"[+A-Z\d][A-Z\d]{9,33}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_PAN = re.compile(r"[A-Z]{3}[ABCFGHJLPTK][A-Z]\d{4}[A-Z]")
_MOBILE = re.compile(r"(?:\+\d{1,3}[\s-]?|0)?[6-9]\d{4}[\s-]?\d{5}")
_CARD = re.compile(r"\d{13,19}")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_AADHAAR = re.compile(r"[2-9]\d{11}")
_DIHEDRAL = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_PERMUTED = (
    "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


def is_personal(words: Sequence[str], kind: ColumnType, *, is_key: bool) -> bool:
    """Tell by a column's name whether it holds what reaches a person, days of birth, identity or account numbers.

    Args:
        words: of its name.
        kind: its type.
        is_key: rows are told apart or joined by it, which keeps only days of birth back.
    """
    if _is_day_of_birth(words, kind):
        return True
    if kind in _NEVER_REACHING:
        return False
    if (_is_account_number(words) or _is_identity(words)) and not is_key:
        return True
    said = set(words)
    named = (_REACHING & said) or (_ADDRESSES & said and kind in _HOLDING_TEXTS) or {"e", "mail"} <= said
    is_figure = kind == "float" and bool(_FIGURES & said)
    return bool(named and not is_key and not is_figure and not _NOT_ITSELF & said)


def has_personal_form(kind: ColumnType, values: Sequence[Scalar]) -> bool:
    """Tell by their form whether distinct values reach or identify a person, most of them where some are missing.

    Numbers that any digits may look like are more alike than that: nine in ten.
    """
    if kind in _NEVER_REACHING:
        return False
    present = [value for value in values if value not in (None, "")]
    are_texts = kind == "text" or (kind == "other" and all(isinstance(value, str) for value in present))
    mails = [value for value in present if isinstance(value, str) and "@" in value]
    if _is_most(sum(map(_is_email, map(_close, mails))), len(present), _MOST):
        return True
    likely = [bare for bare in map(_close, present) if _LIKE_A_NUMBER.fullmatch(bare)]
    if not _is_most(len(likely), len(present), _MOST):
        return False
    forms = _FORMS if are_texts else _FORMS[:-1]
    return any(_is_most(sum(map(form, likely)), len(present), share) for form, share in forms)


def _close(value: Scalar) -> str:
    return _BETWEEN.sub("", str(value))


def _is_most(fitting: int, of: int, share: float) -> bool:
    return fitting >= _FEWEST_VALUES and fitting > share * of


def _is_day_of_birth(words: Sequence[str], kind: ColumnType) -> bool:
    said = set(words)
    is_day = kind in ("date", "timestamp") or bool(_DAY_SAID & said)
    return bool(_BORN & said) and is_day and not _NOT_THE_DAY & said


def _is_account_number(words: Sequence[str]) -> bool:
    return bool(words) and words[-1] in _NUMBER and bool(_COUNTED_ONES & set(words[-2:]))


def _is_identity(words: Sequence[str]) -> bool:
    """Tell whether a name is that of a national id, a voter's or tax number, a driving licence."""
    return (
        bool(words)
        and words[-1] in _IDENTITY
        and bool(_OF_A_PERSON & set(words[:-1]))
        and ("driver" not in words or bool(_LICENCE & set(words)))
    )


def _is_email(value: str) -> bool:
    return _EMAIL.fullmatch(value) is not None


def _is_pan(value: str) -> bool:
    return _PAN.fullmatch(value) is not None


def _is_mobile(value: str) -> bool:
    return _MOBILE.fullmatch(value) is not None


def _is_card(value: str) -> bool:
    """Luhn's check digit: of random numbers one in ten has it, of five none."""
    if not _CARD.fullmatch(value):
        return False
    digits = [int(digit) for digit in reversed(value)]
    return sum(digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(digits)) % 10 == 0


def _is_aadhaar(value: str) -> bool:
    """Verhoeff's check digit."""
    if not _AADHAAR.fullmatch(value):
        return False
    check = 0
    for place, digit in enumerate(reversed(value)):
        check = int(_DIHEDRAL[check][int(_PERMUTED[place % 8][int(digit)])])
    return check == 0


def _is_iban(value: str) -> bool:
    """Letters count from ten on, and what stands behind the first four leaves one of 97."""
    if not _IBAN.fullmatch(value):
        return False
    return int("".join(str(int(character, 36)) for character in value[4:] + value[:4])) % 97 == 1


_MOST, _NEARLY_ALL = 0.5, 0.9
_FORMS: tuple[tuple[Callable[[str], bool], float], ...] = (
    (_is_pan, _MOST),
    (_is_iban, _MOST),
    (_is_card, _NEARLY_ALL),
    (_is_aadhaar, _NEARLY_ALL),
    (_is_mobile, _NEARLY_ALL),  # last, as only texts have it
)
