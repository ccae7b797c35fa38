"""From a parsed question to the structured question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import ValidationError

from ai_engine.built_in.grammar.figures_to_intent import figures_asked
from ai_engine.built_in.grammar.lists_to_intent import rows_asked
from ai_engine.built_in.grammar.moments import Settling
from ai_engine.built_in.grammar.phrases import Ask, Fig, Group, Rows, leaves_of_figs
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.one_reading import beyond_bounds
from ai_engine.semantics.intent import Dimension, Intent, Membership


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
    reason = beyond(ask)
    if reason:
        return Said(None, reason, is_beyond=True)
    settling = Settling(s, ask)
    if settling.reason:
        return Said(None, settling.reason, is_beyond=settling.is_beyond)
    try:
        return Said(to_intent(s, settling.ask), notes=tuple(dict.fromkeys(settling.notes)))
    except ValidationError as fault:
        return Said(None, beyond_bounds(fault)[0], is_beyond=True)


def to_intent(s: Schema, ask: Ask) -> Intent | None:
    """The structured question; None where something said cannot be said in it."""
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


def _with_their_figures(s: Schema, ask: Ask, rows: Rows) -> Ask:
    """ "customers with total balance above 10 lakh": their figures, grouped by them."""
    own = Rows(rows.dataset, rows.via)
    bounds = []
    for bound in rows.bounds:
        filters = tuple(item for item in s.filters_of(rows) if item not in bound.fig.rows.filters)
        narrowed = replace(bound.fig.rows, filters=(*bound.fig.rows.filters, *filters))
        bounds.append(replace(bound, fig=replace(bound.fig, rows=narrowed)))
    groups = tuple(Group(field=ref) for ref in ask.columns) or (Group(thing=own.dataset, via=own.via),)
    figs: tuple[Fig, ...] = tuple(dict.fromkeys(bound.fig for bound in bounds))
    related = any(isinstance(item, Membership) for item in rows.filters)
    return replace(ask, rows=own if related else None, figs=figs, groups=groups, bounds=tuple(bounds), columns=())


def _number_of_things(s: Schema, ask: Ask, counted: Fig) -> Intent | None:
    """ "how many branches have deposits of over 20 crore"."""
    if ask.groups or ask.best or counted.over or counted.core.aggregate != "count":
        return None
    key = s.knows.key(counted.rows.dataset)
    inner = figures_asked(s, _with_their_figures(s, Ask(rows=counted.rows), counted.rows))
    if key is None or inner is None:
        return None
    return inner.model_copy(update={"measures": (), "dimensions": (Dimension(field=key),), "over_groups": "count"})
