"""Figures and rows at dates: states of other days are taken from snapshots, states that rows came to have their day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ai_engine.built_in.grammar.phrases import Ask, Fig, Rows
from ai_engine.built_in.grammar.schema import Schema, says_state
from ai_engine.built_in.meanings import Days
from ai_engine.built_in.states import day_of_figure, day_of_state
from ai_engine.built_in.stocks import (
    ENDINGS,
    STATES,
    begins_with_its_date,
    date_of_whole,
    is_snapshot,
    is_state,
    says,
)
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Filter, Measure, Membership
from ai_engine.semantics.parties import is_agent
from ai_engine.semantics.wording import day_words, plural
from ai_engine.semantics.words import stem, words

FROM_SNAPSHOTS = "Balances of earlier days are the"


class Settling:
    """One question put to the days that it asks about: `ask`, with what was assumed, or why it cannot be answered."""

    def __init__(self, s: Schema, ask: Ask) -> None:
        self._s, self._knows = s, s.knows
        self.notes: list[str] = []
        self.reason = ""
        self.is_beyond = False  # whatever else the words could be: nobody knows when it came about
        self._stepped = any(group.step or (group.field and group.field.grain) for group in ask.groups)
        self._compares = ask.compare is not None  # which today's state alone cannot be
        self._adds_up_along_time = ask.transform in {"running_total", "rolling_sum"}
        self._by_snapshots = any(self._is_snapshot_date(group.field) for group in ask.groups if group.field)
        changed: dict[str, Any] = {"figs": tuple(map(self._figure, ask.figs))}
        if ask.rows is not None and not ask.figs:
            changed["rows"] = self._listed(ask.rows)
        if ask.best is not None and ask.best.fig is not None:
            changed["best"] = replace(ask.best, fig=self._figure(ask.best.fig))
        changed["orders"] = tuple(replace(o, fig=self._figure(o.fig)) if o.fig else o for o in ask.orders)
        changed["bounds"] = tuple(replace(bound, fig=self._figure(bound.fig)) for bound in ask.bounds)
        self.ask = replace(ask, **changed)

    def _is_snapshot_date(self, place: FieldRef) -> bool:
        return self._knows.dataset(place.dataset).snapshot_time == place.field

    def _figure(self, fig: Fig) -> Fig:
        over, less = fig.over and self._figure(fig.over), fig.less and self._figure(fig.less)
        fig, notes = self._s.with_its_amount(replace(fig, rows=self._in_its_state(self._in_its_role(fig.rows))))
        self.notes += [note for note in notes if note not in self.notes]
        if fig.rows.period and not fig.rows.dated and fig.core.field and not self._stepped:
            day = day_of_figure(fig.core.field, self._knows) if fig.core.aggregate != "count" else None
            own = day if day != self._knows.time_field(fig.rows.dataset) else None
            fig = replace(fig, rows=replace(fig.rows, dated=own))
        return replace(self._at_its_days(fig), over=over, less=less)

    def _at_its_days(self, fig: Fig) -> Fig:
        asked, core = fig.rows.period, fig.core
        if fig.rows.dated is not None:
            return fig
        state = is_state(core, self._knows)
        if state and self._adds_up_along_time:
            self.reason = "a running total of what there is at each day"
            return fig
        if asked is None:
            along = self._stepped or self._by_snapshots
            return self._kept(fig) or fig if along and state else fig
        at_times = self._stepped or self._by_snapshots or self._compares
        if (state or asked.moment) and self._reaches_now(asked) and not at_times:
            return self._as_of_now(fig, asked)
        if state:
            kept = self._kept(fig)
            if kept is None:
                self.reason = f"{asked.label}, of a figure that is known as of now only"
            return kept or fig
        if asked.moment and not is_snapshot(core, self._knows):
            return self._until(fig, asked)
        if self._s.date_of(fig) is None:
            self.reason = f"{plural(self._knows.dataset(fig.rows.dataset).label)}: of which day"
        return fig

    def _as_of_now(self, fig: Fig, asked: Days) -> Fig:
        if not asked.moment:
            self.notes.append(f"“{asked.label}” is as of {day_words(self._knows.as_of)}, the latest day known.")
        return replace(fig, rows=replace(fig.rows, period=None))

    def _reaches_now(self, asked: Days) -> bool:
        """The state at the end of a period that is not over is today's."""
        begun = asked.start is None or asked.start <= self._knows.as_of
        return begun and (asked.end is None or asked.end > self._knows.as_of)

    def _kept(self, fig: Fig) -> Fig | None:
        """The same figure over snapshots of each row: a closing balance for a balance."""
        knows = self._knows
        plain = knows.plain_figure(fig.core)
        if plain is None or fig.core.weight is not None:
            return None
        aggregate, field = plain
        noun = stem(words(knows.field(field).label)[-1])
        for dataset in knows.model.datasets:
            if dataset.snapshot_time is None or not knows.is_parent(dataset.name, field.dataset):
                continue
            kept = knows.main_measure(dataset.name, money_only=True)
            if (
                kept is not None
                and kept.field not in dataset.flows
                and stem(words(knows.field(kept).label)[-1]) == noun
            ):
                told = f"{FROM_SNAPSHOTS} {knows.field(kept).label} of {plural(dataset.label)}."
                self.notes.append(told)
                core = Measure(aggregate=aggregate, field=kept)
                return replace(fig, core=core, rows=replace(fig.rows, dataset=dataset.name, via=()))
        return None

    def _until(self, fig: Fig, asked: Days) -> Fig:
        """ "Customers as on 31 March" had joined by then; what has ended since was still there."""
        knows, rows = self._knows, fig.rows
        dataset = knows.dataset(rows.dataset)
        ends = [item for item in dataset.fields if item.role == "time" and says(item.label, ENDINGS)]
        changing = any(says(knows.field(place).label, STATES) for place in _fields_of(rows.filters))
        counts = fig.core.aggregate == "count" and asked.end is not None and begins_with_its_date(dataset)
        if not counts or len(ends) > 1 or changing:
            self.reason = f"{asked.label}, of what happens day by day: on that day, or until then"
            return fig
        began = knows.field(FieldRef(dataset=dataset.name, field=str(dataset.default_time))).label
        filters = rows.filters
        for item in ends:
            ended = FieldRef(dataset=dataset.name, field=item.name)
            later = Condition(field=ended, operator=">=", values=(asked.end,)) if asked.end else None
            missing = Condition(field=ended, operator="is null")
            filters = (*filters, AnyOf(filters=(missing, later))) if later else filters
        self.notes.append(f"{plural(dataset.label).capitalize()} are those whose {began} is until {asked.label}.")
        return replace(fig, rows=replace(rows, filters=filters, period=Days(None, asked.end, f"until {asked.label}")))

    def _listed(self, rows: Rows) -> Rows:
        """Rows of a list are known as of now only, unless they are snapshots."""
        rows = self._in_its_state(self._in_its_role(rows))
        asked = rows.period
        if asked is None or rows.dated is not None or self._knows.dataset(rows.dataset).snapshot_time:
            return rows
        if not asked.moment and not self._compares_a_state(rows):
            return rows
        if self._reaches_now(asked):
            return replace(rows, period=None)
        self.reason = f"{asked.label}, of rows that are known as of now only"
        return rows

    def _compares_a_state(self, rows: Rows) -> bool:
        """ "accounts with a balance below 500 last month", where the only date is that of opening."""
        conditions = (c for c in rows.filters if isinstance(c, Condition) and c.operator not in {"=", "in"})
        states = any(says(self._knows.field(item.field).label, STATES) for item in conditions)
        return states and begins_with_its_date(self._knows.dataset(rows.dataset))

    def _in_its_role(self, rows: Rows) -> Rows:
        """ "How many borrowers": people with rows in which they play that role."""
        link = self._knows.model.relationship(rows.via[0]) if len(rows.via) == 1 else None
        if link is None or link.to_dataset != rows.dataset or link.from_dataset == link.to_dataset:
            return rows
        filters = tuple(_without_way(item, rows) for item in rows.filters)
        own = [item for item in filters if isinstance(item, Membership) and item.dataset == link.from_dataset]
        if not any(map(is_agent, link.synonyms)) and not own:
            return replace(rows, via=(), filters=filters)
        if not own:
            filters = (*filters, Membership(dataset=link.from_dataset, via=rows.via))
        known = tuple(item.model_copy(update={"via": rows.via}) if item in own else item for item in filters)
        return replace(rows, via=(), filters=known)

    def _in_its_state(self, rows: Rows) -> Rows:
        """A state beside a period is that of today; where it is said to have come about then, nobody knows when."""
        if (
            rows.dated is not None
            or (rows.period is None and not self._stepped)
            or (rows.period and rows.period.moment)
        ):
            return rows
        whole = date_of_whole(rows.dataset, self._knows)
        if whole is not None:
            return replace(rows, dated=whole)
        for item in rows.filters:
            if not isinstance(item, Condition) or item.operator not in {"=", "in"} or item.field.via:
                continue
            label = self._knows.field(item.field).label
            ended = day_of_state(item, self._knows) if item.field.dataset == rows.dataset else None
            if ended is not None:
                return replace(rows, dated=ended)
            began = self._s.knows.time_field(item.field.dataset)
            lasting = (
                rows.period is not None
                and began is not None
                and begins_with_its_date(self._knows.dataset(item.field.dataset))
            )
            if not lasting or began is None or not says_state(label):
                continue
            if item in rows.told:
                self.is_beyond = True
                self.reason = f"when the {label} became {', '.join(map(str, item.values))}"
            else:
                dated = self._knows.field(began).label
                self.notes.append(f"The {label} is that of today, the period is about {dated}.")
        return rows


def _without_way(item: Filter, rows: Rows) -> Filter:
    if not isinstance(item, Condition) or (item.field.dataset, item.field.via) != (rows.dataset, rows.via):
        return item
    return item.model_copy(update={"field": item.field.model_copy(update={"via": ()})})


def _fields_of(filters: tuple[Filter, ...]) -> Iterator[FieldRef]:
    for item in filters:
        if isinstance(item, Condition):
            yield item.field
        else:
            yield from _fields_of(item.filters)
