"""Figures that look at the other groups: shares, running totals, changes, ranks."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.dialects import divide, literal, ordered, wrapped
from ai_engine.semantics.compiler.facts import Group
from ai_engine.semantics.compiler.figures import Figure
from ai_engine.semantics.compiler.rows import Named
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import Measure

DEFAULT_WINDOW_ROWS = 3
_OF_PARTS = {"share_of_total": "a share", "running_total": "a running total", "rolling_sum": "a rolling sum"}


def transformed(
    figure: Figure,
    value: exp.Expr,
    measure: Measure,
    groups: tuple[Group, ...],
    columns: Named,
    setting: Setting,
) -> exp.Expr:
    """Return a figure after its measure's transform.

    Args:
        figure: what is transformed.
        value: what it is in one group.
        measure: says which transform.
        groups: the dimensions; the first that is a time orders the rows.
        columns: name and SQL of the dimensions, in the same order.
        setting: for the dialect.

    Raises:
        IntentNotCovered: the transform runs along time and no dimension is one, or it is of a whole and the groups'
            figures make none.
    """
    if measure.transform in _OF_PARTS and not figure.adds_up:
        raise IntentNotCovered(f"{_OF_PARTS[measure.transform]} is made of counts and sums, not of averages or ratios")
    match measure.transform:
        case None:
            return value
        case "share_of_total":
            total = exp.Window(this=exp.Sum(this=value.copy()))
            return divide(value, total, setting.dialect, 100)
        case "rank":
            order = exp.Order(expressions=[ordered(value.copy(), setting.dialect, descending=True)])
            return exp.Window(this=exp.Anonymous(this="RANK", expressions=[]), order=order)
        case "running_total":
            return _along_time(exp.Sum(this=value.copy()), groups, columns, setting)
        case "rolling_average" | "rolling_sum":
            rows = (measure.window or DEFAULT_WINDOW_ROWS) - 1
            frame = exp.WindowSpec(kind="ROWS", start=literal(rows), start_side="PRECEDING", end="CURRENT ROW")
            call = exp.Sum if measure.transform == "rolling_sum" else exp.Avg
            window = _along_time(call(this=value.copy()), groups, columns, setting)
            window.set("spec", frame)
            return window
        case "change" | "change_percent":
            before = _along_time(exp.Lag(this=value.copy()), groups, columns, setting)
            return difference(value, before, setting, percent=measure.transform == "change_percent")


def difference(now: exp.Expr, before: exp.Expr, setting: Setting, *, percent: bool) -> exp.Expr:
    """Return how much a figure grew, absolutely or in percent of what it was."""
    growth = exp.Sub(this=wrapped(now), expression=wrapped(before))
    return divide(growth, before, setting.dialect, 100) if percent else growth


def _along_time(call: exp.Expr, groups: tuple[Group, ...], columns: Named, setting: Setting) -> exp.Window:
    position = time_position(groups, setting)
    if position is None:
        raise IntentNotCovered("running along time needs a time to group by")
    within = [value.copy() for index, (_, value) in enumerate(columns) if index != position]
    nullable = setting.dialect != "mysql"  # it cannot sort missing values last inside a frame
    order = exp.Order(
        expressions=[ordered(columns[position][1].copy(), setting.dialect, descending=False, nullable=nullable)]
    )
    return exp.Window(this=call, partition_by=within, order=order)


def time_position(groups: tuple[Group, ...], setting: Setting) -> int | None:
    """Return the position of the first dimension that is a time."""
    for index, group in enumerate(groups):
        ref = group.dimension.field
        if (ref.grain is not None and ref.grain != "age_years") or setting.field(ref).role == "time":
            return index
    return None
