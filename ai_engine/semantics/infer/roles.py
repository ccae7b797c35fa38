"""What a column is for: figure, category, time, name, key or text, judged by its words, type and sampled values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.model import FieldRole
from ai_engine.semantics.names import singular
from ai_engine.semantics.schema_words import word_set
from ai_engine.semantics.spelled_days import spell_days, spell_months
from ai_engine.types import Scalar

NUMERIC = frozenset({"integer", "decimal", "float"})
_ISO_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?\s*Z?")
_PLAIN_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d+)?")
_SHORT_TEXT = re.compile(r"\((\d+)\)")
_MOST_CATEGORIES = 30
_CHOICE_LENGTH_CHARS = 3

_IDENTIFIERS = word_set(
    """
    id number code key no uuid guid identifier ref reference zip postcode pin phone telephone mobile fax iban bic
    swift ifsc micr isin cusip pan aadhaar ssn passport licence license serial sequence version latitude longitude
    lat lon lng epoch ms hash token index cif cvv symbol login username
    """
)
CALENDAR_PARTS = frozenset({"year", "month", "quarter", "week", "day", "weekday", "hour", "minute", "fy"})
_DAY_WORDS = frozenset({"date", "day", "dated", "key", "on", "of", "time"})
_MONTH_WORDS = frozenset({"month", "period"})
_CATEGORIES = word_set(
    """
    type status state category class group segment kind gender sex city town country county province region district
    direction network area zone currency channel method mode frequency nationality occupation profession grade tier
    level risk priority department sector industry source exchange language title bucket band stage reason purpose
    operation brand color colour size sub subtype designation role product scheme relationship flag indicator
    territory location unit
    """
)
_GRADES = word_set(
    "type status category class group segment kind grade tier bucket band stage flag indicator priority severity"
)
_FREE_TEXT = word_set(
    """
    description comment comments detail details note notes remark remarks narration text message memo content
    particulars address street body query url link path password secret email website photo picture image
    initial
    """
)
_PERSON_OR_THING_NAMES = frozenset({"name", "title", "fullname", "surname", "nickname", "forename"})
_PLACES = frozenset({"city", "town", "country", "county", "province", "region", "district", "state", "area", "zone"})
_NOT_WHAT_A_ROW_IS_CALLED = frozenset({"login", "user", "file", "table", "column", "host", "domain", "path", "display"})
_WORK = frozenset({"job", "work", "position", "courtesy"})
_SECRETS = word_set(
    "password passwd secret token cvv cvc pin ssn aadhaar aadhar pan passport biometric signature otp mpin"
)
_CARD_NUMBERS = {(*kind, "card", "number") for kind in ((), ("credit",), ("debit",), ("payment",))}
_PAYMENT_CARD = re.compile(r"\d{13,19}")
_MASKED = re.compile(r"[*•#xX]{4}")
_FLAG_OPENERS = frozenset({"is", "has", "was", "can", "allow", "allows", "enabled", "should"})
_FEW_CODES = 12
_TRUTHS = tuple(word_set(pair) for pair in ("y n", "yes no", "t f", "true false", "0 1"))
_AMOUNT_WORDS = word_set(
    """
    amount balance quantity total count sum price cost fee charge salary income limit principal outstanding tax
    commission rate ratio percent percentage score age average share shares volume value payment duration tenure
    term inhabitant population interest premium revenue profit loss discount
    """
)


_NEVER_FLAGS = _AMOUNT_WORDS | {"gender", "sex"}
AMOUNTS_AND_KINDS = _CATEGORIES | _AMOUNT_WORDS | _FREE_TEXT | {"date", "history", "item", "data"}


def role_of(
    item: NamedColumn, samples: Sequence[Scalar], *, is_key: bool, points_elsewhere: bool, label: str
) -> FieldRole:
    """Return what the column is for.

    Args:
        item: the column and its words.
        samples: some of its distinct values, most frequent first; may be empty.
        is_key: it names a row of its table, alone or with others.
        points_elsewhere: it names a row of some table: a foreign key, or a number called like a table.
        label: the noun for one row of its table.
    """
    column, words = item.column, tuple(singular(word) for word in item.words)
    head = words[-1] if words else ""
    present = [value for value in samples if value is not None]
    if is_key or (points_elsewhere and not (column.type == "text" and head in _CATEGORIES | {"code"})):
        return "identifier" if column.type not in {"date", "timestamp"} else "time"
    if column.type in {"date", "timestamp", "time"}:
        return "time"
    if spells_days(item.words, column.type, present):
        return "time"
    if column.type == "boolean" or _is_flag(item.words, column.type, present):
        return "flag"
    if column.type in NUMERIC:
        if item.told.unit or item.told.codes:
            return "measure" if item.told.unit else "category"
        return _numeric_role(item.words, words, column.type, present)
    if column.type == "text":
        return _text_role(words, present, label, column.native_type)
    return "text"


def _is_flag(words: Sequence[str], kind: str, present: Sequence[Scalar]) -> bool:
    values = {str(value).strip().lower() for value in present}
    if values and kind in {"integer", "text"}:
        if not any(values <= truths for truths in _TRUTHS) or counts_things(words):
            return False
        return _asks_yes_or_no(words) or (len(values) == 2 and not _NEVER_FLAGS & set(words))
    return not values and _asks_yes_or_no(words)


def _asks_yes_or_no(words: Sequence[str]) -> bool:
    return bool(words) and (words[0] in _FLAG_OPENERS or words[-1] in {"flag", "active", "enabled"})


def counts_things(words: Sequence[str]) -> bool:
    """Tell whether the words count something: "number of loans", "loan count", "num customers"."""
    if not words:
        return False
    opens = words[0] in {"number", "count"} and len(words) > 1
    return opens or words[-1] == "count" or words[:2] == ("total", "number")


def _numeric_role(words: Sequence[str], singulars: Sequence[str], kind: str, present: Sequence[Scalar]) -> FieldRole:
    head = singulars[-1] if singulars else ""
    if len(words) > 1 and words[-1] == "number" and words[-2] in CALENDAR_PARTS:
        return "category"
    if counts_things(words):
        return "measure"
    if kind == "integer" and _MONTH_WORDS & set(words) and spell_months(present):
        return "category"
    if head == "code" and kind == "integer" and 0 < len(set(present)) <= _FEW_CODES:
        return "category"
    if head in _IDENTIFIERS or _reads_as_date(words, present):
        return "identifier"
    if head in CALENDAR_PARTS and (kind == "integer") and words[-1] == head:
        return "category"
    if head in _GRADES and kind == "integer":
        return "category"
    return "measure"


def spells_days(words: Sequence[str], kind: str, present: Sequence[Scalar]) -> bool:
    """Tell whether numbers or texts are days such as 20261121, by their values and a word that says so."""
    return kind in {"integer", "text"} and bool(_DAY_WORDS & set(words)) and spell_days(present)


def _reads_as_date(words: Sequence[str], present: Sequence[Scalar]) -> bool:
    """Numbers that spell a day, such as 19940825, neither add up nor average."""
    spelled = bool({"date", "timestamp"} & set(words[-2:]))
    return spelled and (not present or all(isinstance(value, int) and value > 9_999 for value in present))


def _text_role(words: Sequence[str], present: Sequence[Scalar], label: str, native_type: str) -> FieldRole:
    head = words[-1] if words else ""
    texts = [str(value) for value in present if str(value).strip()]
    if texts and all(_ISO_DATE.fullmatch(text) for text in texts):
        return "time"
    if holds_figures(words, texts):
        return "measure"
    if head in _PERSON_OR_THING_NAMES:
        return _name_role(words, label)
    if head == "code" or (head in _IDENTIFIERS and head != "symbol"):
        few = head == "code" and (_few_short(texts) or bool(_PLACES & set(words)))
        return "category" if few else "identifier"
    if head in _FREE_TEXT or set(words) & {"password", "address"}:
        return "text"
    if head in _CATEGORIES or set(words) & _GRADES:
        return "category"
    if texts:
        return "category" if _few_short(texts) else "text"
    length = _SHORT_TEXT.search(native_type)
    return "category" if length and int(length[1]) <= _CHOICE_LENGTH_CHARS else "text"


def _name_role(words: Sequence[str], label: str) -> FieldRole:
    owner = words[-2] if len(words) > 1 else ""
    if owner in _NOT_WHAT_A_ROW_IS_CALLED:
        return "text"
    if owner in _WORK:
        return "category"
    if owner in _PLACES | CALENDAR_PARTS and owner not in label.split():
        return "category"
    return "name"


def _few_short(texts: Sequence[str]) -> bool:
    return 0 < len(texts) <= _MOST_CATEGORIES and all(len(text) <= 40 and text.count(" ") <= 3 for text in texts)


def holds_figures(words: Sequence[str], texts: Sequence[str]) -> bool:
    """Tell whether a text column keeps plain numbers of something that is counted or measured."""
    if not texts or not all(_PLAIN_NUMBER.fullmatch(text.strip()) for text in texts):
        return False
    return counts_things(words) or (bool(_AMOUNT_WORDS & set(words)) and words[-1] not in _IDENTIFIERS)


def is_secret(words: Sequence[str], *, lacks_cards: bool = False) -> bool:
    """Tell by its words whether a column keeps what nobody should read in a list.

    `lacks_cards` tells that it has values, none of which is the number of a payment card.
    """
    if set(words) & {"hint", "count", "attempts", "changed", "expiry", "code"} - {"code"}:
        return False
    if words and words[0] == "pin" and "code" in words:
        return False
    return bool(_SECRETS & set(words)) or (tuple(words) in _CARD_NUMBERS and not lacks_cards)


def is_card_number(value: str) -> bool:
    """Tell whether a text is as long as the number of a payment card, or one with its digits masked."""
    return bool(_PAYMENT_CARD.fullmatch(re.sub(r"[\s.-]", "", value)) or _MASKED.search(value))


def is_amount(words: Sequence[str]) -> bool:
    """Tell whether the words say something that is counted or measured, or a part of the calendar."""
    return counts_things(words) or bool((_AMOUNT_WORDS | CALENDAR_PARTS) & set(words))
