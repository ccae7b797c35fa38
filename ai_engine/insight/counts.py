"""How many rows a result has, and how many of them are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from ai_engine.insight.founded import dated_figures
from ai_engine.insight.reading import Reading

_FEW_OTHERS = 3


def rows_counted(reading: Reading) -> Iterator[Decimal]:
    """Yield the number of rows, names and points in time, and of rows with a figure, without one, with an extreme."""
    shape = reading.shape
    rows = shape.result.row_count
    yield Decimal(rows)
    yield from (Decimal(shape.distinct(position)) for position in (*shape.times, *shape.groups, *shape.names))
    for position in shape.measures:
        figures = [number for number in shape.numbers(position) if number is not None]
        if figures:
            yield Decimal(len(figures))
            yield Decimal(rows - len(figures))
            yield from (Decimal(figures.count(bound)) for bound in (max(figures), min(figures)))
        dated = dated_figures(reading, position)
        yield from (Decimal(count) for count in Counter(place for place, _ in dated).values())
        whole = [number for _, number in dated]
        if whole:
            yield Decimal(len(whole))
            yield from (Decimal(whole.count(bound)) for bound in (max(whole), min(whole)))


def others_counted(reading: Reading) -> Iterator[Decimal]:
    """Yield how many there are besides the first few that a text names."""
    shape = reading.shape
    counts = [shape.result.row_count]
    if reading.task.scope.within:  # "and 3 more" besides the groups whose first one is named
        counts += [shape.distinct(position) for position in (*shape.times, *shape.groups, *shape.names)]
    for count in counts:
        yield from (Decimal(max(count - named, 0)) for named in range(1, _FEW_OTHERS + 1))
