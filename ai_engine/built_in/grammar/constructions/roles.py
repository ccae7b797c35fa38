"""Who does what: verbs of roles, parties of what is sent, deeds that leave rows behind, two of a kind held together."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.related import counted, none_such
from ai_engine.built_in.grammar.mods import condition_of, deny
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import (
    Alike,
    Ask,
    Cmp,
    Did,
    DoneBy,
    Fig,
    Group,
    Kind,
    Mod,
    OfParty,
    Related,
    Rows,
    When,
)
from ai_engine.built_in.grammar.questions import by
from ai_engine.built_in.grammar.reasons import Priced, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days, Stored, Thing
from ai_engine.built_in.parties import other_party, party_link, party_rows
from ai_engine.built_in.role_verbs import is_steward
from ai_engine.semantics.intent import FieldRef
from ai_engine.semantics.model import Relationship
from ai_engine.semantics.parties import Party, party_of
from ai_engine.semantics.people import name_parts

says = Constructions()
Links = tuple[Relationship, ...]


# -- roles -------------------------------------------------------------------------------------------------------


@says("Mod", "-That|:have? Does Rows", "who handled car loans")
def did(s: Schema, links: Links, rows: Rows) -> Mod | None:
    return Mod((Did(links, rows),)) if not rows.bounds else None


@says("Mod", "-That|:have? -:not -:have? Does Rows", "who have not handled car loans")
def not_did(s: Schema, links: Links, rows: Rows) -> Mod | None:
    return Mod((Did(links, rows, negated=True),)) if not rows.bounds else None


@says("Mod", "-That|:have? Does -by Rows", "handled by Ines Vogt")
@says("Mod", "-That? Rows Does", "that Ines Vogt handled")
def done_by(s: Schema, *given: Links | Rows) -> Mod | None:
    links = next(item for item in given if isinstance(item, tuple))
    rows = next(item for item in given if isinstance(item, Rows))
    return Mod((DoneBy(links, rows),)) if not rows.bounds else None


@says("Mod", "-That|:have? Does -to Rows", "sent to Tilda Brandt")
def done_to(s: Schema, links: Links, rows: Rows) -> Mod | None:
    other = _others(s, links)
    return Mod((DoneBy(other, rows),)) if other and not rows.bounds else None


@says("Mod", "-That|:have? Does -from Rows", "received from Emre Aydin")
def done_from(s: Schema, links: Links, rows: Rows) -> Mod | None:
    return done_to(s, links, rows)


def _others(s: Schema, links: Links) -> Links:
    """The links to the other party of what is sent or paid."""
    found = (party_link(link.from_dataset, link.to_dataset, other_party(link), s.knows) for link in links)
    return tuple(s.knows.model.relationship(name) for name in found if name)


@says("Mod", "from|by Rows", "from Tilda Brandt")
def from_party(s: Schema, rows: Rows) -> Mod | None:
    return _of_party("giver", rows)


@says("Mod", "to Rows", "to Emre Aydin")
def to_party(s: Schema, rows: Rows) -> Mod | None:
    return _of_party("taker", rows)


def _of_party(party: Party, rows: Rows) -> Mod | None:
    return Mod((OfParty(party, rows),)) if rows.narrowed and not rows.via and not rows.bounds else None


@says("Rows", "Anybody|People -That|:have? Does Rows", "who manages Old Mill")
def doers(s: Schema, people: Rows, links: Links, rows: Rows) -> Priced | None:
    """Whoever it is that does so: of the staff, where these handle and customers do not."""
    fits = [link for link in links if link.from_dataset == rows.dataset]
    if len(fits) != 1 or people.narrowed or fits[0].from_dataset == fits[0].to_dataset:
        return None
    told = Related(replace(rows, via=(fits[0].name,)))
    return narrow(s, Rows(fits[0].to_dataset, distinct=people.distinct), Mod((told,)))


@says("ColT", "-:who Does", "who handled")
def who_did(s: Schema, links: Links) -> tuple[FieldRef, ...] | None:
    """Shown of rows: those who play the role in them."""
    return s.knows.naming_fields(Thing(links[0].to_dataset, (links[0].name,))) if len(links) == 1 else None


@says("Rows", "Anybody|People -That|:have? Does -to|from Rows", "who sent money to Tilda Brandt")
def dealers(s: Schema, people: Rows, links: Links, rows: Rows) -> Priced | None:
    joined = party_rows(rows.dataset, s.knows)
    fits = tuple(link for link in links if link.from_dataset == joined and link.to_dataset == rows.dataset)
    other = _others(s, fits)
    if joined is None or len(fits) != 1 or len(other) != 1 or not rows.narrowed:
        return None
    dealt = narrow(s, Rows(joined), Mod((DoneBy(other, rows),)))
    return dealt and narrow(s, Rows(rows.dataset), Mod((Related(replace(dealt.value, via=(fits[0].name,))),)))


@says("Fig", "-:amount -:have? Rows Does", "how much did Tilda Brandt send")
def amount_done(s: Schema, rows: Rows, links: Links) -> Priced | None:
    fits = [link for link in links if link.to_dataset == rows.dataset and party_of(" ".join(link.synonyms))]
    fig = s.main_figure(Rows(fits[0].from_dataset)) if len(fits) == 1 and rows.narrowed else None
    found = narrow(s, fig.rows, Mod((DoneBy(tuple(fits), rows),))) if fig else None
    return found and replace(found, value=Fig(fig.core, found.value)) if fig else None


@says("Rows", "Thing -of|for Rows", "manager of the Old Mill office")
def in_a_role(s: Schema, thing: Thing, rows: Rows) -> Priced | None:
    """Those who play a role for such rows."""
    link = s.knows.model.relationship(thing.via[0]) if len(thing.via) == 1 else None
    if link is None or (link.from_dataset, link.to_dataset) != (rows.dataset, thing.dataset) or rows.via:
        return None
    if link.from_dataset == link.to_dataset:
        return None
    return narrow(s, Rows(thing.dataset), Mod((Related(replace(rows, via=(link.name,))),)))


@says("Named", "Val +Val", "Tilda Brandt")
def full_name(s: Schema, one: Stored, two: Stored) -> Rows | None:
    """A first and a last name, which are those of one person."""
    parts = name_parts(s.knows.dataset(one.dataset))
    if (one.dataset, (one.field, two.field)) != (two.dataset, parts) or one.via or two.via:
        return None
    return Rows(one.dataset, filters=(condition_of(one), condition_of(two)), named=False)


@says("Rows", "Named", "Tilda Brandt")
@says("N", "Named", "Tilda Brandt")
def somebody(s: Schema, rows: Rows) -> Rows:
    return rows


@says("Mod", "Named", "Tilda Brandt")
def of_somebody(s: Schema, rows: Rows) -> Mod:
    return Mod((Related(rows, of=True),))


@says("Rows", "Rows -That|:have? -Tends -:each? Rel", "officers who look after a contract")
def tending(s: Schema, rows: Rows, mod: Mod) -> Priced | None:
    """Those whose very noun says that they look after something: account managers, field officers."""
    return narrow(s, rows, mod) if is_steward(s.knows.dataset(rows.dataset).label) else None


@says("Ask", "-:aggregate=count Rows -:each Group -:have? -Tends", "how many contracts does each officer look after")
def tended_by_each(s: Schema, rows: Rows, group: Group) -> Priced | None:
    steward = group.thing is not None and is_steward(s.knows.dataset(group.thing).label)
    return by(s, Ask(figs=(s.count(rows),)), (group,)) if steward and not rows.bounds else None


# -- deeds -------------------------------------------------------------------------------------------------------


@says("Mod", "-That|:have|Has? Deed", "who traded")
def deed(s: Schema, thing: Thing) -> Mod:
    return Mod((Related(Rows(thing.dataset, thing.via)),))


@says("Mod", "-That|:have|Has? Deed -In|:each? Rows", "who traded the Meadow Fund")
@says("Mod", "-That|:have|Has? Deed -In? Vals", "who traded MEDW")
def deed_to(s: Schema, thing: Thing, said: Rows | Kind) -> Mod | None:
    if isinstance(said, Kind) and said.both:
        return _deed_to_each(s, thing, said)
    mod = Mod((Related(said, of=True),)) if isinstance(said, Rows) else said.mod
    found = narrow(s, Rows(thing.dataset, thing.via), mod)
    return Mod((Related(found.value),)) if found and not found.value.bounds else None


def _deed_to_each(s: Schema, thing: Thing, kind: Kind) -> Mod | None:
    """ "who traded both shares and funds": some of the one, and some of the other."""
    one_each = (kind.condition.model_copy(update={"operator": "=", "values": (v,)}) for v in kind.condition.values)
    found = [narrow(s, Rows(thing.dataset, thing.via), Kind(kind.dataset, one).mod) for one in one_each]
    return Mod(tuple(Related(item.value) for item in found if item)) if all(found) else None


@says("Mod", "-That|:have? Deed -by Rows", "traded by Tilda Brandt")
def deed_by(s: Schema, thing: Thing, rows: Rows) -> Mod | None:
    """ "money loaned by banks": of the rows that it leaves, as they are those in question."""
    return Mod((Related(rows, of=True),)) if not rows.bounds and not thing.via else None


@says("Mod", "-That|:have|Has? Deed -In|during? Days", "who traded in 2025")
def deed_in(s: Schema, thing: Thing, days: Days) -> Mod | None:
    found = narrow(s, Rows(thing.dataset, thing.via), Mod((When(days),))) if not days.moment else None
    return Mod((Related(found.value),)) if found else None


@says("Mod", "-That|:have|Has? Deed -In|during? Days -And? -:not -In? Days", "who traded in 2025 but not in 2026")
def deed_then_and_not_then(s: Schema, thing: Thing, days: Days, other: Days) -> Mod | None:
    done = deed_in(s, thing, days)
    return done and none_such(s, done, Mod((When(other),)))


@says("Mod", "-That|:have? Deed Cmp -times", "who transacted more than 10 times")
def deed_so_often(s: Schema, thing: Thing, cmp: Cmp) -> Mod | None:
    return counted(s, cmp, Rows(thing.dataset, thing.via))


@says("Mod", "-That|:have? -:not -:have? Deed", "who never traded")
def deed_denied(s: Schema, thing: Thing) -> Mod | None:
    return deny(deed(s, thing))


@says("Mod", "-That|:have? -:not -:have? Deed -In? Rows|Vals", "who never traded MEDW")
def deed_to_denied(s: Schema, thing: Thing, said: Rows | Kind) -> Mod | None:
    found = deed_to(s, thing, said)
    return found and deny(found)


@says("Fig", "Fig Deed", "loan amount borrowed")
def figure_of_deed(s: Schema, fig: Fig, thing: Thing) -> Priced | None:
    """ "quantity ordered": what is ordered belongs to an order anyhow."""
    steps = s.up(fig.rows.dataset, thing.dataset)
    return Priced(fig, times("a step away", steps)) if steps is not None and not thing.via else None


# -- two of a kind -----------------------------------------------------------------------------------------------


@says("Mod", "-That|Has|In? :same Field -That|In|:have? -Their? Thing", "in the same town as their office")
@says("Mod", "-That|Has|In? :same Field -That|In|:have? -Their? Thing Field", "in another town than the depot town")
def alike(s: Schema, operator: str, field: FieldRef, thing: Thing, other: FieldRef | None = None) -> Mod:
    return Mod((Alike(operator, field, thing, other),))


@says(
    "Mod",
    "-That|Has|In? Thing -:and Thing -That|:have|In? :same Field",
    "where sender and receiver live in the same town",
)
def alike_both(s: Schema, one: Thing, two: Thing, operator: str, field: FieldRef) -> Mod | None:
    return Mod((Alike(operator, field, two, first=one),)) if one != two else None


@says(
    "Mod",
    "-That? Field -That|:not? -:compare=!= -That|:have|In? -Their? Thing -That? Field?",
    "whose home town is different from their office town",
)
@says(
    "Mod",
    "-That? Field -That? -:not -That|:have|In? -Their? Thing -That? Field?",
    "whose home town is not their office town",
)
def unlike(s: Schema, field: FieldRef, thing: Thing, other: FieldRef | None = None) -> Mod:
    return Mod((Alike("!=", other or field, thing, other, own=field),))


@says("Mod", "-In? Thing -In? -Their? Thing -own Field", "at a depot in the borrower's own town")
def own(s: Schema, one: Thing, two: Thing, field: FieldRef) -> Mod | None:
    return Mod((Alike("=", field, two, first=one),)) if one != two else None


@says(
    "Mod",
    "-That Thing -In|:have? :same Field -In? -Their? Thing",
    "whose borrower lives in another town than the depot",
)
def alike_of(s: Schema, one: Thing, operator: str, field: FieldRef, two: Thing) -> Mod | None:
    return Mod((Alike(operator, field, two, first=one),)) if one != two else None
