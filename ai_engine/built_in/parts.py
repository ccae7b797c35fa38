"""Tables that are a kind of another one: each row of `home_policy` is a policy, under the same key."""

from __future__ import annotations

from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import words


def whole_of(model: SemanticModel, name: str) -> str | None:
    """The dataset of which this one holds some rows in more detail, None where it stands for itself."""
    key = model.dataset(name).primary_key
    wholes = {
        link.to_dataset
        for link in model.relationships_of(name)
        if link.from_dataset == name != link.to_dataset
        and key
        and tuple(link.from_columns) == tuple(key)
        and tuple(link.to_columns) == tuple(model.dataset(link.to_dataset).primary_key)
    }
    return wholes.pop() if len(wholes) == 1 else None


def is_called_like_its_whole(model: SemanticModel, name: str, noun: str) -> bool:
    """ "policies" are all of them, not the home policies alone."""
    whole = whole_of(model, name)
    if whole is None:
        return False
    found = model.dataset(whole)
    return singular(noun) in {singular(words(said)[-1]) for said in (found.label, *found.synonyms) if words(said)}
