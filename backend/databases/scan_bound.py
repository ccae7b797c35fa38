"""Has no statement run that would read more than one may."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

from ai_engine.errors import QueryTimedOut, ScanTooLarge
from ai_engine.ports import EstimatesCost, QueryRunner
from ai_engine.types import QueryResult, ScanEstimate

_BYTES_PER_GB = 1_000_000_000


class ScanBound:
    """Asks the database what it expects of a statement before it runs it, and runs it where that is little enough.

    What a database does not tell is run: it has its deadline still.

    Args:
        runner: runs what may run.
        estimates: the same database, which tells.
        max_gb: of what one statement may read.
    """

    def __init__(self, runner: QueryRunner, estimates: EstimatesCost, max_gb: float) -> None:
        self._runner = runner
        self._estimates = estimates
        self._max_gb = max_gb

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        """See `ai_engine.ports.QueryRunner`; raises ScanTooLarge as well."""
        deadline = time.monotonic() + timeout_s
        expected = self._estimates.cost(sql, timeout_s=timeout_s, stop=stop)
        if expected.bytes is not None and expected.bytes > self._max_gb * _BYTES_PER_GB:
            raise ScanTooLarge(expected, self._max_gb)
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise QueryTimedOut(timeout_s)
        return replace(self._runner.run(sql, max_rows=max_rows, timeout_s=left_s, stop=stop), expected=expected)

    def cost(self, sql: str, *, timeout_s: float, stop: threading.Event) -> ScanEstimate:
        """See `ai_engine.ports.EstimatesCost`."""
        return self._estimates.cost(sql, timeout_s=timeout_s, stop=stop)
