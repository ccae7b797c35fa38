"""From a parsed question to the structured question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import ValidationError

from ai_engine.built_in.grammar.figures_to_intent import figures_asked, leaves_of_figs
from ai_engine.built_in.grammar.lists_to_intent import rows_asked
from ai_engine.built_in.grammar.moments import Settling
from ai_engine.built_in.grammar.phrases import Ask, Fig, Group, Rows
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.one_reading import beyond_bounds
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.intent import Condition, Dimension, Filter, Having, Intent, Membership


@dataclass(frozen=True, slots=True)
class Said:
    """What a parsed question comes to: a structured question with what was assumed, or why there is none.

    `is_beyond` when it was understood and can be said of no database: nothing dearer is meant instead.
    """

    intent: Intent | None
    reason: str = ""
    notes: tuple[str, ...] = ()
    is_beyond: bool = False


def said(s: Schema, ask: Ask) -> Said:
    """The structured question, with reasons where there is none."""
    reason = beyond(ask) or of_whom(s, ask)
    if reason:
        return Said(None, reason, is_beyond=True)
    settling = Settling(s, ask)
    if settling.reason:
        return Said(None, settling.reason, is_beyond=settling.is_beyond)
    try:
        found = to_intent(s, settling.ask)
        intent = found and _without_idle_conditions(s, found)
        return Said(intent, notes=tuple(dict.fromkeys(settling.notes)))
    except ValidationError as fault:
        return Said(None, beyond_bounds(fault)[0], is_beyond=True)


def _without_idle_conditions(s: Schema, intent: Intent) -> Intent:
    """ "complaints opened in 2025" were opened on a known day: the period says so already."""
    if intent.period is None or (intent.period.start is None and intent.period.end is None):
        return intent
    dated = date_of(intent, s.knows.model)
    filters = tuple(
        item
        for item in intent.filters
        if not (isinstance(item, Condition) and item.operator == "is not null" and item.field == dated)
    )
    return intent.model_copy(update={"filters": filters})


def to_intent(s: Schema, ask: Ask) -> Intent | None:
    """The structured question; None where something said cannot be said in it."""
    bounds = ask.rows.bounds if ask.rows is not None and not ask.figs else ()
    if ask.rows is not None and bounds and all(bound.fig.less is not None for bound in bounds):
        return _told_by_differences(s, ask, ask.rows)
    if ask.rows is not None and ask.rows.bounds:
        ask = _with_their_figures(s, ask, ask.rows)
    counted = ask.figs[0] if len(ask.figs) == 1 else None
    if counted is not None and counted.rows.bounds:
        return _number_of_things(s, ask, counted)
    return figures_asked(s, ask) if ask.figs else rows_asked(s, ask)


def beyond(ask: Ask) -> str:
    """Why a question that was understood cannot be said in the structured question; "" where it can."""
    rows = [leaf.rows for leaf in leaves_of_figs(ask.every_figure)] + ([ask.rows] if ask.rows else [])
    return next((item.beyond for item in rows if item.beyond), "")


def _told_by_differences(s: Schema, ask: Ask, rows: Rows) -> Intent | None:
    """ "customers with more cards than loans": a difference tells which they are, and is no figure to show."""
    found = rows_asked(s, replace(ask, rows=replace(rows, bounds=())))
    told = (Having(measure=s.measure(item.fig), operator=item.operator, value=item.value) for item in rows.bounds)
    return found and found.model_copy(update={"having": tuple(told)})


def of_whom(s: Schema, ask: Ask) -> str:
    """Those who play a role for rows of their own table, asked for themselves: "how many managers are there"."""
    rows = [fig.rows for fig in ask.figs] + ([ask.rows] if ask.rows else [])
    links = [s.knows.model.relationship(item.via[0]) for item in rows if len(item.via) == 1]
    return next((f"{one.synonyms[0]}: of whom" for one in links if one.from_dataset == one.to_dataset), "")


def _with_their_figures(s: Schema, ask: Ask, rows: Rows) -> Ask:
    """ "customers with total balance above 10 lakh": their figures, grouped by them."""
    own = Rows(rows.dataset, rows.via)
    bounds = []
    for bound in rows.bounds:
        bounds.append(replace(bound, fig=_of_such(bound.fig, s.filters_of(rows))))
    groups = tuple(Group(field=ref) for ref in ask.columns) or (Group(thing=own.dataset, via=own.via),)
    figs: tuple[Fig, ...] = tuple(dict.fromkeys(bound.fig for bound in bounds))
    related = any(isinstance(item, Membership) for item in rows.filters)
    return replace(ask, rows=own if related else None, figs=figs, groups=groups, bounds=tuple(bounds), columns=())


def _of_such(fig: Fig, filters: tuple[Filter, ...]) -> Fig:
    """A figure of rows that are so, also of what it is divided by."""
    more = tuple(item for item in filters if item not in fig.rows.filters)
    over, less = fig.over and _of_such(fig.over, filters), fig.less and _of_such(fig.less, filters)
    return replace(fig, rows=replace(fig.rows, filters=(*fig.rows.filters, *more)), over=over, less=less)


def _number_of_things(s: Schema, ask: Ask, counted: Fig) -> Intent | None:
    """ "how many branches have deposits of over 20 crore"."""
    if ask.groups or ask.best or counted.over or counted.core.aggregate != "count":
        return None
    key = s.knows.key(counted.rows.dataset)
    inner = figures_asked(s, _with_their_figures(s, Ask(rows=counted.rows), counted.rows))
    if key is None or inner is None:
        return None
    return inner.model_copy(update={"measures": (), "dimensions": (Dimension(field=key),), "over_groups": "count"})
