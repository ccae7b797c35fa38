"""Rules for what is named only to say that it leaves nothing out: "whatever the status", "closed ones included"."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Stored, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition

_PLAIN = 0.1
_MAY_NAME_ROWS = frozenset({"of any", "in any"})


def whatever(walk: Walk) -> None:
    """ "regardless of status", "whatever the account type": the fields said next narrow and group nothing."""
    ahead = 1
    while isinstance(walk.peek(ahead), Attribute | Thing):
        following = walk.skip(ahead + 1, "and", "or")
        ahead = following if isinstance(walk.peek(following), Attribute | Thing) else ahead + 1
    named = isinstance(walk.peek(ahead - 1), Attribute)
    if walk.text().lower() in _MAY_NAME_ROWS and not named:
        walk.take(1)  # "the largest balance of any account" is about the accounts
    elif ahead == 1:
        walk.leave_over()
    else:
        walk.sketch.cost -= _PLAIN
        walk.take(ahead, "leaves nothing out")


def included(walk: Walk) -> None:
    """ "closed ones included", "including closed ones": rows of the subject that the question has anyhow."""
    if walk.is_cue(0, "included") and walk.text().lower().startswith(("incl", "even")):
        if isinstance(walk.peek(1), Stored) and _is_own(walk, 1):
            walk.take(2 + isinstance(walk.peek(2), Thing), "leaves nothing out")
            return
        if isinstance(walk.peek(1), Attribute) and walk.sketch.asks_list:
            walk.take(1)  # "list the accounts including their balance"
            return
    said = -1 - isinstance(walk.peek(-1), Thing)
    last = walk.sketch.filters[-1] if walk.sketch.filters else None
    own = isinstance(walk.peek(said), Stored) and _is_own(walk, said)
    apart = walk.is_cue(said - 1, "stop")
    if own and apart and isinstance(last, Condition) and not walk.alternative:
        walk.sketch.filters.pop()
        walk.take(1, "leaves nothing out")
    elif walk.text().lower() == "too" and not isinstance(walk.peek(-1), Stored):
        walk.take(1)
    else:
        walk.leave_over()


def zeros(walk: Walk) -> None:
    """ "including zeros": groups to which nothing belongs are shown too."""
    walk.sketch.keeps_empty = "said"
    walk.take(1, "groups without any are shown")


def _is_own(walk: Walk, ahead: int) -> bool:
    value = walk.peek(ahead)
    bases = {walk.knowledge.base(measure) for measure in walk.sketch.measures}
    return isinstance(value, Stored) and (walk.subject in {value.dataset, None} or value.dataset in bases)
