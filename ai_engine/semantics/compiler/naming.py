"""Names that a person can read for the columns of a result."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, count

import sqlglot
from sqlglot import exp

from ai_engine.semantics.compiler.leaves import Leaf
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Filter, Measure
from ai_engine.semantics.restatement import GRAIN_WORDS, plural
from ai_engine.semantics.wording import scale_words
from ai_engine.types import OutputColumn

_PREFIXES = {
    "sum": "total", "avg": "average", "min": "lowest", "max": "highest", "median": "median", "stddev": "stddev",
    "count_distinct": "distinct", "count": "number_of",
}  # fmt: skip
_PERCENT_WORDS = frozenset({"percent", "percentage", "pct", "share", "rate", "ratio"})
_TIME_PREFIXES = {"min": "earliest", "max": "latest"}


def slug(text: str) -> str:
    """Turn words into a column name: lower case, underscores, not starting with a digit."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "value"
    return f"n_{name}" if name[0].isdigit() else name


class Names:
    """Gives out names once each."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def unique(self, *wanted: str) -> str:
        """Return the first name that is free, numbering the last one when none is."""
        choices = chain(wanted, (f"{wanted[-1]}_{number}" for number in count(2)))
        name = next(name for name in choices if name.lower() not in self._taken)
        self._taken.add(name.lower())
        return name


def column_words(setting: Setting) -> Iterable[str]:
    """Return the names of the columns behind all fields and of partition columns."""
    for dataset in setting.model.datasets:
        yield from (item.expression.strip('"') for item in dataset.fields)
        yield from (item.column for item in dataset.partitions)


def group_names(dimension: Dimension, setting: Setting) -> tuple[str, ...]:
    """Return names for a dimension, best first."""
    ref = dimension.field
    field = setting.field(ref)
    label = slug(field.label)
    if ref.grain is not None:
        grain = slug(GRAIN_WORDS[ref.grain])
        if dimension.edges:
            return (f"{grain}_band", f"{label}_{grain}_band")
        return (grain, f"{label}_{grain}")
    owner = slug(setting.dataset(ref.dataset).label)
    via = [slug(f"{name}_{label}") for name in ref.via]
    if dimension.edges:
        return (f"{label}_band", f"{owner}_{label}_band", *via)
    return (label, f"{owner}_{label}", *via)


def column_names(ref: FieldRef, setting: Setting) -> tuple[str, ...]:
    """Return names for a listed column, best first."""
    return group_names(Dimension(field=ref), setting)


def measure_name(measure: Measure, setting: Setting) -> str:
    """Return the name of a measure's column, its transform included."""
    if measure.label:
        name = slug(measure.label)
        is_percent = measure.transform == "change_percent" or measure.percent
        return f"{name}_percent" if is_percent and not _PERCENT_WORDS & set(name.split("_")) else name
    name = _base_name(measure, setting) + "".join(f"_{word}" for word in _filter_words(measure.filters))
    if measure.denominator is not None:
        below = measure_name(measure.denominator, setting)
        if measure.denominator == Measure(aggregate="count", dataset=measure.denominator.dataset):
            below = slug(setting.dataset(str(measure.denominator.dataset)).label)
        name = f"{name}_percent" if measure.percent else f"{name}_per_{below}"
    if measure.minus is not None:
        name = f"{name}_minus_{_taken_off_name(measure, measure.minus, setting)}"
    if measure.shown_in is not None:
        name = f"{name}_in_{slug(scale_words(measure.shown_in))}"
    words = {
        None: "{}", "share_of_total": "{}_share", "running_total": "running_{}",
        "rolling_average": "{}_rolling_average", "rolling_sum": "{}_rolling_sum",
        "change": "{}_change", "change_percent": "{}_change_percent", "rank": "{}_rank",
    }  # fmt: skip
    return words[measure.transform].format(name)[:60].rstrip("_")


def _taken_off_name(measure: Measure, minus: Measure, setting: Setting) -> str:
    """Name only what is different where the same figure of other rows is subtracted: savings minus current."""
    words = "_".join(_filter_words(minus.filters))
    bare = {"filters": (), "minus": None, "transform": None, "label": None}
    same = measure.model_copy(update=bare) == minus.model_copy(update=bare)
    return words if words and same and minus.minus is None else measure_name(minus, setting)


def leaf_name(leaf: Leaf, setting: Setting) -> str:
    """Return a name for one aggregate of a common table expression."""
    if leaf.call is None:
        return measure_name(
            Measure(aggregate=leaf.aggregate, field=leaf.argument, dataset=leaf.dataset, quantile=leaf.quantile,
                    filters=leaf.filters, weight=leaf.weight), setting,
        )  # fmt: skip
    tree = sqlglot.parse_one(leaf.call)
    tree = tree.this if isinstance(tree, exp.Filter) else tree
    column = tree.find(exp.Column)
    if isinstance(tree, exp.Sum | exp.Avg | exp.Min | exp.Max) and isinstance(tree.this, exp.Column):
        return slug(f"{_PREFIXES[tree.key]} {tree.this.name}")
    return slug(f"{tree.key} {column.name if column else leaf.dataset}")


def _base_name(measure: Measure, setting: Setting) -> str:
    if measure.metric is not None:
        return slug(measure.metric)
    aggregate = measure.aggregate
    if measure.field is None:
        return slug(plural(setting.dataset(str(measure.dataset)).label))
    field = setting.field(measure.field)
    aggregate = aggregate or field.default_aggregate or "sum"
    label = GRAIN_WORDS[measure.field.grain] if measure.field.grain else field.label
    if aggregate == "median" and measure.quantile not in (None, 0.5):
        return slug(f"p{float(measure.quantile or 0) * 100:g} {label}")
    prefixes = _TIME_PREFIXES if field.role == "time" and measure.field.grain is None else _PREFIXES
    prefix = "weighted_average" if measure.weight else prefixes.get(aggregate, _PREFIXES[aggregate])
    return slug(f"{prefix} {plural(label) if aggregate in ('count', 'count_distinct') else label}")


def _filter_words(filters: Iterable[Filter]) -> Iterable[str]:
    for item in filters:
        if isinstance(item, Condition) and item.operator in ("=", "in"):
            yield from (slug(str(value)) for value in item.values)


def measure_unit(measure: Measure, setting: Setting) -> str | None:
    """Return the unit of a measure's column."""
    if measure.transform in ("share_of_total", "change_percent") or (
        measure.denominator is not None and measure.percent
    ):
        return "percent"
    if measure.transform == "rank" or measure.shown_in is not None:
        return None
    if measure.metric is not None:
        unit = setting.model.metric(measure.metric).unit
    elif measure.field is None or measure.aggregate in ("count", "count_distinct"):
        unit = "count"
    else:
        unit = "years" if measure.field.grain == "age_years" else setting.field(measure.field).unit
    if measure.minus is not None:
        return unit if unit == measure_unit(measure.minus, setting) else None
    if measure.denominator is None:
        return unit
    below = measure_unit(measure.denominator, setting)
    return unit if below == "count" and unit != "count" else None


def measure_column(name: str, label: str, measure: Measure, setting: Setting) -> OutputColumn:
    """Describe a measure's column."""
    is_time = measure.field is not None and measure.aggregate in ("min", "max") and measure.transform is None
    if (
        is_time
        and measure.field is not None
        and setting.field(measure.field).role == "time"
        and not measure.field.grain
    ):
        return OutputColumn(name, label, None, "time")
    return OutputColumn(name, label, measure_unit(measure, setting), "measure")


def group_column(name: str, label: str, dimension: Dimension, setting: Setting) -> OutputColumn:
    """Describe a dimension's or a listed field's column."""
    field, ref = setting.field(dimension.field), dimension.field
    if dimension.edges:
        return OutputColumn(name, label)
    if ref.grain == "age_years":
        return OutputColumn(name, label, "years")
    if ref.grain is not None:
        cyclic = ref.grain in ("hour_of_day", "weekday", "day_of_month", "month_of_year")
        return OutputColumn(name, label, None, "category" if cyclic else "time")
    role = {"identifier": "identifier", "measure": "measure", "time": "time", "text": "text"}.get(
        field.role, "category"
    )
    return OutputColumn(name, label, field.unit, role)  # type: ignore[arg-type]
