"""What is shown anyhow, said once more: "top 5 branches by deposits, with the amounts"."""

from __future__ import annotations

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.semantics.intent import FieldRef

says = Constructions()


@says("Again", ":amount|amounts|values|figures", "the amounts")
def figures(s: Schema, *_: object) -> tuple[str, ...]:
    return ("sum", "avg", "median", "max", "min")


@says("Again", ":aggregate=sum|total|totals", "the totals")
def totals(s: Schema, *_: object) -> tuple[str, ...]:
    return ("sum", "count")


@says("Again", ":aggregate=avg|average|averages", "the averages")
def averages(s: Schema, *_: object) -> tuple[str, ...]:
    return ("avg",)


@says("Again", ":aggregate=count|numbers|counts|count", "the numbers")
def numbers(s: Schema, *_: object) -> tuple[str, ...]:
    return ("count",)


@says("Ask", "Ask -:stop? -And|:have -Their? Again", "top 5 cities by total balance, with the totals")
@says("Ask", "Ask -:stop? -And|:have Cols -And Again", "top 5 cities by total balance, with city and total")
def shown_anyhow(s: Schema, ask: Ask, *given: tuple[FieldRef, ...] | tuple[str, ...]) -> Ask | None:
    """The one figure of each, also with what it is grouped by."""
    *cols, aggregates = given
    plain = s.knows.plain_figure(ask.figs[0].core) if len(ask.figs) == 1 and not ask.figs[0].over else None
    said = plain[0] if plain else ask.figs[0].core.aggregate if len(ask.figs) == 1 else None
    grouped = {group.field for group in ask.groups}
    shown = said in aggregates and bool(ask.groups) and all(set(one) <= grouped for one in cols)
    return ask if shown and ask.compare is None else None
