"""Rules for rows that nothing refers to: "never used", "unused", "nobody has joined", "nothing has been paid for"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.linking import called_by_verb
from ai_engine.built_in.meanings import Attribute, Days, Thing
from ai_engine.built_in.rules.deeds import named_deed
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, FieldRef, Membership
from ai_engine.semantics.words import words

_USE = frozenset(
    """
    used use sold chosen selected picked taken assigned bought ordered issued booked traded applied placed availed
    joined signed subscribed enrolled unused opened held owned
    """.split()
)

_COSTS = ("fee", "fees", "price", "cost", "costs", "charge", "charges")
_PRICES = dict.fromkeys(("cost", "costs", "costing", "charge", "charges", "free"), _COSTS) | dict.fromkeys(
    ("owe", "owes", "owing"), ("owed", "outstanding", "due", "balance")
)


def never_used(walk: Walk) -> bool:
    """ "payment methods never used so far": a verb denied without an object denies whatever refers to the subject."""
    subject = walk.subject
    if not walk.negated or subject is None or not _has_no_object(walk, subject):
        return False
    left = rows_left_by(walk, subject, walk.text())
    if left is None:
        return False
    _deny(walk, left, 1)
    return True


def unused(walk: Walk) -> None:
    """ "unused cards": cards to which nothing refers."""
    noun = walk.peek(1)
    subject = noun.dataset if isinstance(noun, Thing) else walk.subject
    left = rows_left_by(walk, subject, "unused") if subject is not None else None
    if left is None:
        walk.leave_over()
        return
    _deny(walk, left, 1)
    walk.open_membership = False


def nobody(walk: Walk) -> None:
    """ "programs nobody has joined", "branches that nobody uses as home branch", "who bought nothing"."""
    subject, ahead = walk.subject, walk.skip(1, "have", "not")
    noun = walk.peek(ahead)
    if subject is None:
        walk.leave_over()
    elif (price := _price(walk, subject)) is not None:
        walk.add_filter(Condition(field=price, operator="=", values=(0,)))
        walk.take(1 + (isinstance(noun, Attribute) and noun.field == price.field), "nothing: 0")
    elif isinstance(noun, Thing) and noun.via and noun.dataset == subject:
        role = walk.knowledge.model.relationship(noun.via[-1])
        _deny(walk, role.from_dataset, ahead + 1, noun.via)
    elif isinstance(noun, Thing) and noun.dataset != subject and not walk.knowledge.is_parent(subject, noun.dataset):
        _deny(walk, noun.dataset, ahead + 1, noun.via)
    elif (deed := named_deed(walk, ahead)) is not None:
        _deny(walk, deed, ahead + 1)
    else:
        verb = walk.items[walk.position + ahead - 1 if ahead > 1 else walk.position - 1].text
        left = rows_left_by(walk, subject, verb)
        if left is None:
            walk.leave_over(ahead)
        else:
            _deny(walk, left, ahead)


def _price(walk: Walk, subject: str) -> FieldRef | None:
    """ "programs that cost nothing", "where nothing is owed": the only figure of the subject that the verb is about."""
    said, owed = words(walk.text().lower()), walk.peek(1)
    if isinstance(owed, Attribute) and owed.dataset == subject and walk.knowledge.field(owed).role == "measure":
        return ref(owed) if said == ("nothing",) else None
    named = {noun for verb in said for noun in _PRICES.get(verb, ())}
    found = [
        FieldRef(dataset=subject, field=item.name)
        for item in walk.knowledge.dataset(subject).fields
        if item.role == "measure" and item.unit != "percent" and named.intersection(words(item.label))
    ]
    return found[0] if len(found) == 1 else None


def rows_left_by(walk: Walk, subject: str, verb: str) -> str | None:
    """The rows that using, selling or joining the subject leaves behind: those called by the verb, or the only ones."""
    knows = walk.knowledge
    referring = knows.referring(subject)
    said = words(verb.lower())
    named = called_by_verb(said, referring, knows)
    if len(named) == 1:
        return named[0]
    return referring[0] if len(referring) == 1 and (_USE.intersection(said) or len(said) == 0) else None


def _has_no_object(walk: Walk, subject: str) -> bool:
    """Whether nothing follows that the verb could be about; a name of the subject's own is only to be shown."""
    following = walk.peek(1)
    if isinstance(following, Attribute):
        role = walk.knowledge.field(following).role
        return following.dataset == subject and role in {"name", "text", "identifier"} and walk.text().lower() in _USE
    return following is None or isinstance(following, Days) or walk.is_cue(1, "stop", "and", "relative", "list")


def _deny(walk: Walk, dataset: str, taken: int, via: tuple[str, ...] = ()) -> None:
    walk.negated = walk.having = False
    walk.take(taken, f"without {walk.knowledge.dataset(dataset).label}")
    walk.add_filter(Membership(dataset=dataset, negated=True, via=via))
