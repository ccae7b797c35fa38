"""The dashboards of people: who may see and change which, and within which bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

from sqlalchemy import Connection

from ai_engine.errors import CannotKeep, NotPermitted
from ai_engine.semantics.intent import Condition, Intent
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.rolled_periods import moves_on, rolled
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer, ChartKind
from backend.store import dashboards as rows
from backend.store import schedules
from backend.store.dashboards import Dashboard, Tile
from backend.store.opening import Store
from backend.store.schedules import Schedule

MOST_NAME_CHARS = 120
MOST_COLUMNS = 3
_NOT_THERE = "There is no such dashboard, or it is not shared with you."


@dataclass(frozen=True, slots=True)
class DashboardView:
    """One dashboard with its tiles, as one person sees it."""

    dashboard: Dashboard
    tiles: tuple[Tile, ...]
    is_mine: bool


@dataclass(frozen=True, slots=True)
class Removed:
    """A dashboard that is there no more, with all that went with it."""

    view: DashboardView
    schedules: tuple[Schedule, ...]


class DashboardBook:
    """Keeps dashboards in the store; every method but `mine` raises NotPermitted for what is not this person's.

    Args:
        store: gives the store; StoreUnavailable passes.
        max_dashboards: that one person keeps.
        max_tiles: of one dashboard.
    """

    def __init__(self, store: Callable[[], Store], max_dashboards: int, max_tiles: int) -> None:
        self._store = store
        self._max_dashboards = max_dashboards
        self._max_tiles = max_tiles

    def mine(self, who: str) -> list[Dashboard]:
        """Return a person's own dashboards by name."""
        with self._store().reading() as connection:
            return rows.owned_by(connection, who)

    def view(self, dashboard_id: str, who: str) -> DashboardView:
        """Return a dashboard that is this person's or shared."""
        with self._store().reading() as connection:
            found = rows.by_id(connection, dashboard_id)
            if found is None or not (found.owner == who or found.is_shared):
                raise NotPermitted("no such dashboard for this person", _NOT_THERE)
            return DashboardView(found, tuple(rows.tiles_of(connection, dashboard_id)), found.owner == who)

    def create(self, name: str, who: str) -> Dashboard:
        """Begin an empty dashboard of one's own.

        Raises:
            CannotKeep: it has no name, or there are too many.
        """
        dashboard = Dashboard(uuid4().hex, who, _named(name), False, 0, Intent(), datetime.now(UTC))
        with self._store().writing() as connection:
            if len(rows.owned_by(connection, who)) >= self._max_dashboards:
                raise CannotKeep(f"You have {self._max_dashboards} dashboards, as many as are kept. Remove one first.")
            rows.add(connection, dashboard)
        return dashboard

    def change(self, dashboard: Dashboard, who: str) -> None:
        """Keep a new name, scope, refresh or sharing.

        Raises:
            CannotKeep: it has no name.
        """
        kept = replace(dashboard, name=_named(dashboard.name), owner=who)
        with self._changing(dashboard.id, who) as connection:
            rows.change(connection, kept)

    def remove(self, dashboard_id: str, who: str) -> Removed:
        """Forget a dashboard and its schedules; what is returned brings it back by `restore`."""
        with self._changing(dashboard_id, who) as connection:
            board, tiles = rows.by_id(connection, dashboard_id), rows.tiles_of(connection, dashboard_id)
            assert board is not None, "it was found just now"  # noqa: S101
            view = DashboardView(board, tuple(tiles), is_mine=True)
            removed = Removed(view, tuple(schedules.of_dashboard(connection, dashboard_id)))
            rows.remove(connection, dashboard_id)
        return removed

    def restore(self, removed: Removed, who: str) -> None:
        """Bring back one's own dashboard that was just removed."""
        board = removed.view.dashboard
        with self._store().writing() as connection:
            if board.owner != who or rows.by_id(connection, board.id) is not None:
                raise NotPermitted("not this person's to bring back", _NOT_THERE)
            rows.add(connection, board)
            for place, tile in enumerate(removed.view.tiles):
                rows.put_tile(connection, board.id, tile, place)
            for schedule in removed.schedules:
                schedules.add(connection, schedule)

    def pin(self, dashboard_id: str, tile: Tile, who: str) -> None:
        """Add a tile behind the others.

        Raises:
            CannotKeep: the dashboard is full.
        """
        with self._changing(dashboard_id, who) as connection:
            if len(rows.tiles_of(connection, dashboard_id)) >= self._max_tiles:
                raise CannotKeep(f"This dashboard has {self._max_tiles} tiles, as many as are kept. Take another one.")
            rows.put_tile(connection, dashboard_id, replace(tile, title=_named(tile.title)))

    def change_tile(self, dashboard_id: str, tile: Tile, who: str) -> None:
        """Keep a new title, width or chart of a tile.

        Raises:
            CannotKeep: it has no title.
        """
        kept = replace(tile, title=_named(tile.title), columns=min(max(tile.columns, 1), MOST_COLUMNS))
        with self._changing(dashboard_id, who) as connection:
            if any(one.id == tile.id for one in rows.tiles_of(connection, dashboard_id)):
                rows.change_tile(connection, kept)

    def move_tile(self, dashboard_id: str, tile_id: str, step: Literal[-1, 1], who: str) -> None:
        """Let a tile change places with the one before or behind it."""
        with self._changing(dashboard_id, who) as connection:
            order = [tile.id for tile in rows.tiles_of(connection, dashboard_id)]
            here = order.index(tile_id) if tile_id in order else -1
            if here >= 0 and 0 <= here + step < len(order):
                order[here], order[here + step] = order[here + step], order[here]
                rows.order_tiles(connection, order)

    def remove_tile(self, dashboard_id: str, tile_id: str, who: str) -> None:
        """Forget a tile; `restore_tiles` brings it back."""
        with self._changing(dashboard_id, who) as connection:
            if any(tile.id == tile_id for tile in rows.tiles_of(connection, dashboard_id)):
                rows.remove_tile(connection, tile_id)

    def restore_tile(self, dashboard_id: str, tile: Tile, order: Sequence[str], who: str) -> None:
        """Bring back a tile that was just removed, in its place among the tiles that there were."""
        with self._changing(dashboard_id, who) as connection:
            now = [one.id for one in rows.tiles_of(connection, dashboard_id)]
            if tile.id not in now and len(now) < self._max_tiles:
                rows.put_tile(connection, dashboard_id, tile)
                earlier = [one for one in order if one in now or one == tile.id]
                rows.order_tiles(connection, [*earlier, *(one for one in now if one not in earlier)])

    @contextmanager
    def _changing(self, dashboard_id: str, who: str) -> Iterator[Connection]:
        """Give a connection to whose changes this person has a right."""
        with self._store().writing() as connection:
            found = rows.by_id(connection, dashboard_id, hold=True)
            if found is None or found.owner != who:
                raise NotPermitted("not this person's dashboard", "Only the owner of a dashboard may change it.")
            yield connection


def tile_of(answer: Answer, vocabulary: Vocabulary, source: str, chart: ChartKind, title: str) -> Tile:
    """Make a tile of an answer with rows, as its owner sees it.

    Args:
        answer: what is pinned.
        vocabulary: of the database that it was asked of.
        source: name of that data source.
        chart: the kind of chart that is shown.
        title: what the tile is called.

    Raises:
        CannotKeep: the answer came from no statement.
    """
    from ai_engine.semantics.edits.chips import still_assumed  # takes long to load, and a page is drawn before

    if answer.sql is None or answer.result is None:
        raise CannotKeep("Only an answer with rows can be pinned.")
    then = vocabulary.on(answer.as_of)
    intent = answer.intent if answer.trust != "free SQL" else None
    moves = intent is not None and moves_on(intent, then)
    of_period = rolled(intent, then)[1] if intent is not None and moves else ()
    assumed = still_assumed(answer.assumptions, intent, intent, then) if intent is not None else answer.assumptions
    return Tile(
        id=uuid4().hex,
        columns=1,
        title=title,
        question=answer.question,
        intent=intent,
        sql=answer.sql,
        chart=chart,
        chart_size=answer.chart_size,
        assumptions=tuple(said for said in assumed if said not in of_period),
        source=source,
        moves_on=moves,
        pinned_on=then.as_of,
    )


def scope_words(scope: Intent, known: Iterable[SemanticModel]) -> tuple[str, ...]:
    """Say the period and each filter of a dashboard; see `filter_words`."""
    period = (scope.period.label,) if scope.period is not None else ()
    return (*period, *(filter_words(one, known) for one in scope.filters if isinstance(one, Condition)))


def filter_words(condition: Condition, known: Iterable[SemanticModel]) -> str:
    """Say one filter: "region: West, South"; of a field that was closed since, or is in none of these, no value."""
    named, place = condition.field.field.replace("_", " "), condition.field
    datasets = [one for model in known for one in model.datasets if one.name == place.dataset]
    fields = [one.field(place.field) for one in datasets if one.has(place.field)]
    if not fields or any(one.sensitive for one in fields):
        return f"{named}: not shown"
    return f"{named}: {', '.join(map(str, condition.values))}"


def _named(name: str) -> str:
    kept = " ".join(name.split())
    if not 1 <= len(kept) <= MOST_NAME_CHARS:
        raise CannotKeep(f"A name has 1 to {MOST_NAME_CHARS} characters.")
    return kept
