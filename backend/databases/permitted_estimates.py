"""Leaves untold what a database expects of a statement where that would tell of what the policy withholds."""

from __future__ import annotations

import threading

from ai_engine.catalogue import Catalogue
from ai_engine.guard.parsing import names_in
from ai_engine.ports import EstimatesCost, QueryRunner
from ai_engine.types import QueryResult, ScanEstimate
from backend.databases.hidden_columns import WHOLE_TABLE, HiddenColumns

_EXPECT_BY_WHOLE_ROWS = ("mysql", "spark")
"""They know how many pages or files a table has, which its withheld columns fill too, and of rows no more than that."""


class PermittedEstimates:
    """Tells nothing of views, whose tables are nobody's to know, nor of a table whose rows are withheld in part.

    The latter on engines that expect rows by their bytes; the others tell of permitted columns alone.

    Args:
        runner: runs statements.
        estimates: the same database, which tells.
        catalogue: what it holds.
        hidden: what is withheld, beside columns that the role may not read.
    """

    def __init__(
        self, runner: QueryRunner, estimates: EstimatesCost, catalogue: Catalogue, hidden: HiddenColumns
    ) -> None:
        self._runner = runner
        self._estimates = estimates
        self._dialect = catalogue.dialect
        by_whole_rows = catalogue.dialect in _EXPECT_BY_WHOLE_ROWS
        held_back = {table for table, _ in hidden}
        shown = (table for table in catalogue.tables if (table.name.lower(), WHOLE_TABLE) not in hidden)
        self._untold = {
            table.name.lower()
            for table in shown
            if table.is_view or (by_whole_rows and (table.unreadable or table.name.lower() in held_back))
        }

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        """See `ai_engine.ports.QueryRunner`."""
        return self._runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop)

    def cost(self, sql: str, *, timeout_s: float, stop: threading.Event) -> ScanEstimate:
        """See `ai_engine.ports.EstimatesCost`."""
        names = names_in(sql, self._dialect)
        if not names or not self._untold.isdisjoint(names):
            return ScanEstimate()
        return self._estimates.cost(sql, timeout_s=timeout_s, stop=stop)
