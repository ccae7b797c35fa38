"""Tables that say what the codes of other tables mean: one row per kind of code, code and meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ai_engine.catalogue import Table
from ai_engine.semantics.names import column_words, shared_prefix
from ai_engine.semantics.schema_words import word_set
from ai_engine.types import Scalar

# What each kind of code means: kind as stored ("ACCT_STS") to code in lower case to meaning.
CodeLists = Mapping[str, Mapping[str, str]]

_KIND = word_set("type category group kind domain class set list field column")
_CODE = word_set("code value key")
_MEANING = word_set("description meaning name label text")
_FEWEST_COLUMNS, _MOST_COLUMNS = 3, 6


def code_list_columns(table: Table) -> tuple[int, int, int] | None:
    """Return where a table keeps kind, code and meaning, None when it is no list of codes."""
    if table.foreign_keys or not _FEWEST_COLUMNS <= len(table.columns) <= _MOST_COLUMNS:
        return None
    names = [column.name for column in table.columns]
    dropped = shared_prefix(names)
    heads = [(column_words(name, dropped=dropped) or ("",))[-1] for name in names]
    found = [[at for at, head in enumerate(heads) if head in words] for words in (_KIND, _CODE, _MEANING)]
    if any(len(places) != 1 for places in found):
        return None
    kind, code, meaning = (places[0] for places in found)
    return kind, code, meaning


def read_code_list(table: Table, rows: Iterable[Sequence[Scalar]]) -> dict[str, dict[str, str]]:
    """Return the meanings that the rows of a list of codes give, empty for any other table."""
    places = code_list_columns(table)
    found: dict[str, dict[str, str]] = {}
    if places is None:
        return found
    for row in rows:
        cells = [row[place] for place in places]
        if None not in cells:
            kind, code, meaning = (str(cell).strip() for cell in cells)
            found.setdefault(kind, {})[code.lower()] = meaning.lower()
    return found


def meanings_of(column: Sequence[str], table: Sequence[str], codes: frozenset[str], lists: CodeLists) -> dict[str, str]:
    """Return what a column's codes mean by the list that is called like it and has every one of them.

    Args:
        column: written-out words of the column.
        table: words of the noun for its rows.
        codes: what the column stores, in lower case.
        lists: every list of the database.
    """
    for kind, meanings in lists.items():
        called = column_words(kind)
        own = set(column)
        if codes and codes <= set(meanings) and own & set(called) and set(called) <= own | set(table):
            return {code: meanings[code] for code in codes}
    return {}
