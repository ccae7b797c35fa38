"""Changes of a vocabulary as they look from another state of it: what stood before each, and what differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.vocabulary_edits import Edit, value_at


def based_on(edits: Iterable[Edit], model: SemanticModel) -> tuple[Edit, ...]:
    """Say of each edit that what stands in a vocabulary stood before it."""
    return tuple(replace(edit, before=value_at(model, *edit.place)) for edit in edits)  # type: ignore[arg-type]


def over(base: SemanticModel, whole: Sequence[Edit], touched: Sequence[Edit]) -> tuple[Edit, ...]:
    """Base what was just decided on the file as it is; of the rest it stays visible where the file has changed."""
    places = {edit.place for edit in touched}
    based = (based_on([edit], base)[0] if edit.place in places else edit for edit in whole)
    return tuple(edit for edit in based if edit.before != edit.after)


def differences(now: SemanticModel, then: SemanticModel, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return what changes from one vocabulary to another, at the places of the edits."""
    found = {}
    for edit in edits:
        try:
            before, after = (value_at(model, *edit.place) for model in (now, then))  # type: ignore[arg-type]
        except KeyError:
            continue
        if before != after:
            found[edit.place] = replace(edit, before=before, after=after)
    return tuple(found.values())
