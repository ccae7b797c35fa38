"""Rules for roles: who handles, manages or borrows what, and two roles held against each other."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Stored, Thing
from ai_engine.built_in.parties import other_party, party_link, party_rows
from ai_engine.built_in.role_verbs import is_steward, is_stewardship
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.infer.datasets import is_about_people
from ai_engine.semantics.intent import Condition, Operator
from ai_engine.semantics.model import Relationship
from ai_engine.semantics.parties import is_agent
from ai_engine.semantics.words import words

_LIGHT = frozenset({"has", "have", "had", "did", "do", "does"})


def other_role(walk: Walk, operator: Operator, ahead: int = 0) -> bool:
    """Compare what a row belongs to in one role with what it belongs to in another, named at `ahead`."""
    owner, role = walk.peek(ahead), walk.peek(ahead + 1)
    taken = ahead + 1
    if isinstance(owner, Thing) and not owner.via and isinstance(role, Thing):
        taken += 1  # "the customer's home branch"
    else:
        role = owner
    subject, knows = walk.subject, walk.knowledge
    if not isinstance(role, Thing) or not role.via or subject is None or not knows.is_parent(subject, role.dataset):
        return False
    key = knows.key(role.dataset)
    first = next((thing for thing in walk.sketch.things[1:] if thing.dataset == role.dataset), None)
    if key is None or first is None or first.via == role.via:
        return False
    walk.sketch.things.remove(first)
    place, other = (key.model_copy(update={"via": thing.via}) for thing in (first, role))
    walk.take(taken, f"{operator} {knows.dataset(role.dataset).label}")
    walk.add_filter(Condition(field=place, operator=operator, other=other))
    return True


def who_does(walk: Walk) -> Thing | None:
    """ "who handled the claims", "who manages the branch": those to whom it points in the role of the verb."""
    ahead = 1
    while walk.is_cue(ahead, "have") and walk.items[walk.position + ahead].text.lower() in _LIGHT:
        ahead += 1
    if not walk.is_cue(ahead, "have"):
        return None
    verb, spoken = walk.items[walk.position + ahead].text, _spoken_of(walk)
    links = [link for link in walk.knowledge.lexicon.role_verbs.links(verb) if _is_at_hand(walk, link, spoken)]
    if not links and is_stewardship(verb):
        links = [link for link in _leading_to_stewards(walk) if link.from_dataset in spoken]
    if len({link.name for link in links}) == 1:
        return Thing(links[0].to_dataset, (links[0].name,))
    return None


def role_shown(walk: Walk) -> Thing | None:
    """ "show who paid, who was paid": said in a list, the people of the rows that were named before."""
    rows = walk.sketch.things[0].dataset if walk.sketch.things else None
    ended = walk.peek(2) is None or walk.is_cue(2, "stop", "and")
    if rows is None or not ended or not walk.is_cue(1, "have") or not walk.is_cue(-1, "list", "stop", "and"):
        return None
    verb = walk.items[walk.position + 1].text
    links = [link for link in walk.knowledge.lexicon.role_verbs.links(verb) if link.from_dataset == rows]
    if len(links) != 1:
        return None
    passive = bool({"was", "were", "is", "are", "got"}.intersection(words(walk.text())))
    other = party_link(rows, links[0].to_dataset, other_party(links[0]), walk.knowledge)
    if passive and other is None:
        return None
    return Thing(links[0].to_dataset, (other if passive and other else links[0].name,))


def is_nobodys(walk: Walk) -> bool:
    """ "who manages the branch" where no column tells who does: its clients do not."""
    if not is_stewardship(walk.text()):
        return False
    subject, spoken = walk.subject, _spoken_of(walk)
    if subject is None or not _are_people(walk, subject):
        return False
    pointing = [link for link in walk.knowledge.model.relationships_of(subject) if link.to_dataset == subject]
    able = [link for link in pointing if not link.synonyms or is_steward(link.synonyms[0])]
    named = is_steward(walk.knowledge.dataset(subject).label)
    return not any(link.from_dataset in spoken and (link.synonyms or named or not _asks_who(walk)) for link in able)


def _asks_who(walk: Walk) -> bool:
    return any(walk.is_cue(place - walk.position, "who") for place in range(walk.position))


def _are_people(walk: Walk, dataset: str) -> bool:
    known = walk.knowledge.dataset(dataset)
    return is_about_people(known.label, [words(item.label) for item in known.fields])


def _spoken_of(walk: Walk) -> set[str]:
    """Datasets of what is named, but for the people asked for."""
    return {item.meaning.dataset for item in walk.items if isinstance(item.meaning, Thing | Attribute | Stored)}


def _is_at_hand(walk: Walk, link: Relationship, spoken: set[str]) -> bool:
    """A role in rows that are named, or in those that join two of the people named: "who sent money to Ann"."""
    return not spoken or link.from_dataset in spoken or party_rows(link.to_dataset, walk.knowledge) == link.from_dataset


def _leading_to_stewards(walk: Walk) -> list[Relationship]:
    model = walk.knowledge.model
    return [link for link in model.relationships if is_steward(model.dataset(link.to_dataset).label)]


def way_to(walk: Walk, found: Thing) -> tuple[str, ...]:
    """ "debtors with rejected orders": the orders of which they are the debtor."""
    subject = walk.sketch.things[0].via if walk.sketch.things else ()
    if found.via or len(subject) != 1:
        return found.via
    return subject if walk.knowledge.model.relationship(subject[0]).from_dataset == found.dataset else ()


def plays_in(walk: Walk, dataset: str) -> bool:
    """ "who manages Old Mill": the office in which they play the role of the verb, not the one they belong to."""
    subject = walk.sketch.things[0].via if walk.sketch.things else ()
    if len(subject) != 1:
        return False
    link = walk.knowledge.model.relationship(subject[0])
    return link.from_dataset == dataset and any(map(is_agent, link.synonyms))


def way_by_deed(walk: Walk, people: str, behind: int = -1) -> str | None:
    """ "loans guaranteed by": the role that the verb names, played in rows of which each row in question has many."""
    said = words(walk.items[walk.position + behind].text) if walk.position + behind >= 0 else ()
    if len(said) < len(("guaranteed", "by")) or said[-1] != "by" or walk.subject is None:
        return None
    links = walk.knowledge.lexicon.role_verbs.links(said[-2])
    if len(links) != 1 or links[0].to_dataset != people or links[0].from_dataset == walk.subject:
        return None
    return links[0].name if walk.knowledge.is_parent(links[0].from_dataset, walk.subject) else None
