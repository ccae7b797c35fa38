"""Points between two axes of figures, and how often figures occur."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

from backend.charts.axes import GRID, figure_axis, figure_name
from backend.charts.frame import HEIGHT_PX, dressed, framed, legend_names
from backend.charts.picture import Picture
from backend.charts.scale import FigureScale
from backend.charts.sketch import Sketch, as_float, colour_of
from backend.charts.text import NARROW_PX, hover_label, tick_label, title, width_px
from backend.charts.titles import caption

_MOST_BINS = 20
_PLOT_PX = (NARROW_PX - 50, HEIGHT_PX)
"""The plot on a narrow screen, where names have least room."""
_Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right and top."""


def scatter(sketch: Sketch) -> Picture:
    """Draw one point per row, its name on hover; the extremes are named."""
    across, up = sketch.x, sketch.axes.values[0]
    picture = Picture()
    for series in sketch.series:
        looks = dressed(sketch, series)
        looks["customdata"] = [sketch.hover(row, *range(len(sketch.columns))) for row in series.rows]
        picture.add(
            "scatter",
            x=[as_float(row[across]) for row in series.rows],
            y=series.figures(),
            mode="markers",
            cliponaxis=False,
            marker={"color": series.colour, "size": 9, "opacity": 0.75},
            **looks,
        )
    wide = sketch.scale(sketch.figures(across), across, from_zero=False)
    high = sketch.scale(sketch.figures(up), up, from_zero=False)
    heading = title(figure_name(sketch, (across,), wide))
    picture.axis("xaxis", **figure_axis(wide), title={"text": heading, "font": {"size": 12}, "standoff": 8})
    picture.axis("yaxis", **figure_axis(high))
    _name_extremes(picture, sketch, wide, high)
    legend = legend_names(sketch, sketch.series)
    caption_text = caption(sketch.result, sketch.columns, "scatter", sketch.scope)
    return framed(picture, caption_text, [figure_name(sketch, (up,), high)], height_px=HEIGHT_PX + 30, legend=legend)


def _name_extremes(picture: Picture, sketch: Sketch, wide: FigureScale, high: FigureScale) -> None:
    """Write the names of the points furthest out beside them, where they lie over no other point or name."""
    across, up = sketch.x, sketch.axes.values[0]
    named = next((i for i, column in enumerate(sketch.columns) if column.role in {"category", "text"}), None)
    if named is None or named == sketch.axes.series:
        return
    points = [
        ((x, y), tick_label(sketch.said(row[named], named)))
        for row in sketch.rows
        if (x := as_float(row[across])) is not None and (y := as_float(row[up])) is not None
    ]
    places = [(_share(x, wide) * _PLOT_PX[0], _share(y, high) * _PLOT_PX[1]) for (x, y), _ in points]
    taken: list[_Box] = [(left - 6, bottom - 6, left + 6, bottom + 6) for left, bottom in places]
    for choose, axis in ((max, 1), (max, 0), (min, 1), (min, 0)):
        index = choose(range(len(points)), key=lambda i: points[i][0][axis])
        at, name = points[index]
        for side in (1, -1) if places[index][0] < _PLOT_PX[0] / 2 else (-1, 1):
            box = _beside(places[index], width_px([name]), side)
            if box[0] >= 0 and box[2] <= _PLOT_PX[0] and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                picture.note(
                    x=at[0], y=at[1], text=name, showarrow=False, xanchor="left" if side > 0 else "right",
                    xshift=8 * side, font={"size": 11},
                )  # fmt: skip
                break


def _share(figure: float, scale: FigureScale) -> float:
    return (figure - scale.positions[0]) / (scale.positions[-1] - scale.positions[0])


def _beside(place: tuple[float, float], width: float, side: int) -> _Box:
    left = place[0] + 8 if side > 0 else place[0] - 8 - width
    return left, place[1] - 8, left + width, place[1] + 8


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def histogram(sketch: Sketch) -> Picture:
    """Draw how many rows fall between round figures."""
    value = sketch.axes.values[0]
    figures = sketch.figures(value)
    edges = sketch.scale(figures, value, from_zero=False, intervals=min(_MOST_BINS, max(5, round(len(figures) ** 0.5))))
    counts = [0] * (len(edges.positions) - 1)
    width = edges.positions[1] - edges.positions[0]
    for number in figures:
        counts[min(int((number - edges.positions[0]) / width), len(counts) - 1)] += 1
    bounds = [sketch.said(Decimal(f"{edge:.12g}"), value) for edge in edges.positions]
    picture = Picture()
    picture.add(
        "bar",
        x=[edge + width / 2 for edge in edges.positions[:-1]],
        y=counts,
        width=width * 0.96,
        marker={"color": colour_of(0)},
        customdata=[
            hover_label(f"{bounds[place]} to {bounds[place + 1]}: {count} row{'s' * (count != 1)}")
            for place, count in enumerate(counts)
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )
    ticks = sketch.scale(figures, value, from_zero=False)
    heading = title(figure_name(sketch, (value,), ticks))
    picture.axis("xaxis", **figure_axis(ticks), title={"text": heading, "font": {"size": 12}, "standoff": 8})
    picture.axis("xaxis", range=[edges.positions[0], edges.positions[-1]], showgrid=False)
    picture.axis("yaxis", gridcolor=GRID, rangemode="tozero", fixedrange=True, automargin=True)
    return framed(
        picture, caption(sketch.result, sketch.columns, "histogram", sketch.scope), ["Rows"], height_px=HEIGHT_PX + 30
    )
