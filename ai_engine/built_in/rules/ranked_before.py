"""Rules for what is ranked by the superlative behind it: "whose balance is highest", "who spent the most"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Days
from ai_engine.built_in.sketch import Walk


def ranks_said_field(walk: Walk, kind: str) -> bool:
    """ "the five accounts whose balance is highest": the field stands before its superlative."""
    named, ended = walk.peek(-1), walk.peek(1) is None or walk.is_cue(1, "stop")
    if not (ended and isinstance(named, Attribute) and walk.is_cue(-2, "relative") and kind not in {"many", "few"}):
        return False
    last = walk.sketch.attributes[-1] if walk.sketch.attributes else None
    return last == named and walk.knowledge.field(named).role in {"measure", "time"}


def is_most_of_what_was_said(walk: Walk, kind: str) -> bool:
    """ "who spent the most last year": the verb before it is a figure, and nothing that is counted follows."""
    last = walk.sketch.attributes[-1] if walk.sketch.attributes else None
    if kind not in {"many", "few"} or last is None or walk.peek(-1) != last or walk.sketch.measures:
        return False
    adds_up = walk.knowledge.field(last).default_aggregate == "sum" and bool(walk.sketch.things)
    return adds_up and (isinstance(walk.peek(1), Days) or walk.is_cue(1, "stop") or walk.peek(1) is None)
