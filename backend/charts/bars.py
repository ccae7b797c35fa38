"""Bars: lying below each other with their names beside them, or few upright ones."""

from __future__ import annotations

from dataclasses import dataclass

from backend.charts.axes import figure_axis, figure_name, group_axis, row_axis
from backend.charts.frame import HEIGHT_PX, dressed, framed, legend_names, name_panel
from backend.charts.picture import Picture
from backend.charts.scale import FigureScale
from backend.charts.sketch import Series, Sketch
from backend.charts.text import NARROW_PX, row_label, width_px
from backend.charts.titles import caption

_ROW_PX = 30
_LONG_ROW_PX = 36
_BESIDE_PX = 15
_GAP_PX = 14
_EDGE_PX = 24
_FILLED = 0.75
_TEXT_PX = 11
_PART_OPACITY = 0.45
_UNSELECTED_OPACITY = 0.35


@dataclass(frozen=True)
class _Panel:
    """Bars on one scale.

    Attributes:
        texts: per series what stands at the end of each bar, empty where there is nothing.
    """

    series: list[Series]
    scale: FigureScale
    name: str
    texts: list[list[str]]

    def room_px(self) -> float:
        """What the widest text takes beyond its bar."""
        return max((width_px(texts) for texts in self.texts), default=0) + 8


def upright_bars(sketch: Sketch) -> Picture:
    """Draw few groups, or steps in time, side by side."""
    panels = [_panel(sketch, values) for values in sketch.axes.panels]
    picture, names = Picture(), []
    share = 1 / len(panels)
    for place, panel in enumerate(panels):
        top = 1 - place * share
        fits = _fits_above(sketch, panel)
        for series, texts in zip(panel.series, panel.texts, strict=True):
            picture.add(
                "bar",
                x=series.places, y=series.figures(), yaxis=_axis("y", place), orientation="v",
                marker=_marker(sketch, series), text=texts if fits else None, **_written(), **dressed(sketch, series),
            )  # fmt: skip
        axis = figure_axis(panel.scale)
        axis["range"] = _widened(panel.scale, 18 / (HEIGHT_PX * share)) if fits else axis["range"]
        axis |= {"domain": [top - share * (0.82 if len(panels) > 1 else 1), top]}
        picture.axis(f"yaxis{place + 1 if place else ''}", **axis)
        names.append(name_panel(picture, panel.name, x=0, y=top) if len(panels) > 1 else panel.name)
    picture.axis("xaxis", **group_axis(sketch), anchor=_axis("y", len(panels) - 1))
    height_px = HEIGHT_PX * (1 if len(panels) == 1 else 0.6 * len(panels))
    return _framed(picture, sketch, "bar", panels, names, int(height_px))


def lying_bars(sketch: Sketch) -> Picture:
    """Draw groups below each other, each figure at the end of its bar; another unit stands beside, on its own scale."""
    panels = [_panel(sketch, values) for values in sketch.axes.panels]
    labels = [row_label(name) for name in sketch.group_names]
    picture, names = Picture(), []
    room_px = (NARROW_PX - min(width_px(labels), NARROW_PX / 2) - _EDGE_PX) / len(panels) - _GAP_PX
    share = 1 / len(panels)
    for place, panel in enumerate(panels):
        for series, texts in zip(panel.series, panel.texts, strict=True):
            picture.add(
                "bar",
                x=series.figures(), y=series.places, xaxis=_axis("x", place), orientation="h",
                marker=_marker(sketch, series), text=texts, **_written(), **dressed(sketch, series),
            )  # fmt: skip
        left = place * share
        axis = figure_axis(panel.scale) | {"showticklabels": False, "showgrid": False, "zeroline": True}
        axis |= {
            "range": _widened(panel.scale, panel.room_px() / room_px),
            "domain": [left, left + share - (0.04 if len(panels) > 1 else 0)],
        }
        picture.axis(f"xaxis{place + 1 if place else ''}", **axis)
        names.append(name_panel(picture, panel.name, x=left, y=1, room_px=room_px) if len(panels) > 1 else panel.name)
    picture.axis("yaxis", **row_axis(sketch))
    bars = max(len(panel.series) for panel in panels)
    row_px = max(_LONG_ROW_PX if any("<br>" in label for label in labels) else _ROW_PX, _BESIDE_PX * bars / _FILLED)
    return _framed(picture, sketch, "horizontal_bar", panels, names, int(16 + row_px * len(labels)))


def _panel(sketch: Sketch, values: tuple[int, ...]) -> _Panel:
    series = sketch.series_of(values)
    scale = sketch.scale(sketch.figures(*values), values[0])
    texts = [[_text(sketch, one, row, scale) for row in range(len(one.rows))] for one in series]
    return _Panel(series, scale, figure_name(sketch, values, scale), texts)


def _text(sketch: Sketch, series: Series, row: int, scale: FigureScale) -> str:
    """Write a figure as its axis counts; beside a bar that has an earlier one, how it changed."""
    figure = scale.short(series.figures()[row])
    change = sketch.change_said(series.rows[row], series.value)
    return f"{figure} ({change})" if change else figure


def _marker(sketch: Sketch, series: Series) -> dict[str, object]:
    """Bars of steps that are covered only in part are lighter."""
    part = [row[sketch.x] in sketch.parts for row in series.rows]
    return {"color": series.colour, "opacity": [_PART_OPACITY if is_part else 1.0 for is_part in part]}


def _written() -> dict[str, object]:
    """How figures stand beside bars, and how both look once one is clicked: Plotly fails where it must guess that."""
    looks = {"textposition": "outside", "textfont": {"size": _TEXT_PX}, "cliponaxis": False, "constraintext": "none"}
    return looks | {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": _UNSELECTED_OPACITY}}}


def _fits_above(sketch: Sketch, panel: _Panel) -> bool:
    bars = len(sketch.groups) * len(panel.series)
    return bool(bars) and panel.room_px() <= (NARROW_PX - 40) / bars


def _widened(scale: FigureScale, share: float) -> list[float]:
    """Lengthen a scale so that texts beyond its bars take this share of the whole."""
    low, high = scale.positions[0], scale.positions[-1]
    share = min(share, 0.6)
    more = (high - low) * share / (1 - share)
    return [low - more if low < 0 else low, high + more if high > 0 else high]


def _axis(letter: str, place: int) -> str:
    return f"{letter}{place + 1}" if place else letter


def _framed(
    picture: Picture, sketch: Sketch, kind: str, panels: list[_Panel], names: list[str], height_px: int
) -> Picture:
    several = [panel.series for panel in panels if len(panel.series) > 1]
    entries = [series for panel in several for series in panel]
    named = legend_names(sketch, entries)
    for trace in picture.data:
        trace["showlegend"] = trace["name"] in named
    heading = caption(sketch.result, sketch.columns, kind, sketch.scope)  # type: ignore[arg-type]
    return framed(picture, heading, names, height_px=height_px, legend=named)
