"""A connection and a cursor over a DuckDB file, which write down whatever they are asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import sqlglot
from sqlglot.errors import SqlglotError

_OF_THE_SESSION = re.compile(r"\s*(?:ALTER\s+SESSION|SET\s|DESCRIBE\s+QUERY)", re.IGNORECASE)
Translate = Callable[[duckdb.Error], Exception]


class Journal:
    """What a client did, one JSON list per line."""

    def __init__(self, file: str) -> None:
        self._path = Path(f"{file}.journal")

    def note(self, what: str, *told: Any) -> None:
        with self._path.open("a") as opened:
            opened.write(json.dumps([what, *told], default=str) + "\n")

    def read(self) -> list[list[Any]]:
        return [json.loads(line) for line in self._path.read_text().splitlines()] if self._path.exists() else []

    def clear(self) -> None:
        self._path.unlink(missing_ok=True)

    def told(self, what: str) -> list[list[Any]]:
        return [told[1:] for told in self.read() if told[0] == what]

    def running(self) -> int:
        """Statements that began and neither ended nor failed."""
        return len(self.told("began")) - len(self.told("ended"))


class Connection:
    """One connection; `translate` gives the client's own error for one of DuckDB."""

    def __init__(self, file: str, dialect: str, translate: Translate) -> None:
        self.dialect, self.translate = dialect, translate
        self.journal = Journal(file)
        self.database = duckdb.connect(file, read_only=True)

    def cursor(self) -> Cursor:
        return Cursor(self)

    def rollback(self) -> None:
        self.journal.note("rollback")

    def commit(self) -> None:
        raise AssertionError("nothing is to be committed")

    def cancel(self) -> None:
        self.journal.note("cancel")
        self.database.interrupt()

    def close(self) -> None:
        self.journal.note("close")
        self.database.close()


class Cursor:
    """A cursor that runs a statement of another dialect."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.description: list[tuple[Any, ...]] | None = None

    def execute(self, sql: str) -> Any:
        journal = self.connection.journal
        if _OF_THE_SESSION.match(sql):
            journal.note("session", sql)
            return self
        journal.note("began", sql)
        try:
            [translated] = sqlglot.transpile(sql, read=self.connection.dialect, write="duckdb")
            self.connection.database.execute(translated)
        except duckdb.Error as error:
            raise self.connection.translate(error) from None
        except SqlglotError:
            raise self.connection.translate(duckdb.ParserException("Parser Error")) from None
        finally:
            journal.note("ended", sql)
        described = self.connection.database.description or []
        self.description = [(one[0], str(one[1]), None, None, None, None, None) for one in described]
        return self

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        self.connection.journal.note("fetchmany", size)
        try:
            return self.connection.database.fetchmany(size)
        except duckdb.Error as error:
            raise self.connection.translate(error) from None

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(iter(self.fetchmany(1)), None)

    def cancel(self) -> None:
        self.connection.cancel()

    def close(self) -> None:
        self.connection.journal.note("left")
