"""Where dashboards are kept: one row each, one per tile, and each tile's last good result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    RowMapping,
    String,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    update,
)

from ai_engine.semantics.intent import Intent
from ai_engine.types import ChartKind
from ai_engine.verified import intent_from_text, intent_to_text
from backend.store.keys import written
from backend.store.schema import METADATA, UtcTime

DASHBOARDS = Table(
    "dashboards",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("owner", String(200), nullable=False),
    Column("name", Text, nullable=False),
    Column("is_shared", Boolean, nullable=False),
    Column("refresh_minutes", Integer, nullable=False),
    Column("scope", Text, nullable=False),
    Column("made_at", UtcTime(), nullable=False),
)
Index("ix_dashboards_of_owner", DASHBOARDS.c.owner)

TILES = Table(
    "dashboard_tiles",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("dashboard_id", String(32), ForeignKey(DASHBOARDS.c.id, ondelete="CASCADE"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("columns", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("intent", Text),
    Column("sql", Text, nullable=False),
    Column("chart", String(20), nullable=False),
    Column("chart_size", Float, nullable=False),
    Column("assumptions", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("moves_on", Boolean, nullable=False),
    Column("pinned_on", Date, nullable=False),
)
Index("ix_dashboard_tiles_of_dashboard", TILES.c.dashboard_id)

RESULTS = Table(
    "dashboard_results",
    METADATA,
    Column("tile_id", String(32), ForeignKey(TILES.c.id, ondelete="CASCADE"), primary_key=True),
    Column("reading_key", String(64), nullable=False),
    Column("answer", Text, nullable=False),
    Column("as_of", Date, nullable=False),
    Column("made_at", UtcTime(), nullable=False),
)


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A page of tiles.

    Attributes:
        owner: who may change it, and whose rights its schedules have.
        is_shared: everybody who has its address may read it.
        refresh_minutes: open pages ask anew so often; 0 asks when the page is opened alone.
        scope: an intent whose period and filters go over those of all tiles where they fit.
    """

    id: str
    owner: str
    name: str
    is_shared: bool
    refresh_minutes: int
    scope: Intent
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Tile:
    """One pinned answer.

    Attributes:
        columns: its width, 1 to 3 columns of the grid.
        title: what the owner calls it.
        intent: the reading, None where a model or a person wrote the statement.
        sql: the statement that ran when it was pinned, and that runs where there is no intent.
        assumptions: what was assumed apart from the period.
        source: name of the data source that it was asked of.
        moves_on: its period counts from the data's day.
        pinned_on: the data's day when it was pinned.
    """

    id: str
    columns: int
    title: str
    question: str
    intent: Intent | None
    sql: str
    chart: ChartKind
    chart_size: float
    assumptions: tuple[str, ...]
    source: str
    moves_on: bool
    pinned_on: date

    @property
    def reading(self) -> Intent | str:
        """What is asked again."""
        return self.intent if self.intent is not None else self.sql


@dataclass(frozen=True, slots=True)
class KeptResult:
    """The last good result of a tile: the answer as JSON, of which reading it is, and when it was made."""

    reading_key: str
    answer: str
    as_of: date
    made_at: datetime


def add(connection: Connection, dashboard: Dashboard) -> None:
    """Keep a new dashboard, without tiles."""
    connection.execute(insert(DASHBOARDS), [_row_of(dashboard)])


def change(connection: Connection, dashboard: Dashboard) -> None:
    """Keep what was changed of a dashboard."""
    row = _row_of(dashboard)
    connection.execute(update(DASHBOARDS).where(DASHBOARDS.c.id == dashboard.id).values(row))


def remove(connection: Connection, dashboard_id: str) -> None:
    """Forget a dashboard with its tiles and their results."""
    connection.execute(delete(DASHBOARDS).where(DASHBOARDS.c.id == dashboard_id))


def by_id(connection: Connection, dashboard_id: str, *, hold: bool = False) -> Dashboard | None:
    """Return a dashboard, None where there is none of that name; `hold` keeps it from other servers meanwhile."""
    wanted = select(DASHBOARDS).where(DASHBOARDS.c.id == dashboard_id)
    row = connection.execute(wanted.with_for_update() if hold else wanted).mappings().first()
    return _dashboard(row) if row is not None else None


def owned_by(connection: Connection, owner: str) -> list[Dashboard]:
    """Return a person's dashboards by name."""
    wanted = select(DASHBOARDS).where(DASHBOARDS.c.owner == owner).order_by(DASHBOARDS.c.name, DASHBOARDS.c.id)
    return [_dashboard(row) for row in connection.execute(wanted).mappings()]


def tiles_of(connection: Connection, dashboard_id: str) -> list[Tile]:
    """Return the tiles of a dashboard in the order of its grid."""
    wanted = select(TILES).where(TILES.c.dashboard_id == dashboard_id).order_by(TILES.c.place, TILES.c.id)
    return [_tile(row) for row in connection.execute(wanted).mappings()]


def put_tile(connection: Connection, dashboard_id: str, tile: Tile, place: int | None = None) -> None:
    """Add a tile, at its place or behind all others."""
    if place is None:
        last = connection.scalar(select(func.max(TILES.c.place)).where(TILES.c.dashboard_id == dashboard_id))
        place = 0 if last is None else last + 1
    connection.execute(insert(TILES), [_tile_row(tile) | {"dashboard_id": dashboard_id, "place": place}])


def change_tile(connection: Connection, tile: Tile) -> None:
    """Keep what was changed of a tile."""
    connection.execute(update(TILES).where(TILES.c.id == tile.id).values(_tile_row(tile)))


def remove_tile(connection: Connection, tile_id: str) -> None:
    """Forget a tile and its result."""
    connection.execute(delete(TILES).where(TILES.c.id == tile_id))


def order_tiles(connection: Connection, tile_ids: Sequence[str]) -> None:
    """Give tiles their places in the grid."""
    for place, tile_id in enumerate(tile_ids):
        connection.execute(update(TILES).where(TILES.c.id == tile_id).values(place=place))


def keep_result(connection: Connection, tile_id: str, result: KeptResult) -> None:
    """Keep a tile's last good result in the place of the one before; nothing where the tile is gone."""
    if connection.scalar(select(TILES.c.id).where(TILES.c.id == tile_id).with_for_update()) is not None:
        connection.execute(delete(RESULTS).where(RESULTS.c.tile_id == tile_id))
        row = {"tile_id": tile_id, "reading_key": result.reading_key, "answer": written(result.answer)}
        connection.execute(insert(RESULTS), [row | {"as_of": result.as_of, "made_at": result.made_at}])


def result_of(connection: Connection, tile_id: str) -> KeptResult | None:
    """Return a tile's last good result."""
    row = connection.execute(select(RESULTS).where(RESULTS.c.tile_id == tile_id)).mappings().first()
    return None if row is None else KeptResult(row["reading_key"], row["answer"], row["as_of"], row["made_at"])


def _row_of(dashboard: Dashboard) -> dict[str, object]:
    return {
        "id": dashboard.id, "owner": dashboard.owner, "name": written(dashboard.name),
        "is_shared": dashboard.is_shared, "refresh_minutes": dashboard.refresh_minutes,
        "scope": written(intent_to_text(dashboard.scope) or ""), "made_at": dashboard.made_at,
    }  # fmt: skip


def _dashboard(row: RowMapping) -> Dashboard:
    scope = intent_from_text(row["scope"]) or Intent()
    return Dashboard(
        row["id"], row["owner"], row["name"], row["is_shared"], row["refresh_minutes"], scope, row["made_at"]
    )


def _tile_row(tile: Tile) -> dict[str, object]:
    intent = intent_to_text(tile.intent)
    return {
        "id": tile.id, "columns": tile.columns, "title": written(tile.title), "question": written(tile.question),
        "intent": None if intent is None else written(intent), "sql": written(tile.sql), "chart": tile.chart,
        "chart_size": tile.chart_size, "assumptions": written(json.dumps(tile.assumptions)), "source": tile.source,
        "moves_on": tile.moves_on, "pinned_on": tile.pinned_on,
    }  # fmt: skip


def _tile(row: RowMapping) -> Tile:
    return Tile(
        row["id"], row["columns"], row["title"], row["question"], intent_from_text(row["intent"]), row["sql"],
        row["chart"], row["chart_size"], tuple(json.loads(row["assumptions"])), row["source"], row["moves_on"],
        row["pinned_on"],
    )  # fmt: skip
