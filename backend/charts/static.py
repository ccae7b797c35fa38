"""A figure of bars and lines as SVG without script, for files that must show it anywhere."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import plotly.graph_objects as go

from backend.charts.sketch import PALETTE

_WIDTH, _LEFT_PX, _LABELS_PX, _RIGHT_PX, _TOP_PX, _BOTTOM_PX = 720, 64, 190, 24, 12, 34
_LEGEND_PX = 20
_CHAR_PX = 6.4
_TALLEST_PX = 900
_BAR_SHARE = 0.8
_MOST_TICKS = 8
_MARKUP = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class _Axis:
    """Turns values into pixels: `low` lies at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        span = self.high - self.low or 1.0
        return self.start + (value - self.low) / span * (self.end - self.start)


def svg_of(figure: go.Figure) -> str | None:
    """Draw a figure's bars, lines and points on its own axes; None for what has other shapes, which a table shows."""
    traces, layout = figure.data, figure.layout
    plain = all(trace.type in ("bar", "scatter") and (trace.xaxis or "x") == "x" for trace in traces)
    if not traces or not plain or any((trace.yaxis or "y") != "y" for trace in traces):
        return None
    lying = any(trace.type == "bar" and trace.orientation == "h" for trace in traces)
    named = [trace for trace in traces if trace.name and trace.showlegend is not False]
    legend_px = _LEGEND_PX * len(named) if len(named) > 1 else 0
    height = min(int(layout.height or 400), _TALLEST_PX) + legend_px
    bars = _bars(traces, layout.barmode, lying=lying)
    ends = [(x, y) for bar in bars for x, y in (bar.one, bar.other)] + [
        point for trace in traces if trace.type == "scatter" for point in _points(trace)
    ]
    if not ends:
        return None
    left = _LABELS_PX if lying else _LEFT_PX
    x_axis = _axis(layout.xaxis, [x for x, _ in ends], left, _WIDTH - _RIGHT_PX)
    y_axis = _axis(layout.yaxis, [y for _, y in ends], height - _BOTTOM_PX, _TOP_PX + legend_px)
    shapes = [
        *_ticks(layout.xaxis, x_axis, [x for x, _ in ends], lambda at: (at, height - _BOTTOM_PX + 18, "middle")),
        *_ticks(layout.yaxis, y_axis, [y for _, y in ends], lambda at: (left - 8, at + 4, "end"), left / _CHAR_PX),
        *(_rectangle(bar, x_axis, y_axis) for bar in bars),
        *(_line(trace, place, x_axis, y_axis) for place, trace in enumerate(traces) if trace.type == "scatter"),
        *(_legend(trace, traces.index(trace), row) for row, trace in enumerate(named) if legend_px),
    ]
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img">{"".join(shapes)}</svg>'


@dataclass(frozen=True, slots=True)
class _Bar:
    one: tuple[float, float]
    other: tuple[float, float]
    colour: str


def _bars(traces: Sequence[Any], mode: str | None, *, lying: bool) -> list[_Bar]:
    bars = [trace for trace in traces if trace.type == "bar"]
    beside = 1 if mode in ("stack", "relative", "overlay") else max(1, len(bars))
    reached: defaultdict[tuple[float, bool], float] = defaultdict(float)
    drawn = []
    for place, trace in enumerate(bars):
        groups, lengths = (trace.y, trace.x) if lying else (trace.x, trace.y)
        width = _BAR_SHARE / beside
        for number, (group, length) in enumerate(zip(groups or (), lengths or (), strict=False)):
            if length is None:
                continue
            middle, size = _number(group), float(length)
            begin = reached[middle, size < 0] if mode in ("stack", "relative") else 0.0
            reached[middle, size < 0] = begin + size
            side = middle - _BAR_SHARE / 2 + width * (place % beside)
            corners = (side, begin), (side + width, begin + size)
            one, other = [(along, across) for across, along in corners] if lying else corners
            drawn.append(_Bar(one, other, _colour(trace, place, number)))
    return drawn


def _points(trace: Any) -> list[tuple[float, float]]:
    pairs = zip(trace.x if trace.x is not None else (), trace.y if trace.y is not None else (), strict=False)
    return [(_number(x), float(y)) for x, y in pairs if x is not None and y is not None]


def _number(value: Any) -> float:
    """Place a number, or a day by its seconds."""
    if isinstance(value, str):
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(value)


def _axis(looks: Any, values: Sequence[float], start: float, end: float) -> _Axis:
    low, high = (_number(side) for side in looks.range) if looks.range else (min(values), max(values))
    if looks.autorange == "reversed":
        low, high = high, low
    return _Axis(low, high, start, end)


def _ticks(
    looks: Any, axis: _Axis, values: Sequence[float], placed: Callable[[float], tuple[float, float, str]],
    most_chars: float = 16,
) -> list[str]:  # fmt: skip
    """Write the axis' own texts; days without texts are written at a few of the points."""
    if looks.tickvals is not None and looks.ticktext is not None:
        marks = [(_number(at), _said(text)) for at, text in zip(looks.tickvals, looks.ticktext, strict=False)]
    elif looks.type == "date":
        marks = [(at, f"{datetime.fromtimestamp(at, UTC):%b %Y}") for at in sorted(set(values))]
        marks = marks[:: -(-len(marks) // _MOST_TICKS)]
    else:
        return []
    texts = []
    for at, text in marks:
        x, y, anchor = placed(axis.at(at))
        short = text if len(text) <= most_chars else f"{text[: int(most_chars) - 1]}…"
        texts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(short)}</text>')
    return texts


def _rectangle(bar: _Bar, x_axis: _Axis, y_axis: _Axis) -> str:
    xs, ys = (
        sorted(x_axis.at(end[0]) for end in (bar.one, bar.other)),
        sorted(y_axis.at(end[1]) for end in (bar.one, bar.other)),
    )
    return (
        f'<rect x="{xs[0]:.1f}" y="{ys[0]:.1f}" width="{xs[1] - xs[0]:.1f}" height="{ys[1] - ys[0]:.1f}" '
        f'fill="{html.escape(bar.colour)}"/>'
    )


def _line(trace: Any, place: int, x_axis: _Axis, y_axis: _Axis) -> str:
    points = [(x_axis.at(x), y_axis.at(y)) for x, y in _points(trace)]
    colour = html.escape(_colour(trace, place, 0))
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    mode = trace.mode or "lines"
    line = f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>' if "lines" in mode else ""
    dots = (
        [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points] if "markers" in mode else ()
    )
    return line + "".join(dots)


def _legend(trace: Any, place: int, row: int) -> str:
    y = _TOP_PX + _LEGEND_PX * row
    colour = html.escape(_colour(trace, place, 0))
    return (
        f'<rect x="{_LEFT_PX}" y="{y}" width="10" height="10" fill="{colour}"/>'
        f'<text x="{_LEFT_PX + 16}" y="{y + 9}">{html.escape(_said(trace.name))}</text>'
    )


def _colour(trace: Any, place: int, number: int) -> str:
    """Return a trace's colour, or that of one of its bars; a gradient of numbers has none."""
    for colour in (trace.marker.color, trace.line.color if trace.type == "scatter" else None):
        if isinstance(colour, str):
            return colour
        if isinstance(colour, (tuple, list)) and number < len(colour) and isinstance(colour[number], str):
            return str(colour[number])
    return PALETTE[place % len(PALETTE)]


def _said(text: object) -> str:
    """Take Plotly's own markup away; what it escapes becomes the letters that it was."""
    return html.unescape(_MARKUP.sub(" ", str(text)))
