"""Those that an answer showed, the first few of a ranking or the groups above a bound: nothing else chooses them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ai_engine.built_in.follow_up.step import Merge
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Meaning, Thing
from ai_engine.semantics.intent import Dimension, FieldRef, Measure
from ai_engine.semantics.words import words

_WHAT_THOSE_ARE = re.compile(
    r"(?:and |so )?(?P<asked>which|what|who are(?: the)?|how many)(?: different)? (?P<noun>[a-z][\w -]*?)"
    r"(?: (?:are|were|is|was))? (?:these|those|they|that|this)"
    r"(?:(?: for| of| from| in| at| with)?[\s?.]*"
    r"|(?P<rest> (?:per|by|for each|in (?:all|total)|(?:al)?together|overall)\b.*))",
    re.IGNORECASE,
)
_KINDS = frozenset({"category", "name"})


def said_of_those(question: str, knowledge: Knowledge) -> str:
    """ "which customers are these" asks for the customers of those that were shown, and not for all of them."""
    found = _WHAT_THOSE_ARE.fullmatch(question.strip())
    named = knowledge.lexicon.names(words(found["noun"])) if found is not None else ()
    how_many = "how many " if found is not None and found["asked"].lower() == "how many" else ""
    roles = _KINDS | {"measure"} if how_many else _KINDS
    if found is None or not any(_is_called_so(item.meaning, roles, knowledge) for item in named):
        return question
    return f"{how_many}{found['noun']} of those{found['rest'] or ''}"


def _is_called_so(meaning: Meaning, roles: frozenset[str], knowledge: Knowledge) -> bool:
    attribute = isinstance(meaning, Attribute) and knowledge.field(meaning).role in roles
    return attribute or isinstance(meaning, Thing)


def points_to_chosen(step: Merge) -> bool:
    """ "their NPA ratio" after "top 5 branches by deposits": those five, and not the five with the highest ratio."""
    before = step.before
    chosen = before.limit is not None or bool(before.having) or step.fragment.turn.shown
    other_bound = step.said.has("strong") and bool(step.fragment.havings)  # "those with at least 20 instead"
    return step.said.has("pronoun") and chosen and not other_bound


def count_those_shown(step: Merge, new: Sequence[Measure]) -> bool:
    """ "how many customers is that?" of figures by customer: how many groups there are."""
    intent, knows = step.intent, step.knowledge
    counted = new[0] if len(new) == 1 and step.said.has("pronoun") and not step.fragment.groups else None
    if counted is None or not intent.dimensions or counted.filters or step.fragment.filters or step.said.has("add"):
        return False
    shown = {item.field for item in intent.dimensions}
    if counted.aggregate == "count_distinct" and counted.field is not None:
        are_shown = len(shown) == 1 and counted.field in shown
    elif counted.aggregate == "count" and counted.dataset is not None and counted.denominator is None:
        are_shown = shown <= set(knows.entity_fields(Thing(counted.dataset)))
    else:
        return False
    if are_shown and intent.compare is None and not intent.limit_within:
        step.put(over_groups="count")
    elif not are_shown and knows.base(counted) not in {knows.base(item) for item in intent.measures}:
        step.left.append("how many of them")  # each may be in several groups
    return are_shown


def keep_groups(step: Merge, base: str) -> None:
    """One more figure of those shown, where its rows belong to them."""
    for dimension in step.intent.dimensions:
        place = dimension.field
        if place.via or not (place.dataset == base or step.knowledge.is_parent(base, place.dataset)):
            step.left.append(f"{step.knowledge.dataset(base).label} by {step.knowledge.field(place).label}")


def keep_those_shown(step: Merge) -> None:
    """ "which of them are in Pune" after a top 5 would choose five others, and is not understood."""
    before, now = step.before, step.intent
    if not points_to_chosen(step):
        return
    same = (before.filters, before.period, before.having) == (now.filters, now.period, now.having)
    fewer = before.limit is None or (now.limit is not None and now.limit <= before.limit and now.order == before.order)
    grouped = before.limit_within == now.limit_within and bool(before.dimensions) == bool(now.dimensions)
    if not (same and fewer and grouped and all(_tells_of_shown(step, item) for item in now.dimensions)):
        step.left.append("those that were shown")


def _tells_of_shown(step: Merge, new: Dimension) -> bool:
    """Whether each of those shown has one of it: a branch its city, but no branch one customer."""
    shown = [item.field for item in step.before.dimensions]
    return new.field in shown or belongs_to_shown(new.field.dataset, shown, step.knowledge)


def things_shown(shown: Sequence[FieldRef], knowledge: Knowledge) -> set[str]:
    """The things that stand one to a row, by their key or by a name that no two have."""
    datasets = {place.dataset for place in shown}
    return {name for name in datasets if set(knowledge.entity_fields(Thing(name))) <= set(shown)}


def belongs_to_shown(dataset: str, shown: Sequence[FieldRef], knowledge: Knowledge) -> bool:
    """Whether each of the things shown has one of these: a customer its adviser."""
    return any(owner == dataset or knowledge.is_parent(owner, dataset) for owner in things_shown(shown, knowledge))
