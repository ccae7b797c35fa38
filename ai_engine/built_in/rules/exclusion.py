"""Rules for what leaves all others out: "only"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Stored, Thing
from ai_engine.built_in.sketch import Walk


def only(walk: Walk) -> None:
    """ "with only savings accounts" denies all others, which is not understood; "only active ones" says nothing."""
    remark = isinstance(walk.peek(-1), Stored) and (walk.is_cue(-2, "stop") or walk.position == 1)
    excludes = walk.open_membership and isinstance(walk.peek(-1), Thing | Stored)  # "with savings accounts only"
    if (walk.having or excludes) and not remark:
        walk.leave_over()
    else:
        walk.take(1)
