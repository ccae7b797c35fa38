"""Stands between statements and a DuckDB file: views of what is permitted, under the names that the file gives it.

DuckDB has no rights of its own. So the file is attached under a random name, which its system functions tell and the
guard alone keeps back, and what bears the known names is a database in memory with nothing but views. Not even a whole
row of one holds what the policy withholds.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

import duckdb

from backend.databases.hidden_columns import WHOLE_TABLE, HiddenColumns

_STORED = """
    SELECT schema_name, table_name, '' FROM duckdb_tables() WHERE database_name = $1 AND NOT internal
    UNION ALL SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = $1 AND NOT internal"""
_RESERVED = ("main", "system", "temp")
_OPENED_AS = "memory"
_OF_NO_VIEW = (duckdb.InterruptException, duckdb.OutOfMemoryException, duckdb.IOException, duckdb.FatalException)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A table of the file, or a view with its definition."""

    schema: str
    name: str
    definition: str

    @property
    def place(self) -> str:
        return f"{_quoted(self.schema)}.{_quoted(self.name)}"

    @property
    def spelled(self) -> str:
        """What every text that reads it has in it, once in small letters."""
        return self.name.lower().replace('"', '""')


class PermittedViews:
    """Makes a view when the first statement comes that may read it: most banks have more tables than are asked for.

    A view of the bank's own shows what it was made to show, unless it is hidden itself. Where it names the bank's
    database it reads our views, and is not there when it shows what these withhold.

    Args:
        connection: to an empty database in memory.
        file: what is attached, for reading only.
        hidden: what no view shows.

    Raises:
        duckdb.Error: the file cannot be opened.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, file: Path, hidden: HiddenColumns) -> None:
        self._connection = connection
        self._hidden = hidden
        self._secret = f"file_{secrets.token_hex(16)}"
        connection.execute(f"ATTACH {_literal(str(file))} AS {self._secret} (READ_ONLY)")
        known = _name_of(file)
        connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {_quoted(known)}; USE {_quoted(known)}")
        if known.lower() != _OPENED_AS:  # the bank may have a schema of that name
            connection.execute(f"DETACH {_OPENED_AS}")
        stored = [_Stored(*row) for row in connection.execute(_STORED, [self._secret]).fetchall()]
        self._not_yet = [one for one in stored if (one.name.lower(), WHOLE_TABLE) not in hidden]
        self._of_the_bank = [one for one in self._not_yet if one.definition]
        for schema in {one.schema for one in self._not_yet} - {"main"}:
            connection.execute(f"CREATE SCHEMA {_quoted(schema)}")

    def offer(self, text: str) -> None:
        """Make the views of everything whose name stands anywhere in a statement."""
        lowered = text.lower()
        for one in [one for one in self._not_yet if one.spelled in lowered]:
            if one not in self._not_yet:
                continue  # another one's definition named it
            self._not_yet.remove(one)
            try:
                self.offer(one.definition)
                self._make(one)
            except BaseException:
                self._not_yet.append(one)  # interrupted; the next statement may want it
                raise

    def may_read_more(self, text: str) -> bool:
        """Whether the name of a view of the bank's own stands anywhere in a statement."""
        return any(one.spelled in text.lower() for one in self._of_the_bank)

    def _make(self, one: _Stored) -> None:
        source = f"{self._secret}.{one.place}"
        try:
            described = self._connection.execute(f"SELECT * FROM {source} LIMIT 0").description or []
            shown = [name for name, *_ in described if (one.name.lower(), name.lower()) not in self._hidden]
            listed = ", ".join(map(_quoted, shown)) or f"NULL AS {self._secret}"  # its rows can still be counted
            self._connection.execute(f"CREATE VIEW {one.place} AS SELECT {listed} FROM {source}")
        except _OF_NO_VIEW:
            raise
        except duckdb.Error:
            self._shadow(one)  # a view over what is gone, withheld or out of reach: the statement hears of none

    def _shadow(self, one: _Stored) -> None:
        """Let no name of the bank's mean what DuckDB itself calls so, such as its own list of tables."""
        try:
            self._connection.execute(f"SELECT * FROM {one.place} LIMIT 0")
        except duckdb.Error:
            return
        unreadable = "error('a view that cannot be read')"
        self._connection.execute(f"CREATE VIEW {one.place} AS SELECT NULL AS {self._secret} WHERE {unreadable} IS NULL")


def _name_of(file: Path) -> str:
    """Name the database as DuckDB does when it opens the file: statements and views may say it."""
    name = file.name.lstrip(".").partition(".")[0]
    return f"{name}_db" if name in _RESERVED else name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
