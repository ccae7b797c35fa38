"""Rules for values found in the data: "Mumbai", "savings or current", "not closed", "both gold and silver"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    CueKind,
    Number,
    Quote,
    Stored,
    Thing,
)
from ai_engine.built_in.rules.ranking import is_judgement
from ai_engine.built_in.rules.rows_of_values import (
    add_up_rows_of_value,
    ask_for,
    rank_by_rows_of_value,
    rank_people,
    rank_rows_of_value,
)
from ai_engine.built_in.rules.whose import (
    is_deed_to_something,
    is_part_of_something_else,
    is_state_of_parts,
    is_state_of_something_else,
    of_other_people,
)
from ai_engine.built_in.rules.whose_values import hold, is_related, whose_value
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import (
    Condition,
    FieldRef,
    Membership,
    Operator,
    Value,
)
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import name_key, words

_A_THINGS_NAME_COST = 0.6
_SEVERAL = 2
_HOW_MANY = frozenset({"most", "fewest", "least"})
_LINKS: tuple[CueKind, ...] = ("and", "or", "stop")
_TOO = frozenset({"as well as", "and also", "along with", "together with"})


def stored(walk: Walk) -> None:
    """Values found in the data: "Mumbai", "savings or current", "not closed", "both gold and silver"."""
    if walk.sketch.share and walk.items[walk.position].among and walk.sketch.filters and walk.sketch.part is None:
        walk.sketch.part = walk.sketch.filters[-1]
    if (
        is_state_of_something_else(walk)
        or is_state_of_parts(walk)
        or of_other_people(walk)
        or is_part_of_something_else(walk)
        or _counts_rows_called_so(walk)
    ):
        walk.leave_over()
    elif is_deed_to_something(walk):
        _deed(walk)
    else:
        _values(walk)


def _counts_rows_called_so(walk: Walk) -> bool:
    """ "the top 3 branches", where "Branch" is a channel too: a number of several is of the rows of that name."""
    said, several = walk.text().lower(), walk.superlative.limit if walk.superlative is not None else walk.sketch.limit
    if several is None or singular(said) == said or not isinstance(walk.peek(-1), Number | Cue):
        return False
    return any(isinstance(found.meaning, Thing) for found in walk.knowledge.lexicon.names(words(said)))


def _deed(walk: Walk) -> None:
    """ "who rent a box": told by the boxes they have where these know of a rent, else not understood."""
    thing = walk.peek(walk.skip(1, "not", "stop"))
    known = walk.knowledge.dataset(thing.dataset).fields if isinstance(thing, Thing) else ()
    if any(set(name_key(words(walk.text()))) <= set(name_key(words(item.label))) for item in known):
        walk.take(1, "has")
    else:
        walk.leave_over()


def _values(walk: Walk) -> None:
    people, start = walk.knowledge.people, walk.position
    values = _same_field_values(walk)
    first = values[0]
    if _asks_which(walk, values, start):
        walk.sketch.attributes.append(Attribute(first.dataset, first.field, first.via))
        walk.sketch.meanings.append(("which of all there are", walk.knowledge.field(walk.sketch.attributes[-1]).label))
        return
    asks_people = people is not None and first.dataset == people and not first.via and not walk.sketch.things
    if asks_people and walk.is_cue(0, "have", "relative", "not"):
        ask_for(walk, first.dataset)
    asks = walk.is_cue(-len(values) - 1, "what") or (start == 1 and walk.is_cue(-len(values) - 1, "relative"))
    if asks and not walk.sketch.things and _stands_for_its_row(walk):
        walk.sketch.cost += _A_THINGS_NAME_COST * _names_a_thing(walk, len(values))
        walk.sketch.things.append(Thing(first.dataset))
    if first.dataset == people and walk.superlative is not None and walk.superlative.kind in {"old", "new"}:
        rank_people(walk, people)
    if walk.superlative is not None and walk.superlative.kind in {"high", "low"} and not is_judgement(walk.superlative):
        rank_rows_of_value(walk, first)
    if walk.superlative is not None and walk.superlative.text.lower().split()[-1] in _HOW_MANY:
        rank_by_rows_of_value(walk, first)
    place = FieldRef(
        dataset=first.dataset, field=first.field, via=first.via or _said_way(walk, first.dataset, len(values))
    )
    label = walk.knowledge.field(place).label
    walk.both |= len(values) > 1 and not walk.negated and _each_with_its_article(walk, len(values), first)
    negated = walk.use_negation()
    shown = ", ".join(str(value.value) for value in values)
    if walk.both and len(values) > 1:
        _have_all(walk, values, place, negated=negated)
        return
    add_up_rows_of_value(walk, first)
    operator: Operator = ("not in" if negated else "in") if len(values) > 1 else ("!=" if negated else "=")
    condition = Condition(field=place, operator=operator, values=tuple(map(stored_value, values)))
    if operator == "!=" and walk.knowledge.field(place).role == "flag":
        no = walk.knowledge.flag_value(Attribute(place.dataset, place.field), yes=False)
        condition = Condition(field=place, operator="=", values=(no,))  # "not digital": said as the flag says it
    walk.sketch.meanings.append((shown, f"{label} is {'not ' if negated else ''}{shown}"))
    hold(walk, values, condition, negated=negated)


def _asks_which(walk: Walk, values: list[Stored], start: int) -> bool:
    """ "account, amount, credit or debit": in a list of columns all values there are ask which one it is."""
    before = walk.items[start - 1].meaning if start else None
    listed = isinstance(before, Cue) and before.kind == "stop" and bool(walk.sketch.attributes)
    if not listed or len(values) < _SEVERAL or not (walk.peek() is None or walk.is_cue(0, "stop", "and")):
        return False
    known = walk.knowledge.vocabulary.values.values_of(values[0].dataset, values[0].field)
    return known is not None and known.complete and set(known.values) == {value.value for value in values}


def _have_all(walk: Walk, values: list[Stored], place: FieldRef, *, negated: bool) -> None:
    """ "both gold and silver cards": rows of each."""
    walk.both, holder = False, whose_value(walk, values[0])
    for value in values:
        inner = Condition(field=place, operator="=", values=(stored_value(value),))
        walk.sketch.filters.append(Membership(dataset=holder, filters=(inner,), negated=negated))
    walk.take(walk.peek() == Thing(holder))


def _each_with_its_article(walk: Walk, count: int, first: Stored) -> bool:
    """ "a savings and a current account", "gold as well as silver": two of them, where "savings or current" is one."""
    if not is_related(walk, first):
        return False
    said = [item for item in walk.items[: walk.position] if isinstance(item.meaning, Stored)][-count:]
    between = walk.items[walk.items.index(said[0]) : walk.position]
    if any(item.text.lower() in _TOO for item in between):
        return True
    return all(item.indefinite for item in said) and not any(
        isinstance(item.meaning, Cue) and item.meaning.kind == "or" for item in between
    )


def _said_way(walk: Walk, dataset: str, taken: int) -> tuple[str, ...]:
    """The way to the thing just spoken of: "payments to users from Spain" are those that the users receive.

    "Transactions by customers in Delhi" are of customers whose own branch is there, wherever their accounts are.
    """
    things = [item.meaning for item in walk.items[: walk.position] if isinstance(item.meaning, Thing)]
    if things and things[-1].dataset == dataset:
        return things[-1].via
    whose, knows = walk.peek(-taken - 1), walk.knowledge
    if not isinstance(whose, Thing) or whose.via or walk.open_membership or not knows.is_parent(whose.dataset, dataset):
        return ()
    rows: set[str | None] = {knows.base(measure) for measure in walk.sketch.measures} or {walk.subject}
    ways = knows.lexicon.reach.ways(whose.dataset, dataset) if whose.dataset not in rows else ()
    return (ways[0][0].relationship.name,) if len(ways) == 1 and len(ways[0]) == 1 else ()


def quote(walk: Walk) -> None:
    """A quoted text that no column is known to hold, without a column before it."""
    found = walk.peek()
    assert isinstance(found, Quote)  # noqa: S101 - dispatched by type
    named = [a for a in walk.sketch.attributes if walk.knowledge.field(a).type == "text"]
    if named and isinstance(walk.peek(-1), Attribute):
        walk.sketch.attributes.remove(named[-1])
        walk.add_filter(Condition(field=ref(named[-1]), operator="=", values=(found.text,)))
        walk.take(1, f"{walk.knowledge.field(named[-1]).label} is {found.text}")
        return
    walk.leave_over()


def empty(walk: Walk) -> None:
    """ "missing email": a field without a value."""
    found = walk.peek(1)
    if isinstance(found, Attribute):
        operator: Operator = "is not null" if walk.use_negation() else "is null"
        walk.add_filter(Condition(field=ref(found), operator=operator))
        walk.take(2, f"{walk.knowledge.field(found).label} {operator}")
        return
    walk.leave_over()


def _stands_for_its_row(walk: Walk) -> bool:
    """ "which relationship manager looks after most customers": no noun follows, so the value is the noun."""
    following = walk.peek()
    if isinstance(following, Attribute):
        verb = walk.knowledge.field(following).role == "time" and walk.text().lower().endswith("ed")
        return verb and walk.is_cue(1, "superlative", "compare")  # "which officer disbursed the most"
    return isinstance(following, Cue) and following.kind in {"have", "superlative", "relative"}


def stored_value(found: Stored) -> Value:
    """What is compared with: the value as stored."""
    assert found.value is None or isinstance(found.value, str | int | bool)  # noqa: S101 - only names are indexed
    return str(found.value) if isinstance(found.value, str) else found.value or 0


def _names_a_thing(walk: Walk, taken: int) -> bool:
    """ "which branch has the most loans" asks for a branch, whatever channel is called so."""
    said = words(walk.items[walk.position - taken].text)
    return any(isinstance(found.meaning, Thing) for found in walk.knowledge.lexicon.names(said))


def _same_field_values(walk: Walk) -> list[Stored]:
    """Take a value and those of the same field listed after it."""
    first = walk.peek()
    assert isinstance(first, Stored)  # noqa: S101 - dispatched by type
    values = [first]
    walk.take(1)
    while True:
        noun = walk.peek()
        own = isinstance(noun, Thing) and noun.dataset == first.dataset and walk.is_cue(1, *_LINKS, "against")
        ahead = walk.skip(int(own), *_LINKS, "both", "against", "not" if walk.negated else "and")
        following = walk.peek(ahead)
        walk.sketch.one_row_each |= walk.is_cue(int(own), "against") and isinstance(following, Stored)
        same = isinstance(following, Stored) and (following.dataset, following.field) == (first.dataset, first.field)
        if ahead == int(own) or not same or not isinstance(following, Stored) or _is_of_other_rows(walk, ahead, own):
            return values
        values += [] if following in values else [following]
        walk.take(ahead + 1)


def _is_of_other_rows(walk: Walk, ahead: int, own: bool) -> bool:
    """ "an active deposit and an active loan": behind its own noun, a value with another is said of those rows."""
    value, noun = walk.peek(ahead), walk.peek(ahead + 1)
    beside = isinstance(noun, Thing) and not walk.items[walk.position + ahead + 1].apart
    return own and beside and isinstance(value, Stored) and noun != Thing(value.dataset)
