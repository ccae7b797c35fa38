"""Figures: counts, aggregates of amounts, metrics, and what narrows them."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Fig, Kind, Mod, Related, Rows, When
from ai_engine.built_in.grammar.questions import narrow_fig
from ai_engine.built_in.grammar.reasons import Priced, Reason, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import how_many, one_of_them
from ai_engine.built_in.meanings import Days, Step
from ai_engine.built_in.scales import Adjective
from ai_engine.semantics.intent import FieldRef, Measure
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.words import stem, words

says = Constructions()


# -- counts ------------------------------------------------------------------------------------------------------


@says("Fig", "-:aggregate=count Rows", "how many accounts in Pune")
@says("Fig", "-:aggregate=count Rows -:aggregate=sum", "how many accounts in total")
@says("Fig", "Rows -:stop? -:weak", "UPI numbers")
def count(s: Schema, rows: Rows) -> Priced:
    return Priced(s.count(rows), () if rows.named else ("a value alone is counted",))


@says("Fig", "Rows -:stop? -:aggregate=count", "customers with exactly one account, how many")
def count_of_all_said(s: Schema, rows: Rows) -> Priced:
    """What was said first is counted, and not what it has."""
    found = count(s, rows)
    return replace(found, value=replace(found.value, said_last=True))


@says("Fig", "total Rows", "total customers")
def total_rows(s: Schema, rows: Rows) -> Priced | None:
    if rows.dataset in s.knows.holding_people or s.main_figure(rows) is None:
        return Priced(s.count(rows))
    if s.are_money(rows):
        return None
    alone: tuple[Reason, ...] = () if rows.named else ("a value alone is counted",)
    return Priced(s.count(rows), ("rows that have amounts are counted", *alone))


@says("Fig", "-:distinct Rows", "unique customers with a loan")
def different_rows(s: Schema, rows: Rows) -> Fig | None:
    return s.count(rows) if rows.narrowed and not rows.bounds else None


@says("Fig", "-:list? -:aggregate=count Fig", "count the number of customers")
def counted_twice(s: Schema, fig: Fig) -> Fig | None:
    metric = s.knows.model.metric(fig.core.metric) if fig.core.metric else None
    counts = fig.core.aggregate in {"count", "count_distinct"} or (metric is not None and metric.unit == "count")
    return fig if counts and not fig.over else None


@says("Fig", "-:aggregate=count -:distinct? Field", "how many different cities")
@says("Fig", "-:distinct Field", "distinct segments")
def count_distinct(s: Schema, field: FieldRef) -> Priced:
    names_each = s.field(field).role == "name" or (field.field,) in s.knows.dataset(field.dataset).unique_keys
    return Priced(_of_field("count_distinct", field), ("names instead of rows",) if names_each else ())


# -- amounts -----------------------------------------------------------------------------------------------------


@says("Fig", "-:aggregate=sum? Metric", "total deposits")
@says("Fig", "-:amount -:what? Fig", "how much outstanding")
def as_it_is(s: Schema, fig: Fig) -> Fig | None:
    return fig if fig.core.aggregate != "count" else None


@says("Fig", ":aggregate Amt", "average balance")
@says("Fig", "Amt -:stop? :aggregate", "balance, average")
def aggregated(s: Schema, *given: object) -> Fig | None:
    field = next(item for item in given if isinstance(item, FieldRef))
    aggregate = next(item for item in given if isinstance(item, str))
    if aggregate == "count" or (aggregate == "sum" and not s.may_be_added(field)):
        return None  # rates and ages do not add up
    return _of_field(aggregate, field)


def _of_field(aggregate: str, field: FieldRef) -> Fig:
    return Fig(Measure(aggregate=aggregate, field=field), Rows(field.dataset))


@says("Fig", ":aggregate? -:amount -of? Rows", "average size of transactions")
@says("Fig", ":aggregate? N|Vals -:amount", "average loan amount")
@says("Fig", ":aggregate=avg|:aggregate=sum Rows", "average loan")
def main_amount(s: Schema, *given: object) -> Priced | None:
    said = given[-1]
    if isinstance(said, Kind):
        if _calls_an_amount(s, said):
            return None
        found = narrow(s, Rows(said.dataset, named=False), said.mod)
        if found is None:
            return None
        said = found.value
    aggregate: Aggregate = given[0] if given[0] in {"avg", "median", "max", "min", "sum"} else "sum"
    fig = s.main_figure(said, aggregate) if isinstance(said, Rows) and not said.bounds else None
    if fig is None or fig.core.field is None:
        return None
    alone: tuple[Reason, ...] = () if fig.rows.named else ("amounts of a value alone",)
    return Priced(fig, alone)


def _calls_an_amount(s: Schema, kind: Kind) -> bool:
    """The "paid amount" of claims is a column of theirs, and not the amount of those that were paid."""
    labels = (words(item.label) for item in s.knows.dataset(kind.dataset).fields if item.role == "measure")
    said = {stem(str(value).lower()) for value in kind.condition.values}
    return any(stem(label[0]) in said for label in labels if len(label) > 1)


@says("Extreme", "-:superlative=high", "highest")
@says("Latest", "-:superlative=new", "latest")
def highest(s: Schema) -> str:
    return "max"


@says("Extreme", "-:superlative=low", "lowest")
@says("Latest", "-:superlative=old", "earliest")
def lowest(s: Schema) -> str:
    return "min"


@says("Longest", "Adj", "cheapest")
def longest(s: Schema, said: Adjective) -> str:
    return "max" if said.high else "min"


@says("Fig", "Extreme|Longest Amt|Date", "highest balance")
def extreme(s: Schema, aggregate: str, field: FieldRef) -> Fig | None:
    """ "largest order" is not the last day on which something was ordered."""
    return replace(_of_field(aggregate, field), extreme=True) if s.field(field).role != "time" else None


@says("Fig", "Latest Date", "earliest opening date")
def first_or_last_day(s: Schema, aggregate: str, field: FieldRef) -> Fig:
    return replace(_of_field(aggregate, field), extreme=True)


@says("Fig", "Extreme Rows", "largest single transaction")
@says("Fig", "Extreme -:amount -of Rows", "highest amount of a loan")
def extreme_row(s: Schema, aggregate: Aggregate, rows: Rows) -> Fig | None:
    fig = s.main_figure(rows, aggregate) if not rows.bounds else None
    return replace(fig, extreme=True) if fig else None


@says("Fig", "Amt", "balance")
def implied(s: Schema, field: FieldRef) -> Fig | None:
    aggregate = s.field(field).default_aggregate
    return Fig(Measure(aggregate=aggregate, field=field), Rows(field.dataset), implied=True) if aggregate else None


@says("Fig", ":percentile -of? Amt", "90th percentile of transaction amount")
def percentile(s: Schema, quantile: str, field: FieldRef) -> Fig:
    return Fig(Measure(aggregate="median", quantile=float(quantile), field=field), Rows(field.dataset))


@says("Fig", "-:weighted -of? Amt Mod? -By|:weighted Amt", "weighted average interest rate by outstanding principal")
def weighted_average(s: Schema, field: FieldRef, *rest: object) -> Fig | Priced | None:
    fig = weighted(s, _of_field("avg", field), rest[-1])  # type: ignore[arg-type]
    return narrow_fig(s, fig, rest[0]) if fig and isinstance(rest[0], Mod) else fig


@says("Fig", "Amt -:weighted Amt", "outstanding principal weighted average interest rate")
def weighted_by_first(s: Schema, weight: FieldRef, field: FieldRef) -> Fig | None:
    return weighted(s, _of_field("avg", field), weight)


@says("Fig", "Fig -:stop? Weight", "average interest rate of loans of 2025, weighted by outstanding principal")
def weighted(s: Schema, fig: Fig, weight: FieldRef) -> Fig | None:
    field = fig.core.field
    if field is None or weight.dataset != field.dataset or weight == field or fig.over or fig.less:
        return None
    plain = fig.core.aggregate == "avg" and fig.core.weight is None
    return replace(fig, core=fig.core.model_copy(update={"weight": weight}), implied=False) if plain else None


@says("Weight", "-weighted|weighting -By|with|on Amt", "weighted by outstanding principal")
def weight(s: Schema, field: FieldRef) -> FieldRef:
    return field


@says("Fig", ":aggregate? -:elapsed Date -:and|to|until Date", "average days from opening to closing")
def elapsed(s: Schema, *given: object) -> Priced | None:
    start, end = (item for item in given if isinstance(item, FieldRef))
    steps = s.up(end.dataset, start.dataset)
    if start == end or steps is None:
        return None
    aggregate = given[0] if isinstance(given[0], str) else "avg"
    return Priced(_of_field(aggregate, end.model_copy(update={"since": start})), times("a step away", steps))


@says("Fig", "Fig -in Step|Unit", "average wait in hours")
def in_a_unit(s: Schema, fig: Fig, said: Step | str) -> Priced | None:
    """In the unit that it is kept in, or in another one of the same."""
    unit = said if isinstance(said, str) else f"{said.grain}s"
    size = how_many(s, unit, fig.core.field) if fig.core.field is not None and not fig.over and not fig.less else None
    if size is None or fig.shown_in or fig.core.aggregate in {"count", "count_distinct"}:
        return None
    if size == 1:
        return Priced(fig)
    return Priced(replace(fig, shown_in=size), notes=(one_of_them(s, unit, fig.core.field),))  # type: ignore[arg-type]


@says("Amt", "Amt -in Step|Unit", "wait in minutes")
def kept_in(s: Schema, field: FieldRef, said: Step | str) -> FieldRef | None:
    unit = said if isinstance(said, str) else f"{said.grain}s"
    return field if how_many(s, unit, field) == 1 else None


@says("Fig", "Fig -:relative -Done", "total balance that they held")
@says("Fig", "Fig -Done", "number of payments made")
def done(s: Schema, fig: Fig) -> Fig:
    return fig


@says("Fig", "-:aggregate=count N -In|:group|Has Rows", "number of savers of all counters")
def stored_count(s: Schema, counted: Rows, rows: Rows) -> Fig | None:
    """How many there are as others keep it with them."""
    kept = s.kept_count(rows.dataset, counted.dataset) if not (counted.narrowed or counted.via or rows.bounds) else None
    return Fig(Measure(aggregate="sum", field=kept), rows) if kept else None


# -- narrowed ----------------------------------------------------------------------------------------------------


def _counts_rows(fig: Fig) -> bool:
    """Rows are narrowed before they are counted."""
    return fig.core.aggregate == "count" and fig.over is None and fig.core.field is None


@says("Fig", "Fig Mod", "total balance of savings accounts in Pune")
def narrowed(s: Schema, fig: Fig, mod: Mod) -> Priced | None:
    return None if _counts_rows(fig) else narrow_fig(s, fig, mod)


@says("Fig", "Vals Fig", "savings balance")
@says("Fig", "N +Fig", "home loan outstanding")
def kind_of_figure(s: Schema, first: Kind | Rows, fig: Fig) -> Priced | None:
    return None if _counts_rows(fig) else narrow_fig(s, fig, _of(first))


@says("Fig", ":aggregate|Extreme|Longest Vals|N Amt", "median savings balance")
def aggregate_of_kind(s: Schema, aggregate: str, first: Kind | Rows, field: FieldRef) -> Priced | None:
    return narrow_fig(s, _of_field(aggregate, field), _of(first)) if aggregate != "count" else None


def _of(said: Kind | Rows) -> Mod:
    return Mod((Related(said, of=True),)) if isinstance(said, Rows) else said.mod


@says("Fig", "Days Fig", "2025 disbursals")
def of_period(s: Schema, days: Days, fig: Fig) -> Priced | None:
    return narrow_fig(s, fig, Mod((When(days),)))
