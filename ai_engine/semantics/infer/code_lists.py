"""Tables that say what the codes of other tables mean: one row per kind of code, code and meaning."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ai_engine.catalogue import Table
from ai_engine.semantics.names import column_words, shared_prefix
from ai_engine.semantics.schema_words import word_set
from ai_engine.types import Scalar

_KIND = word_set("type category group kind domain class set list field column")
_CODE = word_set("code value key")
_MEANING = word_set("description meaning name label text")
_VOWELS = frozenset("aeiou")
_SHORTEST = 2
_FEWEST_COLUMNS, _MOST_COLUMNS = 3, 6
_FEWEST_LETTERS = 3
_FEWEST_TELLING = 2


@dataclass(frozen=True)
class CodeList:
    """What the codes of one kind mean, and where that was read.

    Attributes:
        kind: as it is stored ("ACCT_STS").
        meanings: code in lower case to meaning.
        source: the table that says so, as `Table.source` writes it.
        columns: its columns of kind, code and meaning.
    """

    kind: str
    meanings: Mapping[str, str]
    source: str = ""
    columns: tuple[str, ...] = ()


# By the kind that each is of.
CodeLists = Mapping[str, CodeList]


def code_list_columns(table: Table) -> tuple[int, int, int] | None:
    """Return where a table keeps kind, code and meaning, None when it is no list of codes."""
    if table.foreign_keys or not _FEWEST_COLUMNS <= len(table.columns) <= _MOST_COLUMNS:
        return None
    names = [column.name for column in table.columns]
    dropped = shared_prefix(names)
    called = [column_words(name, dropped=dropped) or ("",) for name in names]
    heads = ["kind" if words[-1] == "name" and _KIND & set(words[:-1]) else words[-1] for words in called]
    found = [[at for at, head in enumerate(heads) if _is_one_of(head, words)] for words in (_KIND, _CODE, _MEANING)]
    if any(len(places) != 1 for places in found):
        return None
    kind, code, meaning = (places[0] for places in found)
    return kind, code, meaning


def _is_one_of(head: str, words: Collection[str]) -> bool:
    """Tell whether a word is one of these, or short for one by its first letter and some of the others: "dsc"."""
    return head in words or any(len(head) >= _SHORTEST and abbreviates(head, word) for word in words)


def abbreviates(short: str, word: str) -> bool:
    """Tell whether letters are the first of a word and some of its consonants behind that."""
    letters = iter(word)
    if short[:1] != word[:1]:
        return False
    inner = short[1:].removesuffix(word[-1])
    return not _VOWELS.intersection(inner) and all(one in letters for one in short)


def read_code_list(table: Table, rows: Iterable[Sequence[Scalar]], held: Collection[str] = ()) -> tuple[CodeList, ...]:
    """Return the meanings that the rows of a list of codes give, by kind; nothing for any other table.

    So it is where one of its columns is among those that are `held` back, in small letters.
    """
    places = code_list_columns(table)
    columns = tuple(table.columns[place].name for place in places or ())
    if places is None or any(name.lower() in held for name in columns):
        return ()
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        cells = [row[place] for place in places]
        if None not in cells:
            kind, code, meaning = (str(cell).strip() for cell in cells)
            found.setdefault(kind, {})[code.lower()] = meaning.lower()
    return tuple(CodeList(kind, meanings, table.source, columns) for kind, meanings in found.items())


def kind_of(
    column: Sequence[str], table: Sequence[str], codes: frozenset[str], lists: CodeLists, spelled: str = ""
) -> str | None:
    """Return the kind of code that stands in a column, None where no list or more than one may be meant.

    The list has every code of the column and is called like it; else it alone has them, and they are no single letters,
    which mean one thing here and another there unless they are all that the list has.

    Args:
        column: written-out words of the column.
        table: words of the noun for its rows.
        codes: what the column stores, in lower case.
        lists: every list of the database.
        spelled: the column's own name; `ln_typ_cd` holds codes of `LNTYP`.
    """
    complete = [kind for kind, listed in lists.items() if codes and codes <= set(listed.meanings)]
    for is_called_so in (_called_alike(column, table), _spelled_alike(spelled)):
        named = [kind for kind in complete if is_called_so(kind)]
        if named:
            return named[0]
    telling = len(codes) >= _FEWEST_TELLING and all(len(code) > 1 for code in codes)
    whole = len(codes) >= _FEWEST_LETTERS and len(complete) == 1 and codes == set(lists[complete[0]].meanings)
    return complete[0] if whole or (telling and len(complete) == 1) else None


def _called_alike(column: Sequence[str], table: Sequence[str]) -> Callable[[str], bool]:
    own = set(column)

    def fits(kind: str) -> bool:
        called = set(column_words(kind))
        return bool(own & called) and called <= own | set(table)

    return fits


def _spelled_alike(name: str) -> Callable[[str], bool]:
    squeezed = _squeezed(name)

    def fits(kind: str) -> bool:
        letters = _squeezed(kind)
        return len(letters) >= _FEWEST_LETTERS and squeezed.startswith(letters)

    return fits


def _squeezed(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
