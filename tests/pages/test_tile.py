"""One tile of a dashboard, whatever came of it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _refused() -> None:
    from datetime import UTC, date, datetime

    from backend.dashboards.tile_results import TileResult
    from backend.store.dashboards import Tile
    from pages.drawing.dashboards.tile import draw_tile

    tile = Tile("t", 1, "Salary", "Salary", None, "SELECT 1", "bar", 1.0, (), "own", False, date(2026, 11, 21))
    draw_tile(tile, TileResult(None, None, datetime.now(UTC), "There is no data source named own for you."))


def test_a_tile_that_was_never_answered_says_why_and_nothing_more():
    screen = AppTest.from_function(_refused, default_timeout=30).run()
    assert not screen.exception
    assert "There is no data source" in " ".join(element.proto.body for element in screen.get("html"))
