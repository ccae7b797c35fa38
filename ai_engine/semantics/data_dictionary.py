"""A bank's data dictionary: what it calls its tables and columns, as rows of a table that people keep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType

from ai_engine.catalogue import Catalogue, Table
from ai_engine.errors import BadConfiguration
from ai_engine.semantics.names import singular

HEADINGS = ("table", "column", "name", "description", "codes", "unit", "sensitive")
_ALSO_CALLED = {
    "table": "table name, entity",
    "column": "column name, field, field name, attribute",
    "name": "business name, display name, label",
    "description": "definition, meaning, business description, comment",
    "codes": "code list, values, valid values, allowed values",
    "unit": "units, unit of measure, uom",
    "sensitive": "sensitivity, pii, confidential, personal data",
}
_HEADING_OF = {
    said: heading for heading in HEADINGS for said in (heading, *_ALSO_CALLED[heading].replace(", ", ",").split(","))
}
_UNITS = {"percent", "fraction", "days", "months", "years", "count"}
_ALSO_UNITS = {
    "%": "percent", "percentage": "percent", "ratio": "fraction", "day": "days", "month": "months", "year": "years",
    "number": "count", "₹": "INR", "rs": "INR", "rs.": "INR", "rupees": "INR", "$": "USD", "€": "EUR", "£": "GBP",
}  # fmt: skip
_CURRENCY = re.compile(r"[A-Za-z]{3}")
_YES = frozenset({"yes", "y", "true", "1", "x", "high", "personal", "confidential", "restricted"})
_NO = frozenset({"no", "n", "false", "0", "low", "none", "public", "internal"})
_CODE = re.compile(r"\s*['\"]?(?P<code>[^=:'\"]*?)['\"]?\s*(?:=|:|\s[-–]\s)\s*(?P<meaning>[^=]+?)\s*")
_BETWEEN_CODES = re.compile(r"[;\n|]|,(?=[^,;\n|]*=)")
_BETWEEN_NAMES = re.compile(r"\s*[;|\n]\s*")
_MOST_FAULTS = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """What a dictionary says of a table, or of one of its columns.

    Attributes:
        names: in small letters, what people call it first; none where it goes by its own name.
        codes: stored value → what it stands for.
        unit: as in `model.Field.unit`.
        sensitive: None where nothing is said.
    """

    names: tuple[str, ...] = ()
    description: str = ""
    codes: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    sensitive: bool | None = None


@dataclass(frozen=True, slots=True)
class DataDictionary:
    """Entries by table ("schema.table" or "table") and column ("" is the table itself), all in small letters.

    `left_out` says which rows speak of what this database does not have.
    """

    entries: Mapping[tuple[str, str], Entry] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def of(self, table: Table, column: str = "") -> Entry:
        """Return what is said, an empty entry where nothing is."""
        place = (_called(table), column.lower())
        return self.entries.get(place, NOTHING_TOLD)

    def sensitive(self, catalogue: Catalogue) -> dict[str, frozenset[str]]:
        """Table → columns that it calls sensitive, in small letters."""
        found: dict[str, frozenset[str]] = {}
        for table in catalogue.tables:
            columns = {name.lower() for name in table.column_names if self.of(table, name).sensitive}
            found[table.name.lower()] = found.get(table.name.lower(), frozenset()) | columns
        return found


EMPTY = DataDictionary(MappingProxyType({}))
NOTHING_TOLD = Entry()


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a dictionary as it was written; `place` says where it stands ("row 7")."""

    place: str
    cells: Mapping[str, str]


def heading_of(text: str) -> str:
    """Return which of `HEADINGS` a heading means, "" for what is no part of a dictionary (type, length, …)."""
    return _HEADING_OF.get(re.sub(r"[\s_]+", " ", text).strip().lower(), "")


def read_dictionary(rows: Iterable[Row], catalogue: Catalogue) -> DataDictionary:
    """Understand a dictionary on the database that it is about.

    Raises:
        BadConfiguration: with every fault (the first ten) and the place where it stands.
    """
    entries: dict[tuple[str, str], Entry] = {}
    faults: list[str] = []
    left_out: list[str] = []
    for row in rows:
        try:
            place = _place(row, catalogue)
            if isinstance(place, str):
                left_out.append(f"{row.place}: {place}")
                continue
            if place in entries:
                raise _Fault(f"{'.'.join(filter(None, place))} is described twice; keep one row")
            entries[place] = _entry(row)
        except _Fault as fault:
            faults.append(f"{row.place}: {fault}")
    if faults:
        more = f" (and {len(faults) - _MOST_FAULTS} more)" if len(faults) > _MOST_FAULTS else ""
        raise BadConfiguration("The data dictionary cannot be used. " + "; ".join(faults[:_MOST_FAULTS]) + more)
    return DataDictionary(MappingProxyType(entries), tuple(left_out))


class _Fault(Exception):
    """What is wrong with one row, and what to do."""


def _place(row: Row, catalogue: Catalogue) -> tuple[str, str] | str:
    """Return where a row belongs, or why it is left out."""
    said = row.cells.get("table", "").strip().strip('"`')
    if not said:
        raise _Fault("it names no table")
    wanted = said.lower()
    tables = [item for item in catalogue.tables if wanted in {item.name.lower(), _called(item)}]
    if not tables:
        return f"there is no table {said}{_nearest(wanted, [item.name for item in catalogue.tables])}"
    if len(tables) > 1:
        raise _Fault(f"{said} is a table of several schemas; write the schema before it")
    column = row.cells.get("column", "").strip().strip('"`')
    names = [item.name for item in tables[0].columns]
    if column and column.lower() not in {name.lower() for name in names}:
        return f"{said} has no column {column}{_nearest(column.lower(), names)}"
    return _called(tables[0]), column.lower()


def _called(table: Table) -> str:
    return (f"{table.schema}.{table.name}" if table.schema else table.name).lower()


def _nearest(said: str, names: Sequence[str]) -> str:
    close = get_close_matches(said, [name.lower() for name in names], n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _entry(row: Row) -> Entry:
    cells = {heading: text.strip() for heading, text in row.cells.items()}
    names = [" ".join(name.lower().split()) for name in _BETWEEN_NAMES.split(cells.get("name", ""))]
    if not cells.get("column"):
        names = [_singular(name) for name in names]
        for heading in ("codes", "unit"):
            if cells.get(heading):
                raise _Fault(f"a table has no {heading}; name the column they belong to")
    return Entry(
        names=tuple(dict.fromkeys(filter(None, names))),
        description=cells.get("description", ""),
        codes=_codes(cells.get("codes", "")),
        unit=_unit(cells.get("unit", "")),
        sensitive=_sensitive(cells.get("sensitive", "")),
    )


def _singular(phrase: str) -> str:
    head, _, last = phrase.rpartition(" ")
    return f"{head} {singular(last)}".strip()


def _codes(text: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for part in filter(str.strip, _BETWEEN_CODES.split(text)):
        said = _CODE.fullmatch(part)
        if said is None or not said["code"].strip():
            raise _Fault(f"the codes {part.strip()!r} are not written as P = paid; R = running")
        if said["code"].strip() in found:
            raise _Fault(f"the code {said['code'].strip()} stands there twice")
        found[said["code"].strip()] = " ".join(said["meaning"].lower().split())
    return found


def _unit(text: str) -> str | None:
    said = _ALSO_UNITS.get(text.lower(), text.lower())
    if not text:
        return None
    if said in _UNITS or said.isupper():
        return said
    if _CURRENCY.fullmatch(text):
        return text.upper()
    units = ", ".join(sorted(_UNITS))
    raise _Fault(f"the unit {text!r} is not known; write a currency code such as INR, or one of {units}")


def _sensitive(text: str) -> bool | None:
    said = text.lower()
    if not said:
        return None
    if said not in _YES | _NO:
        raise _Fault(f"{text!r} does not say whether it is sensitive; write yes or no")
    return said in _YES
