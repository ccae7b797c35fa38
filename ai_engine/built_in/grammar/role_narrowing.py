"""Rows narrowed by who did what with them, by the parties of what is sent, and by two of a kind held together."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.memberships import belonging, having
from ai_engine.built_in.grammar.phrases import Alike, Did, DoneBy, OfParty, Related, Rows
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.parties import party_link
from ai_engine.semantics.intent import Condition, FieldRef
from ai_engine.semantics.model import Field, Relationship
from ai_engine.semantics.words import words

_ALIKE = {"city": "town", "province": "state", "profession": "occupation", "trade": "occupation"}
_KINDS = frozenset({"category", "name", "identifier", "text", "flag"})


def narrowed_by_deed(s: Schema, rows: Rows, part: Did) -> Priced | None:
    """ "staff who handled car loans": those in whose role the loans name them."""
    other = part.rows
    fits = [link for link in part.links if (link.from_dataset, link.to_dataset) == (other.dataset, rows.dataset)]
    if len(fits) != 1 or other.dataset == rows.dataset or other.via:
        return None
    told = Rows(other.dataset, _way(s, fits[0]), other.filters, other.period, other.dated, distinct=other.distinct)
    return having(s, rows, Related(told, negated=part.negated))


def _way(s: Schema, link: Relationship) -> tuple[str, ...]:
    """The way of a link, which need not be said where it is the only one."""
    several = s.has_parties(link.from_dataset, link.to_dataset) or link.from_dataset == link.to_dataset
    return (link.name,) if several else ()


def narrowed_by_doer(s: Schema, rows: Rows, part: DoneBy) -> Priced | None:
    """ "loans handled by Ines Vogt"."""
    other = part.rows
    fits = [link for link in part.links if (link.from_dataset, link.to_dataset) == (rows.dataset, other.dataset)]
    if len(fits) != 1 or other.via:
        return None
    return belonging(s, rows, Rows(other.dataset, _way(s, fits[0]), other.filters, other.period, other.dated))


def narrowed_by_party(s: Schema, rows: Rows, part: OfParty) -> Priced | None:
    """ "remittances from Tilda Brandt"."""
    link = party_link(rows.dataset, part.rows.dataset, part.party, s.knows)
    other = part.rows
    names = {"name", "identifier"}
    told = [item for item in other.filters if isinstance(item, Condition) and s.field(item.field).role in names]
    if link is None or not (other.named or told):
        return None  # "from Singapore" is where they live
    return belonging(s, rows, Rows(other.dataset, (link,), other.filters, other.period, other.dated))


def narrowed_alike(s: Schema, rows: Rows, part: Alike) -> Priced | None:
    """ "people who live in the same town as their office"."""
    if s.field(part.field).role in {"name", "identifier"}:
        return None
    second = _seen(s, rows, part.thing, part.other or part.field)
    if part.own is not None:
        first = part.own if s.reaches(rows.dataset, (part.own,)) else None
    else:
        first = _seen(s, rows, part.first or Thing(rows.dataset), part.field)
    if first is None or second is None or first == second:
        return None
    found = Condition(field=first, operator="!=" if part.operator == "!=" else "=", other=second)
    return Priced(replace(rows, filters=(*rows.filters, found)))


def _seen(s: Schema, rows: Rows, thing: Thing, named: FieldRef) -> FieldRef | None:
    """The field of a thing that is of the kind of the named one: its own, or "home town" beside "town"."""
    if s.up(rows.dataset, thing.dataset) is None or not s.leads(rows.dataset, thing.via):
        return None
    if thing.dataset == named.dataset:
        return named.model_copy(update={"via": thing.via})
    kind = s.field(named)
    alike = [item for item in s.knows.dataset(thing.dataset).fields if _is_alike(item, kind)]
    return FieldRef(dataset=thing.dataset, field=alike[0].name, via=thing.via) if len(alike) == 1 else None


def _is_alike(item: Field, other: Field) -> bool:
    heads = {_ALIKE.get(head, head) for head in (_head(item), _head(other))}
    return len(heads) == 1 and item.type == other.type and {item.role, other.role} <= _KINDS


def _head(item: Field) -> str:
    """The noun that says what a field tells: of "city name" the city."""
    *before, last = words(item.label)
    return before[-1] if before and last == "name" else last
