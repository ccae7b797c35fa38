"""Small tables that say what a code of other tables is called: `Ref_Payment_Methods`, one row per method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ai_engine.semantics.infer.naming import Key, NamedColumn, NamedTable
from ai_engine.semantics.schema_words import word_set
from ai_engine.types import Scalar

_DESCRIBING = word_set("description desc meaning label text name title")
_MOST_COLUMNS = 4
_MOST_ROWS = 60  # as many values are sampled
_LONGEST_NAME = 60
_MOST_WORDS = 6


def described_rows(
    named: NamedTable, key: tuple[str, ...], sampled: Mapping[Key, tuple[Scalar, ...]], *, refers: bool
) -> str | None:
    """Return the lower-case column that says what the rows of a reference table are called, None for any other table.

    A description that is a few words, another one in each row, is a name; so is the only text beside a code, whatever
    it is headed.

    Args:
        named: the table.
        key: its primary key.
        sampled: lower-case (table, column) to distinct sampled values.
        refers: it points at other tables, so that its rows are more than names of codes.
    """
    if refers or len(key) != 1 or len(named.columns) > _MOST_COLUMNS:
        return None
    texts = [item for item in named.columns if item.column.type == "text"]
    is_code = key[0] in [item.column.name for item in texts]
    others = [item for item in texts if item.column.name != key[0]]
    describing = [item for item in others if _describes(item)] or (others if is_code else [])
    if len(describing) != 1:
        return None
    column = describing[0].column.name.lower()
    table = named.table.name.lower()
    names, codes = sampled.get((table, column), ()), sampled.get((table, key[0].lower()), ())
    return column if len(names) == len(codes) < _MOST_ROWS and _are_names(names) else None


def _describes(item: NamedColumn) -> bool:
    return item.words[-1:] != () and item.words[-1] in _DESCRIBING


def _are_names(values: Sequence[Scalar]) -> bool:
    texts = [str(value).strip() for value in values]
    return bool(texts) and all(0 < len(text) <= _LONGEST_NAME and len(text.split()) <= _MOST_WORDS for text in texts)
