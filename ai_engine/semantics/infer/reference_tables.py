"""What rows are called where no column is their name: `Ref_Payment_Methods`, one row per method, and items of stock."""

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
    named: NamedTable,
    key: tuple[str, ...],
    sampled: Mapping[Key, tuple[Scalar, ...]],
    *,
    refers: bool,
    is_pointed_at: bool = False,
) -> str | None:
    """Return the lower-case column that says what the rows of a table are called, None where none does.

    In a reference table a description that is a few words, another one in each row, is a name; so is the only text
    beside a code, whatever it is headed. What other tables point at has such a name too where its rows have no other
    and it is headed by what they are: what an item of a stock list is called stands in its `itm_dsc`.

    Args:
        named: the table.
        key: its primary key.
        sampled: lower-case (table, column) to distinct sampled values.
        refers: it points at other tables, so that its rows are more than names of codes.
        is_pointed_at: other tables point at it.
    """
    if len(key) != 1:
        return None
    texts = [item for item in named.columns if item.column.type == "text"]
    others = [item for item in texts if item.column.name != key[0]]
    describing = [item for item in others if _describes(item)]
    is_large = refers or len(named.columns) > _MOST_COLUMNS
    if not is_large:
        describing = describing or (others if len(others) < len(texts) else [])
    elif is_pointed_at and not any(item.words[-1:] == ("name",) for item in named.columns):
        describing = [item for item in describing if _says_its_rows(item, named)]
    else:
        return None
    if len(describing) != 1:
        return None
    column = describing[0].column.name.lower()
    table = named.table.name.lower()
    names, codes = sampled.get((table, column), ()), sampled.get((table, key[0].lower()), ())
    known = is_large or has_few_rows(named, key, sampled)
    return column if len(names) == len(codes) and known and _are_names(names) else None


def has_few_rows(named: NamedTable, key: tuple[str, ...], sampled: Mapping[Key, tuple[Scalar, ...]]) -> bool:
    """Tell whether all rows of a table were sampled, so that what differs among them differs in every row."""
    return len(key) == 1 and len(sampled.get((named.table.name.lower(), key[0].lower()), ())) < _MOST_ROWS


def _says_its_rows(item: NamedColumn, named: NamedTable) -> bool:
    """Whether a description is headed by what the rows are: "item description"; "description" alone may be remarks."""
    return len(item.words) > 1 and set(item.words[:-1]) <= set(named.label.split())


def _describes(item: NamedColumn) -> bool:
    return item.words[-1:] != () and item.words[-1] in _DESCRIBING


def _are_names(values: Sequence[Scalar]) -> bool:
    texts = [str(value).strip() for value in values]
    return bool(texts) and all(0 < len(text) <= _LONGEST_NAME and len(text.split()) <= _MOST_WORDS for text in texts)
