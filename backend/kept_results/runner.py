"""Gives the result of an earlier run where statement, data and rights are the same; runs everything else."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime

from ai_engine.ports import EstimatesCost, QueryRunner
from ai_engine.types import QueryResult, ScanEstimate
from backend import VERSION
from backend.databases.file_state import DataVersion
from backend.kept_results.folder import ResultFolder

_SETTLED_S = 2.0
"""A file that was written so lately may be written again within the same tick of the clock that its stamp counts."""
_TELLS_OTHERWISE_NEXT_TIME = re.compile(
    r"""\b(?: now | today | tomorrow | yesterday | current_\w+ | get_current_\w+ | localtime | localtimestamp | sysdate
        | curdate | curtime | utc_\w+ | unix_timestamp | \w*random\w* | rand | \w*uuid\w* | tablesample | sample
        | (?: clock | transaction | statement )_timestamp | timeofday )\b
    | \bage\s*\( | \b(?: date | time | datetime | julianday | unixepoch )\s*\(\s*\) | \bstrftime\s*\([^(),]*\)""",
    re.IGNORECASE | re.VERBOSE,
)
"""The time, chance, and what reads the clock unless it is told a day: of a name that only looks so nothing is kept."""


class KeptResults:
    """A `QueryRunner` before another one.

    Two who ask the same at once both run it: neither waits for the other's stop or deadline.

    Args:
        runner: runs what is not kept.
        folder: of the source.
        version: tells the version of the data now; None where that cannot be told.
        scope: everything besides statement and data that a result depends on: source, rights, limits.
        of_any_version: keep results also where no version is told, as the folder's age bounds them.
        looks: take results that are kept.
    """

    def __init__(
        self, runner: QueryRunner, folder: ResultFolder, version: Callable[[], DataVersion | None], scope: str, *,
        of_any_version: bool, looks: bool = True,
    ) -> None:  # fmt: skip
        self._runner = runner
        self._folder = folder
        self._version = version
        self._scope = scope
        self._of_any_version = of_any_version
        self._looks = looks

    @property
    def tells_versions(self) -> bool:
        """See `ai_engine.ports.KeepsResults`."""
        return self._version() is not None

    def anew(self) -> KeptResults:
        """See `ai_engine.ports.KeepsResults`."""
        return KeptResults(
            self._runner, self._folder, self._version, self._scope, of_any_version=self._of_any_version, looks=False
        )

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        """See `ai_engine.ports.QueryRunner`; `ran_at` of the result says that it was kept, and since when."""
        version, began = self._version(), datetime.now(UTC)
        keeps = (version is not None or self._of_any_version) and not _TELLS_OTHERWISE_NEXT_TIME.search(sql)
        key = _key(self._scope, sql, max_rows)
        if keeps and self._looks:
            kept = self._folder.read(_named(version), key)
            if kept is not None:
                return kept
        result = self._runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop)
        settled = version is None or began.timestamp() - version.changed_at_s > _SETTLED_S
        if keeps and settled and self._version() == version:
            self._folder.write(_named(version), key, replace(result, ran_at=began))
        return result

    def cost(self, sql: str, *, timeout_s: float, stop: threading.Event) -> ScanEstimate:
        """See `ai_engine.ports.EstimatesCost`."""
        if not isinstance(self._runner, EstimatesCost):
            return ScanEstimate()
        return self._runner.cost(sql, timeout_s=timeout_s, stop=stop)


def scope_of(*parts: object) -> str:
    """Write values so that equal ones, and no others, give the same text in every process."""
    return json.dumps([*map(_canonical, parts), VERSION, time.tzname])


def _canonical(value: object) -> object:
    if is_dataclass(value):
        return [type(value).__name__, *(_canonical(getattr(value, field.name)) for field in fields(value))]
    if isinstance(value, Mapping):
        return sorted([str(name), _canonical(held)] for name, held in value.items())
    if isinstance(value, set | frozenset):
        return sorted(json.dumps(_canonical(held)) for held in value)
    if isinstance(value, tuple | list):
        return [_canonical(held) for held in value]
    return value if isinstance(value, bool | int | float | None) else str(value)


def _key(scope: str, sql: str, max_rows: int) -> str:
    return hashlib.sha256(json.dumps([scope, sql, max_rows]).encode()).hexdigest()


def _named(version: DataVersion | None) -> str:
    return "" if version is None else version.text
