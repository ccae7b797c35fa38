"""Whose a value or a thing is: of the noun that it stands before, of something else, of what lies between."""

from __future__ import annotations

from ai_engine.built_in.linking import called_by_verb
from ai_engine.built_in.meanings import Attribute, Cue, Figure, Stored, Thing
from ai_engine.built_in.sketch import Item, Walk
from ai_engine.semantics.intent import FieldRef, Measure, Membership
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.words import name_key, words


def is_state_of_something_else(walk: Walk) -> bool:
    """ "pending requests", where requests have a status of their own and "pending" is that of the customer's KYC."""
    found, noun = walk.peek(), walk.peek(1)
    if isinstance(found, Stored) and isinstance(noun, Stored):
        return _describes_the_kind(walk, found, noun)
    if not (isinstance(found, Stored) and isinstance(noun, Thing)) or walk.items[walk.position].with_field:
        return False
    if walk.items[walk.position + 1].apart or noun.dataset == found.dataset or len(words(walk.text())) > 1:
        return False
    place = FieldRef(dataset=found.dataset, field=found.field)
    label = words(walk.knowledge.field(place).label)
    own = any("status" in words(item.label) for item in walk.knowledge.dataset(noun.dataset).fields)
    if own and "status" in label:
        return not set(words(walk.text())) <= set(label)  # "NPA clients": of an "NPA status"
    return label[-1] == "state" and _has_it_too(walk, noun)


def _describes_the_kind(walk: Walk, found: Stored, kind: Stored) -> bool:
    """ "members with an active savings account", where both have a status: the account is active."""
    place = FieldRef(dataset=found.dataset, field=found.field)
    owned = kind.dataset == found.dataset or walk.knowledge.is_parent(found.dataset, kind.dataset)
    if walk.items[walk.position + 1].apart or owned:
        return False
    return "status" in words(walk.knowledge.field(place).label) and _has_it_too(walk, kind)


def _has_it_too(walk: Walk, noun: Thing | Stored) -> bool:
    """ "open savings accounts", where these can be open themselves: no state of the cards is meant."""
    held = (found.meaning for found in walk.knowledge.lexicon.stored(words(walk.text())))
    return any(isinstance(value, Stored) and value.dataset == noun.dataset for value in held)


def is_state_of_parts(walk: Walk) -> bool:
    """ "overdue EMI", where instalments are overdue and the EMI is kept once per loan: an amount of other rows."""
    found, figure = walk.peek(), walk.peek(1)
    if not (isinstance(found, Stored) and isinstance(figure, Attribute)) or walk.items[walk.position + 1].apart:
        return False
    label = walk.knowledge.field(FieldRef(dataset=found.dataset, field=found.field)).label
    measured = walk.knowledge.field(figure).role == "measure"
    return measured and "status" in words(label) and walk.knowledge.is_parent(found.dataset, figure.dataset)


def of_other_people(walk: Walk) -> bool:
    """ "senior clients", where it is their advisers who can be senior: nobody says so of the clients."""
    value, noun = walk.peek(), walk.peek(1)
    if not (isinstance(value, Stored) and isinstance(noun, Thing)) or noun.dataset == value.dataset:
        return False
    return all(calls_people(walk.knowledge.dataset(name)) for name in (value.dataset, noun.dataset))


def is_deed_to_something(walk: Walk) -> bool:
    """ "members who rent no box", where a kind of payment is called rent: behind "who" it is a verb with its object."""
    found, thing = walk.peek(), walk.peek(walk.skip(1, "not", "stop"))
    if not (isinstance(found, Stored) and isinstance(thing, Thing)) or thing.dataset == found.dataset:
        return False
    one_word = len(words(walk.text())) == 1 and not walk.text().lower().endswith("ed")
    return one_word and walk.items[max(walk.position - 1, 0)].text.lower() == "who"


def is_part_of_something_else(walk: Walk) -> bool:
    """ "accounts opened online", where "Online Transfer" is a kind of payment and no payment is spoken of."""
    found, knows = walk.peek(), walk.knowledge
    if isinstance(found, Stored) and _leaves_its_noun_to_another(walk, found):
        return True
    if not (isinstance(found, Stored) and found.by_part):
        return False
    holder = knows.model.relationship(found.via[0]).from_dataset if found.via else found.dataset
    noun = walk.peek(1)
    if isinstance(noun, Thing) and not walk.items[walk.position + 1].apart:
        return noun.dataset != holder and not knows.is_parent(noun.dataset, holder)
    others = [item for place, item in enumerate(walk.items) if place != walk.position]
    named = {item.meaning.dataset for item in others if isinstance(item.meaning, Thing | Attribute | Stored)}
    named |= {base for item in others if isinstance(item.meaning, Figure) and (base := _base(item.meaning, walk))}
    verbs = [word for item in others if isinstance(item.meaning, Cue) for word in words(item.text)]
    told = any(name == holder or knows.is_parent(name, holder) for name in named)
    return bool(named) and not told and not called_by_verb(verbs, [holder], knows)


def _leaves_its_noun_to_another(walk: Walk, found: Stored) -> bool:
    """ "gold customers", where there is a "Gold Loan": a loan of that kind would be said with its noun."""
    noun, value, said = walk.peek(1), words(str(found.value)), words(walk.text())
    if not isinstance(noun, Thing) or noun.dataset == found.dataset or walk.items[walk.position + 1].apart:
        return False
    knows = walk.knowledge
    if noun.via and knows.model.relationship(noun.via[-1]).from_dataset == found.dataset:
        return False  # "gold borrowers"
    own = knows.lexicon.is_noun(value[-1], Thing(found.dataset)) if value else False
    return own and value[:-1] == said


def is_figure_of_something_else(walk: Walk) -> bool:
    """ "lost customers", where a number is called "lost accounts": a name without its noun counts that noun's rows."""
    found = walk.peek()
    metric = walk.knowledge.model.metric(found.metric) if isinstance(found, Figure) else None
    noun = _counted_noun(walk)
    if metric is None or metric.unit != "count" or noun is None:
        return False
    said = set(name_key(words(walk.text())))
    names = [set(name_key(words(name))) for name in (metric.label, metric.name, *metric.synonyms)]
    left_out = {word for name in names if said < name for word in name - said}
    return said not in names and not left_out.intersection(name_key(words(noun.text)))


def _counted_noun(walk: Walk) -> Item | None:
    """The noun that a word describes: the one right after it, else the one before: "customers that were lost"."""
    after, before = walk.position + 1, walk.position - 1
    if isinstance(walk.peek(1), Thing | Stored) and not walk.items[after].apart:
        return walk.items[after]
    while before > 0 and isinstance(cue := walk.items[before].meaning, Cue) and cue.kind in {"have", "relative"}:
        before -= 1
    return walk.items[before] if before >= 0 and isinstance(walk.items[before].meaning, Thing) else None


def _base(figure: Figure, walk: Walk) -> str | None:
    return walk.knowledge.base(Measure(metric=figure.metric))


def lies_between(walk: Walk, found: Thing, last: Membership, subject: str) -> bool:
    """ "clients who placed no order in any of their portfolios in May": the way from the one to the other."""
    knows = walk.knowledge
    between = knows.is_parent(last.dataset, found.dataset) and knows.is_parent(found.dataset, subject)
    return between and walk.items[walk.position].apart and not walk.having and not walk.negated
