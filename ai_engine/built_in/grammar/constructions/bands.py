"""Bands of numbers and ages: by name, by width, written out."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Group
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Number
from ai_engine.semantics.intent import FieldRef

says = Constructions()
_EDGES_OF_AGES = tuple(map(Decimal, (18, 25, 35, 45, 60)))
_MOST_BANDS = 11
_OLDEST = 99
_ROUND = 10


@says("Group", "Amt|Date -:bands -of? Num?", "balance bands of 1 lakh")
@says("Group", "Num Amt|Date -:bands", "20 year age bands")
@says("Group", "-:bands -of Num -of? Amt|Date", "bands of 1 lakh of balance")
def by_width(s: Schema, *given: object) -> Priced | None:
    field = _as_age(s, next(item for item in given if isinstance(item, FieldRef)))
    width = next((item.value for item in given if isinstance(item, Number)), None)
    item = s.field(field)
    years = item.unit == "years" or field.grain == "age_years"
    if item.role != "measure" or (width is None and not years) or (width is not None and width <= 1):
        return None
    if width is None:
        edges = _EDGES_OF_AGES
    else:
        edges = tuple(width * step for step in range(1, int(_OLDEST / width) + 1 if years else _MOST_BANDS))
    note = f"{item.label.capitalize()} groups begin at {', '.join(map(str, edges))}."
    return Priced(Group(field=field, edges=edges), notes=(note,))


@says("Group", "Amt|Date -:bands? -:stop? Edges", "credit score below 600, 600 to 700 and above 700")
def written_out(s: Schema, field: FieldRef, edges: tuple[Decimal, ...]) -> Group | None:
    field = _as_age(s, field)
    if s.field(field).role != "measure" or tuple(sorted(set(edges))) != edges:
        return None
    return Group(field=field, edges=edges)


@says("Edges", ":compare Num -And? Num -to|:compare Num", "below 600, 600 to 700")
def first_edges(s: Schema, operator: str, first: Number, again: Number, second: Number) -> tuple[Decimal, ...] | None:
    if operator not in {"<", "<="} or again.value not in {first.value, first.value + 1}:
        return None
    return (again.value, second.value)


@says("Edges", "Edges -And? Num -to Num", "below 600, 600 to 700, 700 to 800")
def further(s: Schema, edges: tuple[Decimal, ...], low: Number, high: Number) -> tuple[Decimal, ...] | None:
    return (*edges[:-1], low.value, high.value) if low.value in {edges[-1], edges[-1] + 1} else None


@says("Edges", "Edges -And? :compare Num", "below 600, 600 to 700 and above 700")
@says("Edges", "Edges -And? Num :compare", "below 600, 600 to 700 and 700 and above")
def last(s: Schema, edges: tuple[Decimal, ...], *given: object) -> tuple[Decimal, ...] | None:
    number = next(item for item in given if isinstance(item, Number))
    operator = next(item for item in given if isinstance(item, str))
    if operator not in {">", ">="} or number.value not in {edges[-1], edges[-1] + 1}:
        return None
    stepped = len(edges) > 1 and operator == ">" and edges[-2] % _ROUND == 1 and edges[-1] % _ROUND == 0
    return (*edges[:-1], number.value + 1 if stepped else number.value)


def _as_age(s: Schema, field: FieldRef) -> FieldRef:
    born = s.knows.birth_field(field.dataset)
    return born.model_copy(update={"grain": "age_years"}) if born is not None and born.field == field.field else field
