"""Ends of scales: highest, top 5, the most customers, and what they are the end of."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.per_each import per_each
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Best, Fig, Kind, Mod, Rows
from ai_engine.built_in.grammar.questions import narrow_fig
from ai_engine.built_in.grammar.ranks import DESCENDING, main_field
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Number
from ai_engine.built_in.scales import Adjective
from ai_engine.semantics.intent import FieldRef, Measure
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import words

says = Constructions()
_TEN = 10
_MOST = 1000
_OF_FIGURES = frozenset({"high", "low", "good", "bad"})


@says("End", ":superlative|:limit|Adj", "highest")
def one(s: Schema, said: str | Adjective) -> Best:
    if isinstance(said, str):
        return Best(DESCENDING[said], kind=said)
    return Best(said.high, kind="high" if said.high else "low", scale=said.scale)


@says("Ends", ":limit|:superlative|Adj Num", "top 5")
@says("Ends", "Num :superlative|:limit|Adj", "five largest")
def ends(s: Schema, *given: str | Adjective | Number) -> Best | None:
    number = next(item for item in given if isinstance(item, Number))
    said = next(item for item in given if not isinstance(item, Number))
    return replace(one(s, said), limit=int(number.value)) if number.unit is None and number.value <= _MOST else None


@says("Ends", ":limit", "top")
def ten(s: Schema, kind: str) -> Priced:
    return Priced(replace(one(s, kind), limit=_TEN), notes=(f"Without a number {_TEN} are shown.",))


@says("Ends", ":ordinal :superlative|Adj", "third highest")
def nth(s: Schema, place: str, said: str | Adjective) -> Best:
    return replace(one(s, said), limit=1, skip=int(place) - 1)


@says("Scale", "-:what? :ordinal :superlative|Adj Fig", "the third highest total balance")
def nth_figure(s: Schema, place: str, said: str | Adjective, fig: Fig) -> Best | None:
    best = nth(s, place, said)
    return replace(best, fig=fig) if best.kind in {"high", "low"} else None


@says("Scale", "End Fig", "the highest average balance")
def of_figure(s: Schema, best: Best, fig: Fig) -> Best | Priced | None:
    if best.kind in {"many", "few"} and fig.core.aggregate != "count":
        return Priced(replace(best, fig=fig), ("the most of an amount",))
    return replace(best, fig=fig) if best.kind in _OF_FIGURES else None


@says("Scale", "End Rows -:weak", "the most customers count")
@says("Scale", "End -:aggregate=count? Rows", "the most customers")
def of_count(s: Schema, best: Best, rows: Rows) -> Best | None:
    counted = best.kind in {"many", "few"} and rows.named and not rows.bounds and not _is_stuff(s, rows)
    return replace(best, fig=s.count(rows)) if counted else None


def _is_stuff(s: Schema, rows: Rows) -> bool:
    """ "the most milk", of deliveries of milk: so much of it, and not so many of them."""
    said, label = words(rows.said), words(s.knows.dataset(rows.dataset).label)
    return bool(said) and said == label[: len(said)] != label and singular(said[-1]) == said[-1]


@says("Scale", "End Rows|Fig -per N", "the most loans per customer")
def of_ratio(s: Schema, best: Best, fig: Rows | Fig, rows: Rows) -> Best | None:
    found = per_each(s, fig, rows)
    return replace(best, fig=found) if found else None


@says("Scale", "End Amt|Date", "the highest annual income")
def of_field(s: Schema, best: Best, field: FieldRef) -> Best | None:
    return replace(best, field=field) if best.kind in {*_OF_FIGURES, "old", "new", "young"} else None


@says("Scale", "End Rows", "the largest loan")
def of_row(s: Schema, best: Best, rows: Rows) -> Priced | None:
    field = main_field(s, rows, best) if best.kind in _OF_FIGURES and rows.named else None
    if field is None:
        return None
    fig = Fig(Measure(aggregate="max" if best.descending else "min", field=field), rows)
    return Priced(replace(best, fig=fig), notes=(f"The ranking is by {s.field(field).label}.",))


@says("Scale", "End Vals Amt|Fig", "the highest savings balance")
def of_kind(s: Schema, best: Best, kind: Kind, of: FieldRef | Fig) -> Best | None:
    if best.kind not in _OF_FIGURES:
        return None
    if isinstance(of, FieldRef):
        item = s.field(of)
        if not item.default_aggregate:
            return None
        of = Fig(Measure(aggregate=item.default_aggregate, field=of), Rows(of.dataset))
    found = narrow_fig(s, of, kind.mod)
    return replace(best, fig=found.value) if found else None


@says("Scale", "-by? End Vals", "the most women")
def of_values(s: Schema, best: Best, kind: Kind) -> Best | None:
    found = narrow(s, Rows(kind.dataset), kind.mod) if best.kind in {"many", "few"} else None
    return replace(best, fig=s.count(found.value)) if found else None


@says("Scale", "Scale Mod", "the most customers in Pune")
def narrowed(s: Schema, best: Best, mod: Mod) -> Best | None:
    found = narrow_fig(s, best.fig, mod) if best.fig else None
    return replace(best, fig=found.value) if found else None
