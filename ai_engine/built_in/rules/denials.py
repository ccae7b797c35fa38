"""Rules for "not" and its like, which wait for what they deny."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import words

LEAVING_OUT = frozenset(
    {
        "excluding",
        "exclude",
        "except",
        "except for",
        "leaving out",
        "leave out",
        "omit",
        "ignoring",
        "skipping",
        "omitting",
        "not counting",
    }
)

_KEYS = frozenset({"id", "code", "number", "no", "key", "identifier"})


def negation(walk: Walk) -> None:
    """ "not", "without": waits for what it denies."""
    if walk.negated and not walk.is_cue(-1, "not"):
        walk.sketch.unplaced.append("not")  # "skipping types never sold": what denies what is not understood
    if _is_not_shown(walk):
        walk.take(2, "not shown")
        return
    if walk.negated and walk.items[walk.position - 1].text.lower() in LEAVING_OUT:
        walk.negated = False
        walk.leave_over()  # "excluding those without a loan or an account": two denials are no saying of nothing
        return
    passed = _denies_what_they_are(walk)
    leaves_out = walk.text().lower() in LEAVING_OUT and isinstance(walk.peek(1), Thing)
    if leaves_out and not passed and walk.is_cue(2, "not", "have", "relative"):
        walk.leave_over(2)  # some of them are left out, and which is not understood
        return
    walk.negated = not walk.negated
    walk.take(1 + passed, "not")


def _is_not_shown(walk: Walk) -> bool:
    """ "the names, not the codes": said last, the key is only no column; what is shown was named before."""
    denied, named = walk.peek(1), walk.sketch.attributes
    last = isinstance(walk.peek(-2), Attribute) and walk.peek(walk.skip(2, "stop")) is None
    last = last and walk.is_cue(-1, "stop", "and")
    if not (last and named and walk.text().lower() in {"not", "but not"}) or walk.sketch.measures:
        return False
    key = walk.knowledge.key(denied.dataset) if isinstance(denied, Attribute | Thing) else None
    if key is None or (isinstance(denied, Attribute) and denied.field != key.field):
        return False
    said = [singular(word) for word in words(walk.items[walk.position + 1].text)]
    is_key = said[-1] in words(walk.knowledge.field(key).label) and said[-1] in _KEYS
    return is_key and all(item.field != key.field for item in named)


def _denies_what_they_are(walk: Walk) -> int:
    """ "ignoring people whose job is unknown": of the rows in question, those are left out; one condition only."""
    noun = walk.peek(1)
    known = isinstance(noun, Thing) and any(noun.dataset == thing.dataset for thing in walk.sketch.things)
    if walk.text().lower() not in LEAVING_OUT or not known or not walk.is_cue(2, "relative"):
        return 0
    rest = range(3, len(walk.items) - walk.position)
    ends = next((place for place in rest if walk.is_cue(place, "stop")), None)
    return (
        0 if any(walk.is_cue(place, "and", "or", "not") for place in rest[: None if ends is None else ends - 3]) else 2
    )
