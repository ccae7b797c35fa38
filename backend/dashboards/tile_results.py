"""The tiles of dashboards, asked again without a model: beside each other, and once for all who look."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TypeAlias

from ai_engine.errors import AssistantError, QueryStopped, ServerStopping, UnknownSource
from ai_engine.semantics.common_scope import CommonScope, narrowed
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.rolled_periods import period_from, rolled
from ai_engine.semantics.settled_periods import settled
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer
from ai_engine.verified import intent_to_text
from backend.answers.answer_json import answer_from_json, answer_to_json
from backend.answers.withheld import as_may_be_shown
from backend.opening import shared_sources
from backend.service import Assistant
from backend.sources.source import OWN, Source
from backend.sources.sources import Sources
from backend.store import dashboards as rows
from backend.store.audit_trail import Door
from backend.store.dashboards import KeptResult, Tile
from backend.store.opening import Store, shared_store

_log = logging.getLogger(__name__)
_MOST_SHARED = 1_000
_Key: TypeAlias = tuple[Source, str, str]  # the tile and its reading


@dataclass(frozen=True, slots=True)
class TileResult:
    """What a tile shows.

    Attributes:
        answer: with rows; None where the tile has never been answered.
        as_of: the data's day of the answer; None where the data could not be opened.
        made_at: when it was made.
        problem: why there is no newer answer, for people; empty where there is.
        left_out: what of the dashboard's period and filters does not fit the tile, a sentence each.
        currency: the bank's own.
    """

    answer: Answer | None
    as_of: date | None
    made_at: datetime
    problem: str = ""
    left_out: tuple[str, ...] = ()
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class TileReading:
    """What a tile asks now."""

    reading: Intent | str
    assumptions: tuple[str, ...]
    left_out: tuple[str, ...]


class TileResults:
    """Runs tiles in threads of its own; safe to share between threads.

    Who looks at a tile that somebody else has just looked at is given the same result, if they may ask its source:
    what a source shows is the same for all who may.

    Args:
        sources: what may be asked, and by whom.
        store: gives the store, for last good results.
        parallel: tiles that run at the same time.
        shared_s: how long a result is given to others.
        result_kb: the largest result that is kept for when the database fails.
    """

    def __init__(
        self, sources: Sources, store: Callable[[], Store], *, parallel: int, shared_s: float, result_kb: int
    ) -> None:
        self._sources, self._store = sources, store
        self._parallel = parallel
        self._shared_s = shared_s
        self._result_kb = result_kb
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None
        self._stop = threading.Event()
        self._is_stopping = False
        self._shared: dict[_Key, tuple[float, Future[TileResult]]] = {}

    def start(
        self, tile: Tile, scope: Intent, who: str, *, owner: str | None = None, anew: bool = False, keep: bool = True,
        door: Door = "page",
    ) -> Future[TileResult]:  # fmt: skip
        """Have a tile answered, or be given the result that others wait for or have just had; the future never fails.

        Args:
            scope: the period and filters of its dashboard.
            who: looks at it, with whose rights it is asked.
            owner: of its dashboard, if another; what is their own file bears the name of the viewer's own.
            anew: do not take a result that is there already, nor one that is kept of a statement.
            keep: as the last good one; not under a scope that is a viewer's own.
            door: what the audit trail says of it.
        """
        try:
            if tile.source == OWN and owner not in (None, who):
                raise UnknownSource(tile.source)
            source = self._sources.named(tile.source, who)
        except AssistantError as fault:
            refused: Future[TileResult] = Future()
            refused.set_result(TileResult(None, None, datetime.now(UTC), fault.user_message))
            return refused
        key = (source, tile.id, _reading_key(tile, scope, source))
        there = self._shared.get(key)
        anew = anew or (there is not None and there[1].done() and not self._may_be_shown(there[1].result(), tile, who))
        with self._lock:
            self._forget_old()
            there = self._shared.get(key)
            if there is not None and not (anew and there[1].done()):
                return there[1]
            if self._is_stopping:
                raise ServerStopping("a tile came while the server was ending")
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._parallel, thread_name_prefix="tile")
            started = self._threads.submit(self._result, tile, scope, source, who, door, keep, anew)
            self._shared[key] = (time.monotonic() + self._shared_s, started)
            return started

    def models(self, tiles: Iterable[Tile], who: str) -> tuple[SemanticModel, ...]:
        """Return what is known now of the data of tiles, as far as it is open and this person may ask it."""
        found = []
        for name in dict.fromkeys(tile.source for tile in tiles):
            with suppress(AssistantError):
                if self._sources.is_open(name, who):
                    found.append(self._sources.assistant(name, who).vocabulary.model)
        return tuple(found)

    @property
    def running(self) -> int:
        """See Drained."""
        with self._lock:
            return sum(not started.done() for _, started in self._shared.values())

    async def tell_stopping(self) -> None:
        """See Drained."""
        self._is_stopping = True

    async def close(self) -> None:
        """See Drained."""
        self._is_stopping = True
        self._stop.set()
        with self._lock:
            if self._threads is not None:
                self._threads.shutdown(wait=False, cancel_futures=True)

    def _may_be_shown(self, made: TileResult, tile: Tile, who: str) -> bool:
        """Tell whether nothing of a shared result has become restricted since; where that is not known, it is not."""
        try:
            if not self._sources.is_open(tile.source, who):
                return False
            assistant = self._sources.assistant(tile.source, who)
        except AssistantError:
            return False
        answer = made.answer
        return answer is None or not as_may_be_shown(answer, assistant.check, assistant.policy).why

    def _forget_old(self) -> None:
        now = time.monotonic()
        kept = [(key, kept) for key, kept in self._shared.items() if kept[0] > now or not kept[1].done()]
        self._shared = dict(kept[-_MOST_SHARED:])

    def _result(
        self, tile: Tile, scope: Intent, source: Source, who: str, door: Door, keep: bool, anew: bool
    ) -> TileResult:
        now = datetime.now(UTC)
        try:
            assistant = self._sources.assistant(tile.source, who).at(door)
            shown = self._fresh(assistant, tile, scope, source, who, keep, anew)
            return self._as_may_be_shown_now(shown, self._sources.assistant(tile.source, who))
        except AssistantError as fault:
            return TileResult(None, None, now, fault.user_message)
        except Exception:  # noqa: BLE001 - a tile's fault is its own
            _log.exception("unexpected error in a tile")
            return TileResult(None, None, now, AssistantError.user_message)

    @staticmethod
    def _as_may_be_shown_now(made: TileResult, assistant: Assistant) -> TileResult:
        """Judge a result once more, as columns may have been closed while it was made and others wait for it."""
        if made.answer is None:
            return made
        shown = as_may_be_shown(made.answer, assistant.check, assistant.policy)
        return replace(made, answer=None, problem=shown.why) if shown.why else replace(made, answer=shown.answer)

    def _fresh(
        self, assistant: Assistant, tile: Tile, scope: Intent, source: Source, who: str, keep: bool, anew: bool
    ) -> TileResult:
        asked = reading_of(tile, scope, assistant.vocabulary)
        answer = assistant.run_again(
            asked.reading, question=tile.question, assumptions=asked.assumptions, stop=self._stop, who=who, anew=anew
        )
        known = assistant.vocabulary
        shown = TileResult(None, known.as_of, datetime.now(UTC), "", asked.left_out, known.model.currency)
        key = _reading_key(tile, scope, source)
        if answer.status == "answered" and answer.result is not None:
            shown = replace(shown, answer=replace(answer, chart_size=tile.chart_size))
            if keep:
                self._keep(tile, key, shown)
            return shown
        return self._kept(assistant, tile, key, replace(shown, problem=answer.error or QueryStopped.user_message))

    def _keep(self, tile: Tile, key: str, shown: TileResult) -> None:
        """Keep a good result; a store that is away is no reason not to show it."""
        assert shown.answer is not None, "it is good"  # noqa: S101
        assert shown.as_of is not None, "it was asked"  # noqa: S101
        try:
            kept = KeptResult(key, answer_to_json(shown.answer, self._result_kb), shown.as_of, shown.made_at)
            with self._store().writing() as connection:
                rows.keep_result(connection, tile.id, kept)
        except AssistantError as fault:
            _log.warning("the result of a tile was not kept: %s", fault)

    def _kept(self, assistant: Assistant, tile: Tile, key: str, failed: TileResult) -> TileResult:
        """Show the last good result of the same reading; what has become restricted since is not shown."""
        try:
            with self._store().reading() as connection:
                kept = rows.result_of(connection, tile.id)
            if kept is None or kept.reading_key != key:
                return failed
            shown = as_may_be_shown(answer_from_json(kept.answer), assistant.check, assistant.policy)
        except AssistantError as fault:
            _log.warning("the last good result of a tile is not shown: %s", fault)
            return failed
        if shown.answer.status != "answered":
            return failed
        return replace(failed, answer=shown.answer, as_of=kept.as_of, made_at=kept.made_at)


def reading_of(tile: Tile, scope: Intent, vocabulary: Vocabulary) -> TileReading:
    """Return what a tile asks today, within the period and filters of its dashboard."""
    period = scope.period
    if period is not None and (now := period_from(period.label, vocabulary)) is not None:
        period = now
    if tile.intent is None:
        narrows = period is not None or scope.filters
        left_out = ("The period and filters do not fit: the tile runs a statement of its own.",) if narrows else ()
        return TileReading(tile.sql, tile.assumptions, left_out)
    try:
        intent, said = rolled(tile.intent, vocabulary) if tile.moves_on else (tile.intent, ())
        found = narrowed(intent, CommonScope(period, tuple(scope.filters)), vocabulary)  # type: ignore[arg-type]
    except KeyError:  # the vocabulary has changed, as whoever runs it will say
        return TileReading(tile.intent, tile.assumptions, ())
    kept = tile.assumptions
    if period is not None and found.intent.period != intent.period:
        of_own_period = settled(tile.intent, vocabulary)[1]
        kept, said = tuple(one for one in kept if one not in of_own_period), found.assumed
    return TileReading(found.intent, tuple(dict.fromkeys((*kept, *said))), found.left_out)


def _reading_key(tile: Tile, scope: Intent, source: Source) -> str:
    """Return what changes with the data, the reading of a tile and its dashboard's scope, not with the day."""
    asked = intent_to_text(tile.intent) or tile.sql
    return hashlib.sha256(f"{source.url}\n{tile.chart_size}\n{asked}\n{intent_to_text(scope)}".encode()).hexdigest()


@lru_cache(maxsize=1)
def shared_tile_results() -> TileResults:
    """Return the one of this process, made on first use."""
    known = shared_sources.settings
    return TileResults(
        shared_sources, shared_store.get, parallel=known.dashboard_parallel_tiles,
        shared_s=known.dashboard_shared_s, result_kb=known.dashboard_result_kb,
    )  # fmt: skip
