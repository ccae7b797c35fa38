"""Rules for what people did: "who guaranteed a loan", "nothing has been repaid", "how many have paid"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.linking import called_by_verb
from ai_engine.built_in.meanings import Attribute, Cue, Figure, Number, Quote, Step, Stored, Thing
from ai_engine.built_in.rules.roles import way_to
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, Measure, Membership
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.words import words

# Verbs that say nothing of people without their object: whoever "lent" has lent something.
_DEALINGS = frozenset(
    """
    paid pay pays lent lend lends sold sell sells bought buy buys sent send sends receive received receives borrowed
    borrow borrows filed file files submitted requested request placed place availed avail invested granted offer
    offers offered provided gave choose chooses chose selected picked
    """.split()
)

_LENDING = frozenset({"lent", "lend", "lends"})  # whoever lends is not the one who has the loan


def named_deed(walk: Walk, ahead: int = 0) -> str | None:
    """The rows that a participle leaves behind where a figure of theirs is called by it: "repaid", "guaranteed"."""
    found, place = walk.peek(ahead), walk.position + ahead
    if not isinstance(found, Attribute) or walk.subject is None:
        return None
    said = words(walk.items[place].text)
    item = walk.knowledge.field(found)
    participle = len(said) == 1 and said[0].endswith(("ed", "aid")) and said != words(item.label)
    deed = participle or (_is_of_people(walk) and _is_bare_verb(walk, found, ahead))
    if not deed or item.role != "measure" or not walk.knowledge.is_parent(found.dataset, walk.subject):
        return None
    return found.dataset


def _is_bare_verb(walk: Walk, found: Attribute, ahead: int = 0) -> bool:
    """ "who guarantee loans", where the column is a guaranteed amount."""
    said = words(walk.items[walk.position + ahead].text)
    done = {f"{word}{ending}" for word in said for ending in ("d", "ed")}
    return len(said) == 1 and bool(done.intersection(words(walk.knowledge.field(found).label)))


def did(walk: Walk) -> bool:
    """ "which members have guaranteed a loan": those with a guarantee, whose amount nobody asked for."""
    rows = named_deed(walk)
    if rows is not None and walk.sketch.share and walk.sketch.measures and not _is_of_people(walk):
        _tell_part_done(walk)
        return True
    told = walk.is_cue(-1, "have", "who", "relative") or walk.peek(-1) == Thing(str(walk.subject))
    if rows is None or not told or walk.negated or walk.pending is not None or walk.superlative is not None:
        return False
    if walk.is_cue(-1, "have") and walk.items[walk.position - 1].text.lower() in {"with", "having"}:
        return False
    following = walk.peek(1)
    if isinstance(following, Attribute | Figure | Quote) or walk.is_cue(1, "compare", "aggregate"):
        return False
    object_too = isinstance(following, Thing) and walk.knowledge.is_parent(rows, following.dataset)
    if isinstance(following, Thing) and not object_too:
        return False
    walk.having = False
    walk.add_filter(Membership(dataset=rows, via=way_to(walk, Thing(rows))))
    walk.take(1 + object_too, f"with {walk.knowledge.dataset(rows).label}")
    return True


def did_to_most(walk: Walk) -> bool:
    """ "which officer disbursed the most loans": the verb of those who did it, and no day that anybody asked for.

    Not every row has another day than its own: "closed the most accounts" counts those that were closed.
    """
    found, doer, knows = walk.peek(), walk.peek(-1), walk.knowledge
    if not isinstance(found, Attribute) or not isinstance(doer, Thing | Stored) or walk.items[walk.position].apart:
        return False
    counted = walk.is_cue(1, "compare") and isinstance(walk.peek(2), Number) and isinstance(walk.peek(3), Thing)
    verb = knows.field(found).role == "time" and walk.text().lower().endswith("ed") and walk.superlative is None
    if not (verb and (counted or walk.is_cue(1, "superlative")) and knows.is_parent(found.dataset, doer.dataset)):
        return False
    if knows.dataset(found.dataset).default_time != found.field:
        if counted:
            return False
        walk.add_filter(Condition(field=ref(found), operator="is not null"))
        walk.sketch.period_field = ref(found)
    walk.having = True
    walk.take(1)
    return True


def _tell_part_done(walk: Walk) -> None:
    """ "what percentage of the loan amount has been repaid": the one amount over the other."""
    whole, found = walk.sketch.measures, walk.peek()
    if len(whole) > 1 or whole[0].aggregate != "sum" or not isinstance(found, Attribute) or walk.negated:
        walk.leave_over()
        return
    whole.insert(0, Measure(aggregate="sum", field=ref(found)))
    walk.sketch.in_percent, walk.having = True, False
    walk.take(1, walk.knowledge.field(found).label)


def is_no_figure(walk: Walk, found: Attribute) -> bool:
    """ "the number of loans they guarantee" asks for no amount, and "a repaid loan" is one of which nothing is left."""
    noun, rows = walk.peek(1), named_deed(walk)
    if walk.subject is not None and walk.subject != found.dataset and _is_bare_verb(walk, found):
        return True
    whole = isinstance(noun, Thing) and noun.dataset != rows and not walk.items[walk.position + 1].apart
    return rows is not None and whole and walk.text().lower().endswith("aid")


def dealt(walk: Walk) -> bool:
    """ "how many members have paid": with payments, where the verb has no object and names such rows."""
    verb = walk.text().lower().split()[-1]
    if verb not in _DEALINGS or walk.subject is None:
        return False
    if not _says_no_object(walk):
        return _is_left_open(walk)
    knows, subject = walk.knowledge, walk.subject
    rows = called_by_verb((verb,), knows.referring(subject), knows) if verb not in _LENDING else []
    if len(rows) != 1 or walk.is_cue(1, "compare") or walk.negated:
        walk.leave_over()
        return True
    walk.add_filter(Membership(dataset=rows[0], via=way_to(walk, Thing(rows[0]))))
    walk.take(1, f"with {knows.dataset(rows[0]).label}")
    return True


def _is_left_open(walk: Walk) -> bool:
    """ "customers with a card who have borrowed": it is reported rather than dropped where it says too little."""
    ended = _ends(walk) or (walk.is_cue(1, "and") and walk.is_cue(2, "aggregate"))
    told = walk.is_cue(-1, "have", "who", "relative") and _is_of_people(walk) and walk.pending is None
    if ended and told:
        walk.leave_over()
    return ended and told


def _says_no_object(walk: Walk) -> bool:
    """Whether people alone were spoken of, and nothing follows the verb but a number."""
    ended = _ends(walk) or walk.is_cue(1, "compare")
    doer = -1
    while walk.is_cue(doer, "have", "who", "relative") or isinstance(walk.peek(doer), Stored):
        doer -= 1
    if not ended or walk.peek(doer) != Thing(str(walk.subject)) or walk.pending is not None:
        return False
    spoken = (item.meaning for item in walk.items)
    others = {name for found in spoken if not isinstance(found, Cue) and (name := _dataset(found)) is not None}
    others -= {walk.subject}
    # "customers from Mumbai" are described by their place
    places = {found.dataset for item in walk.items if isinstance(found := item.meaning, Stored)}
    described = all(walk.knowledge.is_parent(str(walk.subject), name) for name in others)
    return described and others <= places and _is_of_people(walk)


def _ends(walk: Walk) -> bool:
    """Whether the verb has no object: "who have borrowed", "who have borrowed, by town"."""
    grouped = walk.is_cue(1, "group", "each") and isinstance(walk.peek(2), Attribute | Thing | Step)
    return walk.peek(1) is None or walk.is_cue(1, "stop") or grouped


def _is_of_people(walk: Walk) -> bool:
    return walk.subject is not None and calls_people(walk.knowledge.dataset(walk.subject))


def _dataset(found: object) -> str | None:
    if isinstance(found, Figure):
        return found.metric
    return found.dataset if isinstance(found, Thing | Attribute | Stored) else None
