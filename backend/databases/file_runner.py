"""Asks a database file only while its tables are those that were read when it was opened."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

from ai_engine.catalogue import Catalogue
from ai_engine.errors import DatabaseUnavailable
from ai_engine.guard.arrival import any_order_will_do
from ai_engine.types import QueryResult, ScanEstimate
from backend.databases.hidden_columns import HiddenColumns
from backend.databases.runner import WorkerRunner

_CHANGED = "The tables of the database have just changed. Ask again."


class TableWatch:
    """Compares the tables again whenever the file was written to.

    Args:
        state: changes with every write; cheap.
        tables: describes the tables that are there now, until it is stopped.
        seen: the state before the tables were read for the first time.
        opened_with: how they were described then.
    """

    def __init__(
        self,
        state: Callable[[], Hashable],
        tables: Callable[[threading.Event], Hashable],
        *,
        seen: Hashable,
        opened_with: Hashable,
    ) -> None:
        self._state = state
        self._tables = tables
        self._seen = seen
        self._opened_with = opened_with

    def check(self, stop: threading.Event) -> None:
        """Raise DatabaseUnavailable when the tables are others than at the start; their rows may be."""
        if self.tables_changed(stop):
            raise DatabaseUnavailable("the tables are not those that the vocabulary was made for", _CHANGED)

    def tables_changed(self, stop: threading.Event) -> bool:
        """Tell whether the tables are others than at the start; DatabaseUnavailable when that cannot be told now."""
        state = self._state()
        if state == self._seen:
            return False
        if self._tables(stop) != self._opened_with:
            return True
        self._seen = state
        return False


class FileRunner:
    """The `QueryRunner` of a file.

    Args:
        workers: runs the statements.
        watch: looks at the file before each of them.
        catalogue: its tables, by which a statement is known that may have more than one thread.
        hidden: what the engine itself is to refuse, where it can.
    """

    def __init__(
        self, workers: WorkerRunner, watch: TableWatch, catalogue: Catalogue, hidden: HiddenColumns = frozenset()
    ) -> None:
        self._workers = workers
        self._watch = watch
        self._catalogue = catalogue
        self._hidden = hidden

    def without(self, hidden: HiddenColumns) -> FileRunner:
        """Return a runner of the same file and workers that may not read what is named."""
        return FileRunner(self._workers, self._watch, self._catalogue, hidden)

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        """Return at most `max_rows` rows; see `ai_engine.ports.QueryRunner`."""
        self._watch.check(stop)
        return self._workers.run(
            sql,
            max_rows=max_rows,
            timeout_s=timeout_s,
            stop=stop,
            hidden=self._hidden,
            in_any_order=self._catalogue.dialect == "duckdb" and any_order_will_do(sql, self._catalogue),
        )

    def cost(self, sql: str, *, timeout_s: float, stop: threading.Event) -> ScanEstimate:
        """See `ai_engine.ports.EstimatesCost`."""
        self._watch.check(stop)
        return self._workers.cost(sql, timeout_s=timeout_s, stop=stop, hidden=self._hidden)
