"""Tables with a row per thing and date: a balance is added up over things, never over dates."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.grains import TRUNCATED
from ai_engine.semantics.compiler.leaves import Leaf, dated_by
from ai_engine.semantics.compiler.predicates import FigureOverAll, Predicates
from ai_engine.semantics.compiler.scope import Scope, Setting, field_expression, seen_at, table_column
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Filter, Membership, Period
from ai_engine.semantics.model import Dataset
from ai_engine.semantics.restatement import GRAIN_WORDS
from ai_engine.semantics.spelled_days import stored_day
from ai_engine.semantics.wording import plural

_OVER_DATES = frozenset({"avg", "min", "max", "median", "stddev", "count_distinct"})


def as_of_latest(
    setting: Setting,
    leaf: Leaf,
    *,
    groups: Sequence[FieldRef],
    filters: Sequence[Filter],
    period: Period | None,
) -> bool:
    """Tell whether a figure is of one date of its snapshots, not of all of them.

    Args:
        setting: what is fixed.
        leaf: the figure.
        groups: what it is grouped by, as its rows see it.
        filters: what its rows must satisfy, apart from its own filters.
        period: the days it is about.

    Raises:
        IntentNotCovered: the figure adds up what was kept on several days.
    """
    dataset = setting.dataset(leaf.dataset)
    if dataset.snapshot_time is None:
        return False
    read = [ref for ref in leaf.fields() if ref.dataset == dataset.name]
    if _flows(dataset, read) or any(tells_date(setting, dataset, ref) for ref in read):
        return False
    own = FieldRef(dataset=dataset.name, field=dataset.snapshot_time)
    if period is not None and _is_over_dates(leaf) and dated_by(period, leaf) == own:
        return False
    if any(tells_date(setting, dataset, ref) and not _is_step(ref) for ref in groups):
        return False
    if not _is_over_dates(leaf) and _spans_dates(setting, dataset, leaf.filters):
        raise IntentNotCovered(f"{plural(dataset.label)} of several days are not added up; ask for one day")
    return not any(tells_date(setting, dataset, ref) for ref in _fields_of((*filters, *leaf.filters)))


def _spans_dates(setting: Setting, dataset: Dataset, filters: Sequence[Filter]) -> bool:
    """Tell whether a figure's own conditions leave it more than one date."""
    dated = [item for item in filters if isinstance(item, Condition) and tells_date(setting, dataset, item.field)]
    return bool(dated) and not any(item.operator == "=" for item in dated)


def is_of_each_date(setting: Setting, leaf: Leaf, groups: Sequence[FieldRef]) -> bool:
    """Tell whether a figure is grouped by the dates of its snapshots, so that its groups have no total."""
    dataset = setting.dataset(leaf.dataset)
    if dataset.snapshot_time is None or not any(tells_date(setting, dataset, ref) for ref in groups):
        return False
    return not _flows(dataset, [ref for ref in leaf.fields() if ref.dataset == dataset.name])


def _flows(dataset: Dataset, read: Sequence[FieldRef]) -> bool:
    return bool(read) and all(ref.field in dataset.flows for ref in read)


def latest(
    setting: Setting,
    leaf: Leaf,
    alias: str,
    figure: FigureOverAll,
    *,
    groups: Sequence[FieldRef] = (),
    period: Period | None = None,
) -> exp.Expr:
    """Return the condition that a row of `alias` is of the latest date, or of the last one of each step of time.

    Arguments as in `as_of_latest`, which must hold.
    """
    dataset = setting.dataset(leaf.dataset)
    own = FieldRef(dataset=dataset.name, field=str(dataset.snapshot_time))
    inner = Scope(setting, dataset.name)
    query_column, column = _column(dataset, inner.alias, setting), _column(dataset, alias, setting)
    query = inner.select().select(exp.Max(this=query_column))
    within = period if period is not None and dated_by(period, leaf) == own else None
    if within is not None:
        query = query.where(*Predicates(inner, None, figure).period(within, own))
    step = next((ref for ref in groups if ref.dataset == dataset.name and ref.field == own.field), None)
    during = f" in {within.label}" if within is not None and step is None else ""
    if step is None:
        setting.note(f"{plural(dataset.label).capitalize()} count as of their latest date{during}.")
        return exp.EQ(this=column, expression=exp.Subquery(this=query))
    found = setting.field(own)
    moment = field_expression(found, inner.alias, setting.dialect)
    query = query.group_by(seen_at(moment, step, found, setting))
    setting.note(f"{plural(dataset.label).capitalize()} count as of the last date of each {_step_words(step)}.")
    return exp.In(this=column, query=exp.Subquery(this=query))


def tells_date(setting: Setting, dataset: Dataset, ref: FieldRef) -> bool:
    """Tell whether a field is the date of a dataset's snapshots, its key, or of the date dimension it points at."""
    time = str(dataset.snapshot_time)
    stored = stored_day(dataset.field(time).expression)
    column = stored[0] if stored else dataset.field(time).expression
    if ref.dataset == dataset.name:
        return ref.field == time or setting.field(ref).expression == column
    links = setting.model.relationships_of(dataset.name)
    return any(
        link.from_dataset == dataset.name and link.to_dataset == ref.dataset and link.from_columns == (column,)
        for link in links
    )


def _column(dataset: Dataset, alias: str, setting: Setting) -> exp.Expr:
    item = dataset.field(str(dataset.snapshot_time))
    stored = stored_day(item.expression)
    if stored is not None:
        return table_column(alias, stored[0], setting.dialect)
    return field_expression(item, alias, setting.dialect)


def _is_over_dates(leaf: Leaf) -> bool:
    """Tell whether a figure means something over all dates of a period: an average, the highest, different things."""
    called = leaf.call.partition("(")[0].lower() if leaf.call else leaf.aggregate
    return called in _OVER_DATES


def _is_step(ref: FieldRef) -> bool:
    return ref.grain in TRUNCATED and ref.grain not in ("hour", "day")


def _step_words(ref: FieldRef) -> str:
    return GRAIN_WORDS[ref.grain] if ref.grain in GRAIN_WORDS else str(ref.grain)


def _fields_of(filters: Sequence[Filter]) -> list[FieldRef]:
    found: list[FieldRef] = []
    for item in filters:
        match item:
            case Condition():
                found.append(item.field)
            case AnyOf():
                found += _fields_of(item.filters)
            case Membership():
                pass
    return found
