"""A question whose rows are linked to what it names in several ways: once for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.errors import AmbiguousPath
from ai_engine.semantics.intent import FieldRef, Intent, Membership

_MOST_WAYS = 4


def by_each_way(intent: Intent, several: AmbiguousPath, knowledge: Knowledge) -> tuple[Intent, ...]:
    """ "Cards by region": of the account's branch, and of the customer's; none where the ways end elsewhere."""
    ends = {_end_of(way, knowledge) for way in several.alternatives}
    if len(ends) != 1 or None in ends or len(several.alternatives) > _MOST_WAYS:
        return ()
    (end,) = ends
    return tuple(_seen_by(intent, str(end), way) for way in several.alternatives)


def _end_of(way: Sequence[str], knowledge: Knowledge) -> str | None:
    """Where a walk ends; a single link is walked to its one side."""
    last = knowledge.model.relationship(way[-1])
    if len(way) == 1:
        return last.to_dataset
    before = knowledge.model.relationship(way[-2])
    ends = {last.from_dataset, last.to_dataset} - {before.from_dataset, before.to_dataset}
    return next(iter(ends)) if len(ends) == 1 else None


def _seen_by(part: Any, end: str, way: tuple[str, ...]) -> Any:
    """The same with this way to every field and row of a dataset that has none yet."""
    if isinstance(part, FieldRef | Membership) and part.dataset == end and not part.via:
        return part.model_copy(update={"via": way})
    if isinstance(part, tuple):
        return tuple(_seen_by(item, end, way) for item in part)
    if isinstance(part, BaseModel):
        changed = {name: _seen_by(getattr(part, name), end, way) for name in type(part).model_fields}
        return part.model_copy(update=changed)
    return part
