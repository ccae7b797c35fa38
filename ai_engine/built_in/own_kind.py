"""Rows that belong to others of their own table: an agent's supervisor is an agent, a branch's head office a branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Meaning, Stored, Thing, Unknown
from ai_engine.built_in.role_verbs import is_steward, is_stewardship
from ai_engine.built_in.sketch import Sketch
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Measure
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.words import words

_NAMING = frozenset({"name", "identifier"})


def settle_own_kind(sketch: Sketch, knows: Knowledge) -> None:
    """Tell those who play the role from the rows that belong to them, which are of the same table."""
    _list_with_superiors(sketch, knows)
    played = [thing for thing in sketch.things if leads_to_its_own(thing, knows)]
    if len(played) != 1:
        return
    role = played[0]
    rows = Thing(role.dataset)
    ranked = any(wish.measure is not None and wish.measure.dataset == role.dataset for wish in sketch.orders)
    if ranked and not sketch.groups:
        sketch.groups, sketch.things = [role], [rows]  # "which supervisor has the most agents"
    elif rows in sketch.things and not sketch.measures:
        sketch.things.remove(role)  # "agents and their supervisors"
        sketch.beside += [] if _is_described(sketch, role) or role in sketch.beside else [role]
    elif rows not in sketch.things and not sketch.groups:
        _ask_for_them(sketch, role, knows)


def with_their_superiors(texts: Sequence[str], meanings: Sequence[Meaning], knowledge: Knowledge) -> list[Meaning]:
    """ "agents supervised by Ann Lee": she is who plays the role, not one of the agents."""
    found = list(meanings)
    noun: str | None = None
    for at, meaning in enumerate(meanings):
        noun = meaning.dataset if isinstance(meaning, Thing | Attribute) else noun
        if not isinstance(meaning, Stored) or meaning.via:
            continue
        said = words(" ".join(texts[max(0, at - 2) : at]))
        if len(said) < len(("supervised", "by")) or said[-1] != "by":
            continue
        links = knowledge.lexicon.role_verbs.links(said[-2])
        own = [link for link in links if link.from_dataset == link.to_dataset == meaning.dataset]
        own = own if noun in {None, meaning.dataset} else []
        if len(own) == 1:
            found[at] = replace(meaning, via=(own[0].name,))
        elif is_stewardship(said[-2]) and not _looks_after(meaning, noun, knowledge):
            found[at] = Unknown(f"{said[-2]} by {texts[at]}")
    return found


def _looks_after(found: Stored, noun: str | None, knowledge: Knowledge) -> bool:
    """ "accounts managed by Ann Lee", where she is a customer: nobody of her table manages anything."""
    dataset = knowledge.dataset(found.dataset)
    if dataset.field(found.field).role != "name" or not calls_people(dataset) or is_steward(dataset.label):
        return True
    acting = [link for link in knowledge.model.relationships if link.to_dataset == found.dataset and link.synonyms]
    return any(
        is_steward(link.synonyms[0])
        and (noun in {None, link.from_dataset} or knowledge.is_parent(str(noun), link.from_dataset))
        and link.from_dataset != link.to_dataset
        for link in acting
    )


def leads_to_its_own(thing: Thing, knows: Knowledge) -> bool:
    """Tell whether a thing is said by the role that it plays for rows of its own table."""
    if len(thing.via) != 1:
        return False
    link = knows.model.relationship(thing.via[0])
    return link.from_dataset == link.to_dataset == thing.dataset


def has_superior(thing: Thing, knows: Knowledge, *, lacks: bool) -> Condition:
    """Whether a row belongs to another one of its table: "agents without a supervisor"."""
    link = knows.model.relationship(thing.via[0])
    place = FieldRef(dataset=thing.dataset, field=link.from_columns[0])
    return Condition(field=place, operator="is null" if lacks else "is not null")


def _list_with_superiors(sketch: Sketch, knows: Knowledge) -> None:
    """ "each agent, next to the supervisor's name": the agent is shown too."""
    theirs = [item for item in sketch.attributes if leads_to_its_own(Thing(item.dataset, item.via), knows)]
    rows = [group for group in sketch.groups if isinstance(group, Thing) and not group.via]
    if sketch.measures or not theirs or theirs != sketch.attributes or len(rows) != 1 or rows != sketch.groups:
        return
    if any(item.dataset != rows[0].dataset for item in theirs):
        return
    own = [Attribute(item.dataset, item.field) for item in knows.naming_fields(rows[0])]
    sketch.groups, sketch.each_groups, sketch.things = [], [], rows
    sketch.attributes = [*own, *theirs]


def _is_described(sketch: Sketch, role: Thing) -> bool:
    return any((item.dataset, item.via) == (role.dataset, role.via) for item in sketch.attributes)


def _ask_for_them(sketch: Sketch, role: Thing, knows: Knowledge) -> None:
    """ "who supervises Ann Lee", "list the supervisors": a name tells whose, anything else what they are."""
    key, counts = knows.key(role.dataset), [Measure(aggregate="count", dataset=role.dataset)]
    told = sketch.orders or sketch.havings or sketch.period is not None
    told = told or any(_is_elsewhere(item, role) for item in sketch.filters)
    if key is None or told or sketch.measures not in ([], counts):
        sketch.unplaced.append(f"{knows.model.relationship(role.via[0]).synonyms[0]}: of whom")
        return
    theirs = key.model_copy(update={"via": role.via})
    sketch.filters = [_of_the_role(item, role, knows) for item in sketch.filters]
    sketch.filters.append(Condition(field=theirs, operator="is not null"))
    sketch.things = [Thing(role.dataset)]
    if sketch.measures:
        sketch.measures = [Measure(aggregate="count_distinct", field=theirs)]
        return
    shown = sketch.attributes or [Attribute(item.dataset, item.field) for item in knows.naming_fields(role)]
    sketch.attributes = [replace(item, via=role.via) if item.dataset == role.dataset else item for item in shown]
    sketch.distinct = True


def _is_elsewhere(item: Filter, role: Thing) -> bool:
    return not isinstance(item, Condition) or item.field.dataset != role.dataset


def _of_the_role(item: Filter, role: Thing, knows: Knowledge) -> Filter:
    if not isinstance(item, Condition):
        return item
    if knows.field(item.field).role in _NAMING and item.operator == "=":
        return item.model_copy(update={"field": item.field.model_copy(update={"via": ()})})
    return item.model_copy(update={"field": item.field.model_copy(update={"via": role.via})})
