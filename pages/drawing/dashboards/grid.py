"""The grid of tiles: rows of three columns, filled as the results come."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ai_engine.insight.chart_choice import possible_charts
from backend.dashboards.book import MOST_COLUMNS, DashboardView
from backend.dashboards.tile_results import TileResult
from backend.store.dashboards import Tile
from pages import dashboard_changes as changes
from pages.drawing.chart import CHART_NAMES
from pages.drawing.dashboards.tile import chart_of, draw_tile, draw_waiting
from pages.drawing.escaping import as_label

_AT_ONCE_S = 0.25
"""Results that come so soon are drawn without a word that they are awaited."""
_LOOK_S = 0.2


def packed(tiles: Sequence[Tile]) -> list[list[Tile]]:
    """Break tiles into rows of at most three columns, in order."""
    rows: list[list[Tile]] = []
    for tile in tiles:
        if rows and sum(one.columns for one in rows[-1]) + tile.columns <= MOST_COLUMNS:
            rows[-1].append(tile)
        else:
            rows.append([tile])
    return rows


def draw_grid(view: DashboardView, results: dict[str, Future[TileResult]], *, edits: bool) -> None:
    """Draw every tile as soon as it is there; one that fails or takes long holds up no other."""
    wait(results.values(), timeout=_AT_ONCE_S)
    waiting: dict[Future[TileResult], tuple[Tile, DeltaGenerator]] = {}
    for row in packed(view.tiles):
        widths = [tile.columns for tile in row]
        room = MOST_COLUMNS - sum(widths)
        for tile, column in zip(row, st.columns([*widths, *([room] if room else [])]), strict=False):
            with column.container(border=True, height="stretch", key=f"tile_{tile.id}"):
                place = st.empty()
                future = results[tile.id]
                if future.done():
                    with place.container():
                        draw_tile(tile, future.result())
                else:
                    with place.container():
                        draw_waiting(tile)
                    waiting[future] = (tile, place)
                if edits:
                    _draw_controls(view, tile, future)
    _fill(waiting)


def _fill(waiting: dict[Future[TileResult], tuple[Tile, DeltaGenerator]]) -> None:
    """Draw what was awaited; a look now and then lets Streamlit end this run when somebody clicks."""
    heartbeat = st.empty()
    while waiting:
        done, _ = wait(waiting, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        heartbeat.empty()
        for future in done:
            tile, place = waiting.pop(future)
            with place.container():
                draw_tile(tile, future.result())


def _draw_controls(view: DashboardView, tile: Tile, future: Future[TileResult]) -> None:
    """Draw what changes a tile."""
    board, key = view.dashboard.id, tile.id
    st.text_input(
        "Title", tile.title, key=f"title_{key}", max_chars=120, on_change=_rename, args=(board, tile)
    )  # fmt: skip
    answer = future.result().answer if future.done() else None
    kinds = possible_charts(answer.result, answer.columns) if answer is not None and answer.result is not None else ()
    if answer is not None and len(kinds) > 1:
        st.selectbox(
            "Chart", kinds, kinds.index(chart_of(tile, answer)), key=f"kind_{key}", on_change=_redraw,
            args=(board, tile), format_func=lambda kind: CHART_NAMES.get(kind, "Table"),
        )  # fmt: skip
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        named = as_label(tile.title)
        st.button(
            "Back", key=f"back_{key}", icon=":material/arrow_back:", help=f"Move {named} one place back",
            on_click=changes.move_tile, args=(board, tile.id), kwargs={"forward": False},
            disabled=tile.id == view.tiles[0].id,
        )  # fmt: skip
        st.button(
            "On", key=f"on_{key}", icon=":material/arrow_forward:", help=f"Move {named} one place on",
            on_click=changes.move_tile, args=(board, tile.id), kwargs={"forward": True},
            disabled=tile.id == view.tiles[-1].id,
        )  # fmt: skip
        wider = tile.columns % MOST_COLUMNS + 1
        st.button(
            f"Width {tile.columns}", key=f"width_{key}", icon=":material/width:", help=f"Make it {wider} wide",
            on_click=changes.change_tile, args=(board, replace(tile, columns=wider)),
        )  # fmt: skip
        st.button(
            "Remove", key=f"remove_{key}", icon=":material/delete:", help=f"Remove {named}",
            on_click=changes.remove_tile, args=(view, tile),
        )  # fmt: skip


def _rename(board: str, tile: Tile) -> None:
    changes.change_tile(board, replace(tile, title=st.session_state[f"title_{tile.id}"]))


def _redraw(board: str, tile: Tile) -> None:
    changes.change_tile(board, replace(tile, chart=st.session_state[f"kind_{tile.id}"]))
