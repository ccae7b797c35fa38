"""Which rows link two things where several do ("clients who hold X": by holdings), and what a code is the code of."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Meaning, Thing
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import stem, words

# Nouns of the rows that a verb leaves behind where these do not share its stem.
_LEFT_BEHIND = {
    "paid": "payment repayment", "pay": "payment repayment", "bought": "purchase order", "sold": "sale order",
    "lent": "loan", "borrowed": "loan", "borrow": "loan", "joined": "membership enrollment",
    "collect": "receipt collection payment repayment", "collected": "receipt collection payment repayment",
    "received": "receipt payment", "receive": "receipt payment",
    "spent": "payment purchase", "own": "holding ownership", "held": "holding", "owned": "holding ownership",
}  # fmt: skip
_SHORTEST_STEM = 4
_FEWEST_WORDS = 2


def called_by_verb(said: Sequence[str], datasets: Sequence[str], knowledge: Knowledge) -> list[str]:
    """Return the datasets whose noun the words give: "claimed" leaves claims, "enrolled in" enrolments."""
    left = {noun for verb in said for noun in _LEFT_BEHIND.get(verb, "").split()}
    stems = {stem(verb) for verb in said if len(stem(verb)) >= _SHORTEST_STEM}
    return [
        name
        for name in datasets
        if any(noun in left or any(noun.startswith(part) for part in stems) for noun in _nouns(name, knowledge))
    ]


def _nouns(dataset: str, knowledge: Knowledge) -> tuple[str, ...]:
    return words(knowledge.dataset(dataset).label)


def named_by_its_code(said: str, meaning: Meaning, knowledge: Knowledge) -> Thing | None:
    """Return the thing with a name whose key is meant: "by genre" is by no `genre_code`, "by genre code" is."""
    if not isinstance(meaning, Attribute) or knowledge.dataset(meaning.dataset).primary_key != (meaning.field,):
        return None
    item = knowledge.field(meaning)
    label, last = words(item.label), words(said)[-1:]
    if item.sensitive or len(label) < _FEWEST_WORDS or (last and singular(last[0]) == label[-1]):
        return None
    thing = Thing(meaning.dataset)
    return thing if any(knowledge.field(ref).role == "name" for ref in knowledge.naming_fields(thing)) else None
