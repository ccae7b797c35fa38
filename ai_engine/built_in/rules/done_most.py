"""Rule for who was dealt with most in money: "customers that were billed the most in total"."""

from __future__ import annotations

from ai_engine.built_in.linking import called_by_verb
from ai_engine.built_in.meanings import Attribute, Cue, Days, Stored, Thing
from ai_engine.built_in.rules.ranking import order_by
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, Measure, Membership
from ai_engine.semantics.words import words

_OWNING = frozenset("with having have has had hold holds holding held own owns owned owning".split())
_EITHER_WAY = frozenset("paid lent sent sold transferred".split())  # who was paid has made no payment


def ranks_what_was_done(walk: Walk) -> bool:
    """ "paid the most in total": the amounts of the rows that the verb leaves, and no figure of who did it."""
    best, verb = walk.superlative, _verb(walk)
    if best is None or best.kind not in {"many", "few"} or verb is None or not _is_bare_total(walk):
        return False
    knows, subject = walk.knowledge, walk.subject
    left = [item.name for item in knows.model.datasets if subject and knows.is_parent(item.name, subject)]
    rows = called_by_verb((verb,), left, knows)
    passive = walk.items[walk.position - 2].apart
    amount = knows.main_measure(rows[0], money_only=True) if len(rows) == 1 else None
    unclear = (passive and verb in _EITHER_WAY) or isinstance(walk.peek(-2), Stored | Attribute)
    if amount is None or unclear:
        walk.leave_over()
        walk.superlative = None
        walk.sketch.unplaced.append(best.text)
        return True
    walk.assume(f"“{verb} {best.text} {walk.text()}” adds up the {knows.field(amount).label}.")
    walk.having = False
    total = Measure(aggregate="sum", field=amount, filters=_said_of_them(walk, rows[0]))
    walk.take(1, f"total {knows.field(amount).label}")
    order_by(walk, measure=total)
    return True


def _verb(walk: Walk) -> str | None:
    """The verb before "the most": one that links, the noun of the rows it leaves, or their state or day."""
    said = walk.peek(-2)
    if not walk.is_cue(-1, "superlative") or said is None:
        return None
    verb = words(walk.items[walk.position - 2].text)[-1]
    if isinstance(said, Thing):
        return None if walk.knowledge.lexicon.is_noun(verb, said) else verb
    links = isinstance(said, Cue) and said.kind == "have" and verb not in _OWNING
    dates = isinstance(said, Attribute) and walk.knowledge.field(said).role == "time"
    return verb if links or dates or isinstance(said, Stored) else None


def _is_bare_total(walk: Walk) -> bool:
    cue = walk.peek()
    ended = walk.peek(1) is None or walk.is_cue(1, "stop") or isinstance(walk.peek(1), Days)
    return ended and isinstance(cue, Cue) and cue.value == "sum"


def _said_of_them(walk: Walk, rows: str) -> tuple[Condition, ...]:
    """What was said of the rows; that there are such rows need not be asked where their amounts are added up."""
    last = walk.sketch.filters[-1] if walk.sketch.filters else None
    if not isinstance(last, Membership) or last.dataset != rows or last.negated:
        return ()
    if last.at_least is not None or last.at_most is not None:
        return ()
    conditions = tuple(item for item in last.filters if isinstance(item, Condition))
    if len(conditions) != len(last.filters):
        return ()
    walk.sketch.filters.pop()
    walk.open_membership = False
    return conditions
