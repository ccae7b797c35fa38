"""Which charts a result can carry, and which one shows it best; what is drawn is decided here, how is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from ai_engine.insight.amounts import format_cell
from ai_engine.insight.chart_axes import NARROW_AXIS_CHARS, ChartAxes, panels_of
from ai_engine.insight.dates import cycle_of
from ai_engine.insight.shape import ResultShape, read_shape
from ai_engine.types import ChartKind, OutputColumn, QueryResult

_MOST_BARS = 50
_UPRIGHT_BARS = 8
_UPRIGHT_LABEL_CHARS = 14
_MOST_BAR_SERIES = 6
_SUGGESTED_BAR_SERIES = 3
_SUGGESTED_BAR_GROUPS = 8
_MOST_PANELS = 3
_PANELS_OF_BARS = 12
_MOST_LINES = 10
_MOST_LAYERS = 8
_FEWEST_STEPS = 3
_MOST_SLICES = 6
_MOST_TILES = 40
_TWO_GROUPINGS = 2
_MOST_EMPTY = 4  # of so many tiles one is filled at the least
_MOST_METRICS = 4
_FEWEST_POINTS = 3
_FEWEST_FOR_HISTOGRAM = 5
_TYPICAL_FOR_HISTOGRAM = 12
_MOST_POINT_COLOURS = 6
_WHOLE_PERCENT = Decimal(100)
_ROUNDING_SLACK = Decimal("0.5")


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
    figures = shape.figures()
    if kind == "table" or not _FITS[kind](shape):
        return ChartAxes()
    if kind == "metric":
        return ChartAxes(panels=(figures,))
    if kind == "histogram":
        return ChartAxes(panels=(figures[:1],))
    if kind == "scatter":
        return ChartAxes(figures[0], _point_colours(shape), (figures[1:2],))
    axis, series = _axis(shape), _series(shape)
    if (
        kind == "heatmap"
        and axis is not None
        and series is not None
        and not shape.times
        and not _is_cyclic(shape, axis)
    ):
        axis, series = sorted((axis, series), key=lambda place: _chars_across(shape, place))
    if series is not None or kind in {"pie", "area"}:
        return ChartAxes(axis, series, (figures[:1],))
    return ChartAxes(axis, None, panels_of(shape))


def _is_cyclic(shape: ResultShape, position: int) -> bool:
    return cycle_of(shape.columns[position], shape.cells(position)) is not None


def _chars_across(shape: ResultShape, position: int) -> int:
    """Count the characters that the different cells of a column take side by side."""
    return sum(len(format_cell(cell, shape.columns[position])) + 1 for cell in set(shape.cells(position)))


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
    """Two things of one name are two, where a key beside the name tells them apart."""
    labels = _labels(shape)
    keys = shape.keys() if len(labels) == 1 and not shape.times else ()
    return len(labels) <= 2 and shape.distinct(*labels, *keys) == shape.result.row_count


def _series_count(shape: ResultShape) -> int:
    series = _series(shape)
    return max(map(len, panels_of(shape)), default=0) if series is None else shape.distinct(series)


def _has_numbers(shape: ResultShape) -> bool:
    return any(row[i] is not None for i in shape.figures() for row in shape.result.rows)


def _never_negative(shape: ResultShape) -> bool:
    return all(number is None or number >= 0 for i in shape.figures() for number in shape.numbers(i))


def _few_panels(shape: ResultShape) -> bool:
    """Panels need room: of many figures no more are drawn than can be read below each other."""
    return _series(shape) is not None or len(panels_of(shape)) <= _MOST_PANELS


def _fits_metric(shape: ResultShape) -> bool:
    beside = len({*shape.times, *shape.groups, *shape.names} - set(shape.keys()))
    return shape.result.row_count == 1 and 1 <= len(shape.measures) <= _MOST_METRICS and beside <= 1


def _fits_line(shape: ResultShape) -> bool:
    return (
        len(shape.times) == 1
        and _has_numbers(shape)
        and shape.distinct(shape.times[0]) >= 2
        and _one_row_each(shape)
        and _series_count(shape) <= _MOST_LINES
        and _few_panels(shape)
    )


def _fits_area(shape: ResultShape) -> bool:
    one_figure = _series(shape) is not None or len(shape.figures()) == 1
    whole = not any(shape.columns[i].part_steps for i in shape.times)  # layers would join a part as if it were whole
    return (
        _fits_line(shape) and whole and _never_negative(shape) and one_figure and _series_count(shape) <= _MOST_LAYERS
    )


def _fits_bar(shape: ResultShape) -> bool:
    axis = _axis(shape)
    return (
        axis is not None
        and shape.result.row_count >= 2
        and _has_numbers(shape)
        and 2 <= _places(shape) <= _MOST_BARS
        and _one_row_each(shape)
        and _series_count(shape) <= _MOST_BAR_SERIES
        and _few_panels(shape)
    )


def _places(shape: ResultShape) -> int:
    """Count what stands side by side on the axis."""
    axis = _axis(shape)
    return shape.result.row_count if _series(shape) is None or axis is None else shape.distinct(axis)


def _fits_horizontal_bar(shape: ResultShape) -> bool:
    return _fits_bar(shape) and not shape.times


def _fits_pie(shape: ResultShape) -> bool:
    if shape.result.truncated or shape.times or not _fits_bar(shape) or len(_labels(shape)) != 1:
        return False
    if len(shape.figures()) != 1:
        return False
    figure = shape.figures()[0]
    numbers = shape.numbers(figure)
    if any(number is None or number < 0 for number in numbers) or not 2 <= len(numbers) <= _MOST_SLICES:
        return False
    total = sum((number for number in numbers if number is not None), Decimal(0))
    column = shape.columns[figure]
    return total > 0 and (_is_whole(total) if column.unit == "percent" else column.adds_up)


def _is_whole(total: Decimal) -> bool:
    return abs(total - _WHOLE_PERCENT) <= _ROUNDING_SLACK


def _fits_scatter(shape: ResultShape) -> bool:
    figures = shape.figures()
    if len(figures) < 2 or shape.times or shape.is_compared():
        return False
    pairs = zip(shape.numbers(figures[0]), shape.numbers(figures[1]), strict=True)
    return sum(a is not None and b is not None for a, b in pairs) >= _FEWEST_POINTS


def _point_colours(shape: ResultShape) -> int | None:
    """Groups colour points only where each has several; a name of its own for every point is no legend."""
    if len(shape.groups) != 1:
        return None
    different = shape.distinct(shape.groups[0])
    return shape.groups[0] if different <= min(_MOST_POINT_COLOURS, shape.result.row_count // 2) else None


def _fits_histogram(shape: ResultShape) -> bool:
    if len(shape.figures()) != 1 or shape.times or shape.groups or shape.result.truncated:
        return False
    return sum(number is not None for number in shape.numbers(shape.figures()[0])) >= _FEWEST_FOR_HISTOGRAM


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
    if _fits_line(shape) and shape.distinct(shape.times[0]) >= _FEWEST_STEPS:
        return "line"
    if _fits_heatmap(shape) and not (_fits_bar(shape) and _is_small(shape)) and _is_filled(shape):
        return "heatmap"
    if _fits_pie(shape) and shape.columns[shape.figures()[0]].unit == "percent":
        return "pie"
    if _fits_scatter(shape) and _is_summary(shape) and _places(shape) > _PANELS_OF_BARS:
        return "scatter"
    if _fits_bar(shape) and _is_summary(shape) and _is_filled(shape):
        return "bar" if shape.times or _fits_upright(shape) else "horizontal_bar"
    if _fits_scatter(shape) and not shape.groups:
        return "scatter"
    if _fits_histogram(shape) and shape.result.row_count >= _TYPICAL_FOR_HISTOGRAM:
        return "histogram"
    return "table"


def _is_small(shape: ResultShape) -> bool:
    """Few bars beside each other are compared more easily than shades."""
    return _series_count(shape) <= _SUGGESTED_BAR_SERIES and _places(shape) <= _SUGGESTED_BAR_GROUPS


def _is_filled(shape: ResultShape) -> bool:
    """A few records with a customer and a branch each leave most of a heatmap, or of its bars, empty: a list."""
    places = (*shape.times, *shape.groups)
    tiles = shape.distinct(places[0]) * shape.distinct(places[1]) if len(places) == _TWO_GROUPINGS else 0
    return shape.result.row_count * _MOST_EMPTY >= tiles


def _is_summary(shape: ResultShape) -> bool:
    """A list of records with several names each is read, not compared; the key beside a name is no second name."""
    keys = shape.keys()
    words = len(shape.names) - len(keys)
    if shape.groups:
        return not words and len(keys) <= 1 and (not keys or len(shape.groups) == 1)
    return words <= 1 and len(keys) <= 1


def _fits_upright(shape: ResultShape) -> bool:
    axis = _axis(shape)
    if axis is None or _places(shape) > _UPRIGHT_BARS or len(panels_of(shape)) > 1 or shape.is_compared():
        return False
    longest = max(len(format_cell(cell, shape.columns[axis])) for cell in shape.cells(axis))
    return longest <= _UPRIGHT_LABEL_CHARS and _places(shape) * (longest + 1) <= NARROW_AXIS_CHARS
