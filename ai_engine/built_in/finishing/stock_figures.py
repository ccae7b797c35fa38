"""Figures that are a state, not a flow, asked for another day than now: taken from snapshots, or refused."""

from __future__ import annotations

from datetime import timedelta

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Days
from ai_engine.built_in.sketch import Sketch
from ai_engine.built_in.stocks import ENDINGS, STATES, begins_with_its_date, is_snapshot, is_state, says
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Filter, Measure
from ai_engine.semantics.wording import day_words, plural
from ai_engine.semantics.words import stem, words

_ONE_DAY = timedelta(days=1)


def as_of_the_days_asked(sketch: Sketch, knows: Knowledge, measures: list[Measure]) -> list[Measure]:
    """Take states of other days from the snapshots that keep them; report those that are known as of now only.

    "Deposits at the end of October" are no deposits of accounts opened then.
    """
    if sketch.period_field is not None or sketch.counted_by is not None:
        return measures
    if (asked := sketch.period) is None:
        return [_kept_at_dates(item, knows) or item for item in measures] if _goes_by_time(sketch, knows) else measures
    states = [measure for measure in measures if is_state(measure, knows)]
    if states and sketch.dated_by_verb is not None:
        sketch.period_field = sketch.dated_by_verb
        return measures
    if (states or asked.moment) and _reaches_now(asked, knows) and not _goes_by_time(sketch, knows):
        sketch.period = None
        if not asked.moment:
            sketch.assumptions.append(f"“{asked.label}” is as of {day_words(knows.as_of)}, the latest day known.")
        return measures
    found = []
    for measure in measures:
        kept = _kept_at_dates(measure, knows) if measure in states else None
        if kept is not None and kept.field is not None:
            table = plural(knows.dataset(kept.field.dataset).label)
            sketch.assumptions.append(f"Balances of earlier days are the {knows.field(kept.field).label} of {table}.")
        elif measure in states:
            sketch.unplaced.append(f"{asked.label}, of a figure that is known as of now only")
        elif asked.moment and not (is_snapshot(measure, knows) or _counts_until(sketch, knows, measure, asked)):
            sketch.unplaced.append(f"{asked.label}, of what happens day by day: on that day, or until then")
        found.append(kept or measure)
    return found


def _goes_by_time(sketch: Sketch, knows: Knowledge) -> bool:
    """By steps of time, or by the dates at which rows were taken."""
    named = [item for item in (*sketch.groups, *sketch.attributes) if isinstance(item, Attribute)]
    return sketch.groups_by_time or any(knows.dataset(item.dataset).snapshot_time == item.field for item in named)


def rows_of_a_moment(sketch: Sketch, knows: Knowledge, subject: str) -> None:
    """Rows of a list are known as of now only, unless they are snapshots."""
    asked = sketch.period
    if (
        asked is None
        or knows.dataset(subject).snapshot_time
        or sketch.period_field is not None
        or sketch.dated_by_verb is not None
    ):
        return
    if not asked.moment and not _compares_a_state(sketch, knows, subject):
        return
    if _reaches_now(asked, knows):
        sketch.period = None
    else:
        sketch.unplaced.append(f"{asked.label}, of rows that are known as of now only")


def _compares_a_state(sketch: Sketch, knows: Knowledge, subject: str) -> bool:
    """ "accounts with a balance below 500 last month", where the only date is that of opening."""
    conditions = (item for item in sketch.filters if isinstance(item, Condition) and item.operator not in {"=", "in"})
    states = any(says(knows.field(item.field).label, STATES) for item in conditions)
    return states and begins_with_its_date(knows.dataset(subject))


def _reaches_now(asked: Days, knows: Knowledge) -> bool:
    """The state at the end of a period that is not over is today's."""
    begun = asked.start is None or asked.start <= knows.as_of
    return begun and (asked.end is None or asked.end > knows.as_of)


def _kept_at_dates(measure: Measure, knows: Knowledge) -> Measure | None:
    """The same figure over snapshots of each row: a closing balance for a balance."""
    plain = knows.plain_figure(measure)
    if plain is None or not is_state(measure, knows):
        return None
    aggregate, field = plain
    noun = stem(words(knows.field(field).label)[-1])
    for dataset in knows.model.datasets:
        if dataset.snapshot_time is None or not knows.is_parent(dataset.name, field.dataset):
            continue
        kept = knows.main_measure(dataset.name, money_only=True)
        if kept is not None and kept.field not in dataset.flows and stem(words(knows.field(kept).label)[-1]) == noun:
            return measure.model_copy(update={"metric": None, "aggregate": aggregate, "field": kept})
    return None


def _counts_until(sketch: Sketch, knows: Knowledge, measure: Measure, asked: Days) -> bool:
    """ "Customers as on 31 March" had joined by then; what has ended since was still there."""
    if measure.aggregate != "count" or measure.dataset is None or asked.end is None:
        return False
    dataset = knows.dataset(measure.dataset)
    ends = [item for item in dataset.fields if item.role == "time" and says(item.label, ENDINGS)]
    changing = any(says(knows.field(place).label, STATES) for place in _fields_of(sketch.filters))
    if not begins_with_its_date(dataset) or len(ends) > 1 or changing:
        return False
    began = knows.field(FieldRef(dataset=dataset.name, field=str(dataset.default_time))).label
    sketch.period = Days(None, asked.end, f"until {asked.label}")
    for item in ends:
        ended = FieldRef(dataset=dataset.name, field=item.name)
        later = Condition(field=ended, operator=">=", values=(asked.end,))
        sketch.filters.append(AnyOf(filters=(Condition(field=ended, operator="is null"), later)))
    sketch.assumptions.append(f"{plural(dataset.label).capitalize()} are those whose {began} is until {asked.label}.")
    return True


def _fields_of(filters: list[Filter]) -> list[FieldRef]:
    found: list[FieldRef] = []
    for item in filters:
        found += [item.field] if isinstance(item, Condition) else _fields_of(list(item.filters))
    return found
