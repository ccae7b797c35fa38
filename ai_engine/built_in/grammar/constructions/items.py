"""What can be shown of rows and of groups: columns, figures, and words that stand for one of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Fig, Rows
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import FieldRef

says = Constructions()
Item: TypeAlias = FieldRef | Fig | Literal["count", "amount", "when", "who", "number", "id", "sum", "avg", "max", "min"]
Items: TypeAlias = tuple[Item, ...]
_AGGREGATES = frozenset({"sum", "avg", "max", "min"})


@says("Shown", "-:both? Cols|ColT", "city and balance")
def columns(s: Schema, cols: tuple[FieldRef, ...]) -> Items:
    return cols


@says("Shown", "Fig", "number of accounts")
def figure(s: Schema, fig: Fig) -> Items | None:
    return (fig,) if not fig.implied else None


@says("Shown", "-:aggregate=count|:weak -:have?", "the number")
@says("Shown", "-:aggregate=count|:weak -In? -:each -:have?", "how many each")
def number(s: Schema) -> Items:
    return ("count",)


@says("Shown", "-number|numbers", "number")
def own_number(s: Schema) -> Items:
    """By which people know a row: "open invoices: number and due date"."""
    return ("number",)


@says("Shown", "-id|ids", "id")
def own_id(s: Schema) -> Items:
    return ("id",)


@says("Shown", "-:amount -:have?", "how much")
@says("Shown", "-amounts|values|figures", "amounts")
def amount(s: Schema) -> Items:
    return ("amount",)


@says("Shown", ":aggregate", "total")
def aggregate(s: Schema, said: str) -> Items | None:
    """ "show the average": of the figure that was told already."""
    return (said,) if said in _AGGREGATES else None  # type: ignore[return-value]


@says("Shown", "-:when -:have|Done?", "when was it")
def when(s: Schema) -> Items:
    return ("when",)


@says("Shown", "-:when Date", "when was it disbursed")
def when_so(s: Schema, field: FieldRef) -> Items:
    return (field,)


@says("Shown", "-:who -for|:have?", "who are they for")
def for_whom(s: Schema) -> Items:
    return ("who",)


@says("Shown", "Fig -In? -:each|:group", "number of accounts in each")
def figure_of_each(s: Schema, fig: Fig) -> Items | None:
    return figure(s, fig)


@says("Shown", "-:aggregate=count Rows -:each -:have?", "how many accounts does each have")
def number_of_each(s: Schema, rows: Rows) -> Items | None:
    return (s.count(rows),) if not rows.bounds else None


@says("Shown", "-name|names -of -Their Thing", "name of their branch")
def name_of_theirs(s: Schema, thing: Thing) -> Items:
    return s.knows.naming_fields(thing)


@says("Shown", "Field|Date -of -Their Thing", "city of their branch")
def of_theirs(s: Schema, field: FieldRef, thing: Thing) -> Items | None:
    return (field.model_copy(update={"via": thing.via}),) if field.dataset == thing.dataset and not field.via else None


@says("Shown", "Shown -And -:what? -Their? Shown", "balance and number of transactions")
def several(s: Schema, first: Items, second: Items) -> Items | None:
    return (*first, *second) if len({*first, *second}) == len(first) + len(second) else None


def resolved(s: Schema, dataset: str, items: Items) -> Items:
    """The columns that words stand for: an "amount" of rows is their first one, "when" their day, "who" whose."""
    people = s.knows.people
    theirs = people if people and s.up(dataset, people) and not s.has_parties(dataset, people) else None
    numbers = [ref for ref in s.knows.telling_fields(Thing(dataset)) if s.field(ref).role == "identifier"]
    amount_of_each = s.knows.main_measure(dataset, money_only=True) or s.knows.main_measure(dataset)
    meant = {
        "amount": (amount_of_each,),
        "sum": (amount_of_each,),
        "when": (s.knows.time_field(dataset),),
        "who": s.knows.naming_fields(Thing(theirs)) if theirs else (None,),
        "number": (*numbers, s.knows.key(dataset))[:1],
        "id": (s.knows.key(dataset),),
    }
    told = ((item, meant.get(item, (item,)) if isinstance(item, str) else (item,)) for item in items)
    return tuple(ref or item for item, refs in told for ref in refs if ref is None or ref == item or ref not in items)


def without_those_told(s: Schema, items: Items, figs: tuple[Fig, ...]) -> tuple[Items, tuple[Fig, ...]] | None:
    """What is left beside "the amounts" and "the average" of what was told, with these; None where it is open which."""
    left, shown = [], []
    for item in items:
        if item == "amount" and figs and figs[0].core.aggregate != "count":
            continue
        if item not in _AGGREGATES:
            left.append(item)
            continue
        plain = tuple(fig for fig in figs if fig.less is None)
        same = [fig for fig in plain if (s.knows.plain_figure(fig.core) or ("",))[0] == item]
        same = same or list(_taken_otherwise(s, str(item), plain))
        if len(same) != 1:
            return None
        shown += same
    return tuple(left), tuple(shown)


def _taken_otherwise(s: Schema, aggregate: str, figs: tuple[Fig, ...]) -> Iterator[Fig]:
    """ "average balance by branch, and the total": the total of the same."""
    for fig in figs:
        field = fig.core.field
        if field is None or fig.implied or fig.over or fig.less or fig.core.aggregate == "sum":
            continue  # "amount by channel, average" says how it is taken, where nothing said a total
        if aggregate != "sum" or s.may_be_added(field):
            yield replace(fig, core=fig.core.model_copy(update={"aggregate": aggregate}))
