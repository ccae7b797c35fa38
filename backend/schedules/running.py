"""One run of a schedule: the tiles are asked, without a model, and their files sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import wait
from datetime import datetime
from zoneinfo import ZoneInfo

from ai_engine.errors import DeliveryFailed, NotPermitted
from backend.answers.exports import file_name
from backend.dashboards.book import DashboardBook, scope_words
from backend.dashboards.files import dashboard_csvs, dashboard_html
from backend.dashboards.tile_results import TileResult, TileResults
from backend.schedules.book import ScheduleBook
from backend.schedules.delivery import SentFile, put, send
from backend.settings import Settings
from backend.store.dashboards import Tile
from backend.store.opening import Store
from backend.store.schedules import Schedule

_MOST_NAMED = 3


def run_schedule(schedule: Schedule, settings: Settings, store: Callable[[], Store], results: TileResults) -> str:
    """Ask what is scheduled with its owner's rights, and deliver it.

    Returns:
        What was delivered, in words.

    Raises:
        NotPermitted: its owner may have nothing run by the clock any more.
        AssistantError: nothing could be delivered, or a tile failed; says which.
    """
    if not ScheduleBook(store, settings).may_schedule(schedule.owner):
        raise NotPermitted("may schedule nothing", f"{schedule.owner} may have nothing run by the clock any more.")
    book = DashboardBook(store, settings.max_dashboards, settings.dashboard_max_tiles)
    view = book.view(schedule.dashboard_id, schedule.owner)
    tiles = [tile for tile in view.tiles if schedule.tile_id in ("", tile.id)]
    if not tiles:
        raise DeliveryFailed("no tiles", "There is nothing to send: the tiles of this schedule were removed.")
    scope, who = view.dashboard.scope, schedule.owner
    started = {tile.id: results.start(tile, scope, who, anew=True, door="schedule") for tile in tiles}
    _, late = wait(started.values(), timeout=settings.schedule_timeout_s)
    if late:
        raise DeliveryFailed("too slow", f"{len(late)} tiles were not ready within {settings.schedule_timeout_s:g} s.")
    told = [(tile, started[tile.id].result()) for tile in tiles]
    failed = [(tile, result) for tile, result in told if result.problem]
    if len(failed) == len(told):
        raise DeliveryFailed("all tiles failed", f"Nothing was sent. {_said_of(failed)}")
    title = view.dashboard.name if len(tiles) > 1 or not schedule.tile_id else tiles[0].title
    at = datetime.now(ZoneInfo(settings.time_zone))
    files = _files(schedule, title, scope_words(scope, results.models(tiles, who)), told, at)
    if schedule.recipients:
        send(files, f"{title}, {at:%d %B %Y}", _text(title, told, at), schedule.recipients, settings)
        said = f"Mailed {_count(files)} to {', '.join(schedule.recipients)}."
    else:
        put(files, schedule.id, settings)
        said = f"Wrote {_count(files)}: {files[0].name}{' …' if len(files) > 1 else ''}"
    if failed:
        raise DeliveryFailed("some tiles failed", f"{said} {_said_of(failed)}")
    return said


def _files(
    schedule: Schedule, title: str, narrowed_by: Sequence[str], told: list[tuple[Tile, TileResult]], at: datetime
) -> list[SentFile]:  # fmt: skip
    stamp = f"{at:%Y-%m-%d-%H%M}"
    if schedule.kind == "csv":
        return [
            SentFile(f"{name.removesuffix('.csv')}-{stamp}.csv", "text/csv", content)
            for name, content in dashboard_csvs(told)
        ]
    page = dashboard_html(title, narrowed_by, told, at)
    return [SentFile(f"{file_name(title, 'html').removesuffix('.html')}-{stamp}.html", "text/html", page)]


def _text(title: str, told: list[tuple[Tile, TileResult]], at: datetime) -> str:
    lines = [f"{title}, {at:%d %B %Y, %H:%M %Z}", ""]
    for tile, result in told:
        told_now = "" if result.answer is None else result.answer.headline or result.answer.summary
        lines.append(f"- {tile.title}: {result.problem or told_now}")
    return "\n".join(lines)


def _said_of(failed: list[tuple[Tile, TileResult]]) -> str:
    named = "; ".join(f"{tile.title}: {result.problem}" for tile, result in failed[:_MOST_NAMED])
    return f"{len(failed)} of the tiles failed. {named}"


def _count(files: list[SentFile]) -> str:
    return f"{len(files)} file{'s' * (len(files) != 1)}"
