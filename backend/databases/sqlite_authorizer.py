"""What SQLite asks about every table that a statement touches, and what it is told."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Mapping

from backend.databases.hidden_columns import WHOLE_TABLE, HiddenColumns

_REFUSED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})
_NO_TOKEN = re.compile(r"(?:[\s\ufeff]|--[^\n]*|/\*.*?(?:\*/|\Z))+", re.DOTALL | re.ASCII)
_TOKEN = re.compile(
    r""""(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\]|[A-Za-z0-9_$\x80-\U0010ffff]+|.""", re.DOTALL
)
_QUOTES = "\"'`"
_WORDS_BEFORE_THE_QUERY = ("not", "materialized")
_UNASKED = frozenset({"using", "natural"})


class SqliteAuthorizer:
    """Allows reads of some tables and harmless functions; everything else a statement could do is denied.

    A view that is not hidden itself may read what is: that is what a bank makes views for. SQLite says of a read by
    which view it is done, and calls a common table expression in the same way, of a view's own too: neither is trusted
    in a statement that defines something of its name.

    Of the columns that USING and NATURAL compare and merge SQLite asks nothing: a statement with either is refused.
    """

    def __init__(self, tables: Collection[str], views: Mapping[str, str], hidden: HiddenColumns) -> None:
        """Take names in small letters: tables and views that exist, what each view is defined by, what is hidden."""
        self._tables = frozenset(tables)
        self._views = frozenset(views).union(*map(defined_names, views.values())) if hidden else frozenset(views)
        self._hidden = hidden
        self._trusted: frozenset[str] = frozenset()
        self._defined: frozenset[str] = frozenset()
        self._has_unasked = False

    def expect(self, sql: str) -> None:
        """Prepare for the questions about this statement."""
        self._defined = frozenset(defined_names(sql)) if self._hidden else frozenset()
        self._trusted = self._views - self._defined
        self._has_unasked = not _UNASKED.isdisjoint(map(str.lower, tokens(sql)))

    def __call__(self, action: int, first: str | None, second: str | None, schema: str | None, by: str | None) -> int:
        """Answer one question, as `sqlite3.Connection.set_authorizer` puts it."""
        if self._has_unasked:
            return sqlite3.SQLITE_DENY
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _REFUSED_FUNCTIONS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and self._may_read((first or "").lower(), (second or "").lower(), schema, by):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def _may_read(self, table: str, column: str, schema: str | None, by: str | None) -> bool:
        if table.startswith("sqlite_") or schema not in ("main", None):
            return False
        through_view = by is not None and by.lower() in self._trusted
        if not column and schema is None and table in self._defined:
            return True  # else it would show whether a hidden table is called like one of the statement's own queries
        if not through_view and not self._hidden.isdisjoint(((table, WHOLE_TABLE), (table, column))):
            return False
        if not column and schema is None:
            return True  # rows are counted, perhaps of a CTE, whose own tables are asked about by themselves
        return table in self._tables


def defined_names(sql: str) -> set[str]:
    """Every name in small letters that a statement may define by `name [(columns)] AS [[NOT] MATERIALIZED] (`.

    Source: https://www.sqlite.org/lang_with.html; a name may stand in any of SQLite's quotes, those of texts too.
    """
    words = tokens(sql)
    found = set()
    for place, token in enumerate(words):
        if token.lower() != "as":
            continue
        after = place + 1
        while after < len(words) and words[after].lower() in _WORDS_BEFORE_THE_QUERY:
            after += 1
        if after < len(words) and words[after] == "(":
            found.add(unquoted(words[_name_before(words, place)]).lower())
    return found


def _name_before(words: list[str], place: int) -> int:
    """Where the name stands that is defined by what follows: before a list of columns, if there is one."""
    place -= 1
    if place > 0 and words[place] == ")":
        while place > 0 and words[place] != "(":
            place -= 1
        place -= 1
    return max(place, 0)


def tokens(sql: str) -> list[str]:
    """Part SQLite's SQL as it does, without blanks and comments."""
    found = []
    place = 0
    while place < len(sql):
        between = _NO_TOKEN.match(sql, place)
        if between is not None:
            place = between.end()
            continue
        token = _TOKEN.match(sql, place)
        assert token is not None, "any one character is a token"  # noqa: S101
        found.append(token[0])
        place = token.end()
    return found


def unquoted(token: str) -> str:
    """Return the name in a token that is one, without SQLite's quotes."""
    mark = token[0]
    if mark in _QUOTES and len(token) > 1:
        return token[1:-1].replace(mark * 2, mark)
    return token[1:-1] if mark == "[" else token
