"""Rules for what a date of the rows tells by being there: "sent letters", "how many were used", "still open"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Stored, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, FieldRef
from ai_engine.semantics.words import stem, words

_STATE_KEPT = 0.3  # where rows keep "open" as a state, that is what it says


def tells_it_happened(walk: Walk) -> bool:
    """Take a verb without doer and object as the condition that its date is known, or with a denial that it is not."""
    stamp = _before_its_noun(walk) or _said_last(walk)
    if stamp is None:
        return False
    missing = walk.use_negation()
    walk.add_filter(Condition(field=stamp, operator="is null" if missing else "is not null"))
    walk.take(1, f"{walk.knowledge.field(stamp).label} is {'not known' if missing else 'known'}")
    return True


def _before_its_noun(walk: Walk) -> FieldRef | None:
    """ "sent letters": the date that tells when it happened to the rows named next."""
    noun = walk.peek(1)
    before = walk.peek(-1)
    described = before is None or isinstance(before, Stored) or walk.is_cue(-1, "aggregate", "share", "list", "stop")
    if walk.subject is not None or not described or not isinstance(noun, Thing):
        return None
    return date_called(walk, noun.dataset, walk.text())


def _said_last(walk: Walk) -> FieldRef | None:
    """ "how many vouchers were used": the rows' own date says nothing, for each row has it."""
    subject = walk.subject
    after = walk.skip(1, "stop")
    ends = walk.peek(after) is None or (walk.is_cue(after, "group") and isinstance(walk.peek(after + 1), Attribute))
    if subject is None or not ends:
        return None
    stamp = date_called(walk, subject, walk.text())
    return stamp if stamp != walk.knowledge.time_field(subject) else None


def still_open(walk: Walk, found: Attribute) -> bool:
    """ "open complaints", "how many are still open" say a state: no closing date, where the rows have one."""
    describes = isinstance(walk.peek(1), Thing | Stored)
    ends = walk.peek(1) is None or walk.is_cue(1, "stop", "group", "and")
    is_date = walk.knowledge.field(found).role == "time" and not walk.sketch.asks_when
    if walk.text().lower() != "open" or not is_date or not (describes or ends):
        return False
    closing = date_called(walk, found.dataset, "closed")
    if closing is None:
        walk.leave_over()
        return True
    states = walk.knowledge.lexicon.values.exactly(("open",))
    walk.sketch.cost += _STATE_KEPT * any(state.dataset == found.dataset for state in states)
    label = walk.knowledge.field(closing).label
    closed = walk.use_negation()
    walk.add_filter(Condition(field=closing, operator="is not null" if closed else "is null"))
    walk.assume(f"“open” was read as: {label} is missing.")
    walk.take(1, f"{label} is {'known' if closed else 'missing'}")
    return True


def date_called(walk: Walk, dataset: str, verb: str) -> FieldRef | None:
    """Return the only date of the rows that has a verb in its name."""
    said = {stem(word) for word in words(verb)[-1:]}
    found = [
        item.name
        for item in walk.knowledge.dataset(dataset).fields
        if item.role == "time" and said.intersection(map(stem, words(item.label)))
    ]
    return FieldRef(dataset=dataset, field=found[0]) if len(found) == 1 else None
