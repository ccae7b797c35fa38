"""Which charts a result can carry, and which one shows it best; what is drawn is decided here, how is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.insight.amounts import format_cell
from ai_engine.insight.shape import ResultShape, read_shape
from ai_engine.types import ChartKind, OutputColumn, QueryResult

NARROW_AXIS_CHARS = 48
"""As many characters stand side by side below a chart on a phone before labels are turned."""
_MOST_BARS = 30
_UPRIGHT_BARS = 8
_UPRIGHT_LABEL_CHARS = 14
_MOST_SERIES = 10
_MOST_SLICES = 6
_MOST_TILES = 40
_MOST_METRICS = 4
_FEWEST_POINTS = 3
_FEWEST_FOR_HISTOGRAM = 5
_TYPICAL_FOR_HISTOGRAM = 12
_WHOLE_PERCENT = Decimal(100)
_ROUNDING_SLACK = Decimal("0.5")


@dataclass(frozen=True, slots=True)
class ChartAxes:
    """Result columns that a chart draws.

    Attributes:
        x: axis of groups, points in time or, for a scatter, numbers; None where the chart has no such axis.
        series: column whose values become colours, or the second axis of a heatmap.
        values: measures drawn, all of one unit unless each is a figure of its own (a metric); a scatter has one, its y.
    """

    x: int | None
    series: int | None
    values: tuple[int, ...]


def possible_charts(result: QueryResult, columns: Sequence[OutputColumn]) -> tuple[ChartKind, ...]:
    """List every chart that fits a result, the suggested one first; a table always fits."""
    shape = read_shape(result, columns)
    best = _best(shape)
    return (best, *(kind for kind in _FITS if kind != best and _FITS[kind](shape)))


def suggest_chart(result: QueryResult, columns: Sequence[OutputColumn]) -> ChartKind:
    """Choose a chart from the shape of a result alone."""
    return _best(read_shape(result, columns))


def fitting_chart(kind: ChartKind, result: QueryResult, columns: Sequence[OutputColumn]) -> ChartKind:
    """Keep a suggestion that the columns can carry, otherwise choose by rule."""
    shape = read_shape(result, columns)
    return kind if _FITS[kind](shape) else _best(shape)


def chart_axes(kind: ChartKind, result: QueryResult, columns: Sequence[OutputColumn]) -> ChartAxes:
    """Say which columns a fitting chart draws; for a table and a chart that does not fit, none."""
    shape = read_shape(result, columns)
    if kind == "table" or not _FITS[kind](shape):
        return ChartAxes(None, None, ())
    if kind == "metric":
        return ChartAxes(None, None, shape.measures)
    if kind == "histogram":
        return ChartAxes(None, None, shape.measures[:1])
    if kind == "scatter":
        return ChartAxes(shape.measures[0], _only(shape.groups), shape.measures[1:2])
    axis = _axis(shape)
    series = _series(shape)
    return ChartAxes(axis, series, shape.measures[:1] if series is not None or kind == "pie" else shape.alike())


def _only(positions: tuple[int, ...]) -> int | None:
    return positions[0] if len(positions) == 1 else None


def _labels(shape: ResultShape) -> tuple[int, ...]:
    """Columns that can stand on an axis; where rows bear only a name, the name is the group."""
    groups = (*shape.times, *shape.groups)
    if groups:
        return groups
    spoken = tuple(i for i in shape.names if shape.columns[i].role == "text")
    return spoken[:1] or shape.names[:1]


def _axis(shape: ResultShape) -> int | None:
    """The axis is the run of time, else the column with most different values."""
    labels = _labels(shape)
    if shape.times:
        return shape.times[0]
    return max(labels, key=lambda i: (shape.distinct(i), -i)) if labels else None


def _series(shape: ResultShape) -> int | None:
    axis = _axis(shape)
    return next((i for i in _labels(shape) if i != axis), None)


def _one_row_each(shape: ResultShape) -> bool:
    labels = _labels(shape)
    return len(labels) <= 2 and shape.distinct(*labels) == shape.result.row_count


def _series_count(shape: ResultShape) -> int:
    series = _series(shape)
    return len(shape.alike()) if series is None else shape.distinct(series)


def _has_numbers(shape: ResultShape) -> bool:
    return any(number is not None for i in shape.alike() for number in shape.numbers(i))


def _never_negative(shape: ResultShape) -> bool:
    return all(number is None or number >= 0 for i in shape.alike() for number in shape.numbers(i))


def _fits_metric(shape: ResultShape) -> bool:
    beside = len(shape.times) + len(shape.groups) + len(shape.names)
    return shape.result.row_count == 1 and 1 <= len(shape.measures) <= _MOST_METRICS and beside <= 1


def _fits_line(shape: ResultShape) -> bool:
    return (
        len(shape.times) == 1
        and _has_numbers(shape)
        and shape.distinct(shape.times[0]) >= 2
        and _one_row_each(shape)
        and _series_count(shape) <= _MOST_SERIES
    )


def _fits_area(shape: ResultShape) -> bool:
    return _fits_line(shape) and _never_negative(shape) and (_series(shape) is not None or len(shape.alike()) == 1)


def _fits_bar(shape: ResultShape) -> bool:
    axis = _axis(shape)
    return (
        axis is not None
        and 2 <= shape.result.row_count <= _MOST_BARS * _MOST_SERIES
        and _has_numbers(shape)
        and 2 <= shape.distinct(axis) <= _MOST_BARS
        and _one_row_each(shape)
        and _series_count(shape) <= _MOST_SERIES
    )


def _fits_horizontal_bar(shape: ResultShape) -> bool:
    return _fits_bar(shape) and not shape.times


def _fits_pie(shape: ResultShape) -> bool:
    if shape.result.truncated or shape.times or not _fits_bar(shape) or len(_labels(shape)) != 1:
        return False
    numbers = shape.numbers(shape.measures[0])
    if any(number is None or number < 0 for number in numbers) or not 2 <= len(numbers) <= _MOST_SLICES:
        return False
    total = sum((number for number in numbers if number is not None), Decimal(0))
    figure = shape.columns[shape.measures[0]]
    return total > 0 and (_is_whole(total) if figure.unit == "percent" else figure.adds_up)


def _is_whole(total: Decimal) -> bool:
    return abs(total - _WHOLE_PERCENT) <= _ROUNDING_SLACK


def _fits_scatter(shape: ResultShape) -> bool:
    if len(shape.measures) < 2 or shape.times:
        return False
    pairs = zip(shape.numbers(shape.measures[0]), shape.numbers(shape.measures[1]), strict=True)
    return sum(a is not None and b is not None for a, b in pairs) >= _FEWEST_POINTS


def _fits_histogram(shape: ResultShape) -> bool:
    if len(shape.measures) != 1 or shape.times or shape.groups:
        return False
    return sum(number is not None for number in shape.numbers(shape.measures[0])) >= _FEWEST_FOR_HISTOGRAM


def _fits_heatmap(shape: ResultShape) -> bool:
    labels = (*shape.times, *shape.groups)
    return (
        len(labels) == 2
        and not shape.names
        and _has_numbers(shape)
        and all(2 <= shape.distinct(i) <= _MOST_TILES for i in labels)
        and shape.distinct(*labels) == shape.result.row_count
    )


def _fits_table(_shape: ResultShape) -> bool:
    return True


_FITS: dict[ChartKind, Callable[[ResultShape], bool]] = {
    "metric": _fits_metric,
    "line": _fits_line,
    "area": _fits_area,
    "bar": _fits_bar,
    "horizontal_bar": _fits_horizontal_bar,
    "pie": _fits_pie,
    "scatter": _fits_scatter,
    "histogram": _fits_histogram,
    "heatmap": _fits_heatmap,
    "table": _fits_table,
}


def _best(shape: ResultShape) -> ChartKind:
    if _fits_metric(shape):
        return "metric"
    if _fits_line(shape):
        return "line"
    if _fits_heatmap(shape):
        return "heatmap"
    if _fits_pie(shape) and shape.columns[shape.measures[0]].unit == "percent":
        return "pie"
    if _fits_bar(shape) and _is_summary(shape):
        return "bar" if shape.times or _fits_upright(shape) else "horizontal_bar"
    if _fits_scatter(shape) and not shape.groups:
        return "scatter"
    if _fits_histogram(shape) and shape.result.row_count >= _TYPICAL_FOR_HISTOGRAM:
        return "histogram"
    return "table"


def _is_summary(shape: ResultShape) -> bool:
    """A list of records with several names each is read, not compared; the key beside a name is no second name."""
    keys = [i for i in shape.names if shape.columns[i].role == "identifier"]
    words = len(shape.names) - len(keys)
    if shape.groups:
        return not words and len(keys) <= 1 and (not keys or len(shape.groups) == 1)
    return words <= 1 and len(keys) <= 1


def _fits_upright(shape: ResultShape) -> bool:
    axis = _axis(shape)
    if axis is None or shape.distinct(axis) > _UPRIGHT_BARS:
        return False
    longest = max(len(format_cell(cell, shape.columns[axis])) for cell in shape.cells(axis))
    return longest <= _UPRIGHT_LABEL_CHARS and shape.distinct(axis) * (longest + 1) <= NARROW_AXIS_CHARS
