"""What the format lacks and our extension adds: its keys, and how they are read from `custom_extensions`."""

from __future__ import annotations

from typing import Final, get_args

from ai_engine.semantics.model import Aggregate, FieldRole, GuessedBy
from ai_engine.semantics.osi.document import Part, parse_json
from ai_engine.types import ColumnType

VENDOR: Final = "BANKING_ASSISTANT"
MODEL_KEYS: Final = (
    "currency",
    "fiscal_year_start_month",
    "plain_year",
    "as_of",
    "verified_questions",
    "inferred",
    "glossary",
)
DATASET_KEYS: Final = ("label", "default_time", "snapshot_time", "flows", "display", "partitions")
FIELD_KEYS: Final = (
    "role",
    "type",
    "unit",
    "default_aggregate",
    "value_synonyms",
    "sensitive",
    "behind",
    "described_by",
    "learnt",
)
RELATIONSHIP_KEYS: Final = ("preferred", "only_where", "guessed_by")
METRIC_KEYS: Final = ("label", "unit", "time_field")

ROLES: Final[tuple[FieldRole, ...]] = get_args(FieldRole)
GUESSED_BY: Final[tuple[GuessedBy, ...]] = get_args(GuessedBy)
AGGREGATES: Final[tuple[Aggregate, ...]] = get_args(Aggregate)
TYPES: Final[tuple[ColumnType, ...]] = get_args(ColumnType)
PORTABLE_TYPES: Final[dict[str, ColumnType]] = {
    "String": "text",
    "Integer": "integer",
    "Decimal": "decimal",
    "Float": "float",
    "Boolean": "boolean",
    "Date": "date",
    "Time": "time",
    "DateTime": "timestamp",
    "DateTimeTz": "timestamp",
    "Opaque": "other",
}
_UNITS: Final = ("percent", "fraction", "days", "months", "years", "count")


def extension(entries: dict[str, Part], known: tuple[str, ...]) -> dict[str, Part]:
    """Return the keys of our own extension, empty when there is none; other vendors' extensions are passed over."""
    found: dict[str, Part] = {}
    for item in _given(entries, "custom_extensions"):
        entry = item.only(("vendor_name", "data"), ("vendor_name", "data"))
        if entry["vendor_name"].text() == VENDOR:
            if found:
                item.fail(f"{VENDOR} has two extensions in one place")
            found = parse_json(entry["data"]).only(known)
    return found


def _given(entries: dict[str, Part], key: str) -> tuple[Part, ...]:
    return entries[key].items() if key in entries and entries[key].value is not None else ()


def synonyms(entries: dict[str, Part]) -> tuple[str, ...]:
    """Return the synonyms of an `ai_context`; a plain string counts as a list where it is short phrases and commas."""
    context = entries.get("ai_context")
    if context is None:
        return ()
    if isinstance(context.value, str):
        phrases = [phrase.strip() for phrase in context.value.split(",")]
        return tuple(phrases) if all(0 < len(phrase.split()) <= 4 for phrase in phrases) else ()
    listed = context.entries().get("synonyms")
    return listed.names() if listed is not None else ()


def instructions(entries: dict[str, Part]) -> str:
    """Return the instructions of an `ai_context`, which may be the plain string itself."""
    context = entries.get("ai_context")
    if context is None or isinstance(context.value, str):
        return context.text() if context else ""
    said = context.entries().get("instructions")
    return said.text() if said is not None else ""


def unit(part: Part) -> str | None:
    """Return a unit: a currency code of three capitals or one of the fixed words."""
    if part.value is None:
        return None
    value = part.text()
    if value not in _UNITS and not is_currency(value):
        part.fail(f"{value!r} is neither a currency code such as INR nor one of {', '.join(_UNITS)}")
    return value


def is_currency(value: str) -> bool:
    """Tell whether a text has the form of an ISO 4217 code."""
    return len(value) == 3 and value.isascii() and value.isalpha() and value.isupper()
