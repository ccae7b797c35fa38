"""Rules for "not" and its like, which wait for what they deny."""

from __future__ import annotations

from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.sketch import Walk

LEAVING_OUT = frozenset(
    {"excluding", "exclude", "except", "except for", "leaving out", "ignoring", "skipping", "omitting", "not counting"}
)


def negation(walk: Walk) -> None:
    """ "not", "without": waits for what it denies."""
    if walk.negated and not walk.is_cue(-1, "not"):
        walk.sketch.unplaced.append("not")  # "skipping types never sold": what denies what is not understood
    passed = _denies_what_they_are(walk)
    leaves_out = walk.text().lower() in LEAVING_OUT and isinstance(walk.peek(1), Thing)
    if leaves_out and not passed and walk.is_cue(2, "not", "have", "relative"):
        walk.leave_over(2)  # some of them are left out, and which is not understood
        return
    walk.negated = not walk.negated
    walk.take(1 + passed, "not")


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
