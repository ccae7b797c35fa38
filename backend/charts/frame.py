"""What stands around every chart: its title, what its figures are counted in, its legend and its height."""

from __future__ import annotations

import html
from typing import Any

from backend.charts.picture import Picture
from backend.charts.sketch import Series, Sketch
from backend.charts.text import NARROW_PX, chars_in, tick_label, title, width_px

HEIGHT_PX = 380
_TITLE_LINE_PX = 20
_NAME_LINE_PX = 17
_SEVERAL_LINES_PX = 20
"""Plotly sets a title of several lines higher than one of a single line, and would clip it."""
_LEGEND_ROW_PX = 20
_LEGEND_MARK_PX = 44
_PANEL_NAME_PX = 12
_PANEL_GAP_PX = 8


def framed(
    picture: Picture, heading: str, names: list[str], *, height_px: int = HEIGHT_PX, legend: list[str] | None = None
) -> Picture:
    """Give a chart its title, height and, where colours need one, a legend between title and plot.

    Args:
        picture: what is plotted.
        heading: the title, unescaped.
        names: what is counted, unescaped, which stands below the title, unless that begins with it; of several
            panels the label of each, as `name_panel` drew it.
        height_px: of the plot alone.
        legend: the names that stand in it, already as labels; None and one alone need none.
    """
    said, heading = heading, title(heading)
    name = title(names[0], 52) if len(names) == 1 and not said.startswith(names[0]) else ""
    legend_px = _LEGEND_ROW_PX * _rows_of(legend) if legend and len(legend) > 1 else 0
    head_px = _head_px(heading, name)
    panels_px = _NAME_LINE_PX * max(map(_lines, names)) + _PANEL_GAP_PX if len(names) > 1 else 0
    top_px = head_px + legend_px + 14 + panels_px
    picture.lay_out(
        title={"text": heading, "x": 0, "xanchor": "left", "y": 1, "yanchor": "top", "yref": "container",
               "pad": {"t": 10 if _lines(heading) < 2 else _SEVERAL_LINES_PX, "l": 4},
               "font": {"size": 15}, "subtitle": {"text": name, "font": {"size": 12}}},
        height=int(height_px + top_px),
        margin={"l": 8, "r": 12, "t": top_px, "b": 8},
        showlegend=bool(legend_px),
        legend={"orientation": "h", "yref": "container", "y": 1 - head_px / (height_px + top_px), "yanchor": "top",
                "x": 0, "xanchor": "left", "xref": "container", "itemclick": False, "itemdoubleclick": False,
                "traceorder": "normal", "title": {"text": ""}},
        barcornerradius=2,
        bargap=0.25,
    )  # fmt: skip
    return picture


def set_heading_apart(picture: Picture) -> None:
    """Take the title out of a picture that has one, and its room with it, for a page that writes it above.

    The title and what the figures are counted in are left in the picture's `meta`, each in one line and unescaped.
    """
    layout = picture.layout
    said = layout.pop("title", None)
    if said is None:
        return
    heading, counted = said["text"], said["subtitle"]["text"]
    head_px = _head_px(heading, counted)
    layout["height"] -= head_px
    layout["margin"] = {**layout["margin"], "t": layout["margin"]["t"] - head_px}
    layout["legend"] = {**layout["legend"], "y": 1}
    layout["meta"] = {"heading": _in_one_line(heading), "counted": _in_one_line(counted)}


def _in_one_line(label: str) -> str:
    return html.unescape(label.replace("<br>", " "))


def _head_px(heading: str, name: str) -> int:
    own = (12 if _lines(heading) < 2 else 18) + _TITLE_LINE_PX * _lines(heading)
    return own + _NAME_LINE_PX * _lines(name) + (4 if name else 0)


def name_panel(picture: Picture, text: str, *, x: float, y: float, room_px: float = NARROW_PX) -> str:
    """Write what a panel shows above it, and return the label; `x` and `y` are its upper left corner in the plot."""
    label = title(text, chars_in(room_px))
    picture.note(
        text=label,
        x=x, y=y, xref="paper", yref="paper", xanchor="left", yanchor="bottom", align="left", showarrow=False,
        font={"size": _PANEL_NAME_PX}, yshift=8,
    )  # fmt: skip
    return label


def dressed(sketch: Sketch, series: Series) -> dict[str, Any]:
    """What every trace over groups or time has: its name and a hover that says the exact figure."""
    hovers = []
    for row in series.rows:
        change = sketch.change_said(row, series.value)
        beside = series.value + 1 if change else None
        text = sketch.hover(row, sketch.axes.x, sketch.axes.series, series.value, beside)
        hovers.append(f"{text}<br>Change: {change}" if change else text)
    return {
        "name": _entry(sketch, series),
        "customdata": hovers,
        "ids": [str(sketch.place_of(row)) for row in series.rows],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def legend_names(sketch: Sketch, series: list[Series]) -> list[str]:
    """Return the legend's entries as they are drawn."""
    return [_entry(sketch, one) for one in series]


def _entry(sketch: Sketch, series: Series) -> str:
    return tick_label(series.name) if sketch.axes.series is not None else title(series.name).replace("<br>", " ")


def _rows_of(legend: list[str]) -> int:
    """Count the lines that a legend takes on a narrow screen, where every entry is as wide as the widest."""
    across = max(1, int(NARROW_PX // (width_px(legend) + _LEGEND_MARK_PX)))
    return -(-len(legend) // across)


def _lines(text: str) -> int:
    return text.count("<br>") + 1 if text else 0
