"""Rules for whom "who" asks: "who has a loan", "who is the branch manager", "who is the handler of claim 12"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Stored, Thing
from ai_engine.built_in.rules.besides import asks_person_too, asks_whose
from ai_engine.built_in.rules.bounds import group_told
from ai_engine.built_in.rules.roles import role_shown, who_does
from ai_engine.built_in.rules.rows_of_values import count_rows_of_value
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.words import words

_BEING = frozenset({"is", "are", "was", "were"})


def asks_who(walk: Walk) -> None:
    """ "who has ...": people, unless the sentence names them."""
    count_rows_of_value(walk)
    people = walk.knowledge.people
    if group_told(walk) is not None and walk.peek(-1) == group_told(walk):
        walk.take(1)  # "for each clerk who has handled"
        return
    role = role_shown(walk)
    if role is not None:
        walk.sketch.beside.append(role)
        walk.take(2, "shown beside")
        return
    if asks_whose(walk) or asks_person_too(walk):
        return
    if walk.is_cue(-1, "list", "and", "stop") and walk.is_cue(1, "have") and not _says_what(walk, 2):
        walk.leave_over(2)  # "show who paid and who was paid": people in two roles, with nothing that tells them apart
        return
    first = not walk.sketch.things and not walk.sketch.attributes and not walk.sketch.measures
    first = first and not isinstance(walk.peek(-1), Thing | Stored)  # "each agent who", "cashiers who"
    named = any(isinstance(item.meaning, Thing) and item.meaning.dataset == people for item in walk.items)
    named = named or _names_who_it_is(walk)
    if first and _holds_two_people(walk):
        walk.leave_over()
        return
    doer = (who_does(walk) or _people_of_value(walk)) if first else None
    if doer is not None:
        walk.sketch.things.append(doer)
    elif first and people is not None and not named:
        walk.sketch.things.append(Thing(people))
    walk.sketch.asks_what |= first
    walk.take(1)


def _says_what(walk: Walk, ahead: int) -> bool:
    return walk.peek(ahead) is not None and not walk.is_cue(ahead, "and", "stop")


def _names_who_it_is(walk: Walk) -> bool:
    """ "who is the manager of Old Mill": the noun says which people are asked for."""
    noun = walk.peek(1)
    return _asks_who_it_is(walk) and isinstance(noun, Thing) and calls_people(walk.knowledge.dataset(noun.dataset))


def _people_of_value(walk: Walk) -> Thing | None:
    """ "who is the branch manager": those who have that job, and no customers of theirs."""
    found = walk.peek(1)
    if not (_asks_who_it_is(walk) and isinstance(found, Stored)) or found.via:
        return None
    return Thing(found.dataset) if calls_people(walk.knowledge.dataset(found.dataset)) else None


def _holds_two_people(walk: Walk) -> bool:
    """ "who is Ann Lee's branch manager": one is asked for and one is named, by values of which none says which."""
    found = _people_of_value(walk)
    said = [item.meaning for item in walk.items if isinstance(item.meaning, Stored)]
    others = {value.dataset for value in said if found is not None and value.dataset != found.dataset}
    return any(calls_people(walk.knowledge.dataset(name)) for name in others) and _names_somebody(walk, said)


def _names_somebody(walk: Walk, said: list[Stored]) -> bool:
    return any(walk.knowledge.dataset(value.dataset).field(value.field).role == "name" for value in said)


def _asks_who_it_is(walk: Walk) -> bool:
    said = words(walk.text())
    return said[-1] in _BEING or (
        len(said) == 1 and walk.position + 1 < len(walk.items) and walk.items[walk.position + 1].apart
    )
