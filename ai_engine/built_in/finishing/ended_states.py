"""States in which rows end, dated by the day on which they did: "bonds redeemed early in 2025" were closed then."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.intent import Condition, FieldRef
from ai_engine.semantics.model import Field
from ai_engine.semantics.words import words

_ENDED = frozenset(
    """
    closed cancelled canceled terminated redeemed broken matured settled resolved repaid prepaid foreclosed surrendered
    withdrawn liquidated dissolved completed
    """.split()
)
_DAYS = frozenset("closed closing closure close terminated termination settled settlement resolved resolution".split())
_STATES = frozenset({"status", "state", "stage"})


def day_of_ending(item: Condition, knows: Knowledge) -> FieldRef | None:
    """The only day of ending that rows in such a state keep."""
    said = {word for value in item.values for word in words(str(value))}
    label = words(knows.field(item.field).label)
    if not _ENDED.intersection(said) or not _STATES.intersection(label):
        return None
    days = [field for field in knows.dataset(item.field.dataset).fields if _is_day_of_ending(field)]
    return FieldRef(dataset=item.field.dataset, field=days[0].name) if len(days) == 1 else None


def _is_day_of_ending(field: Field) -> bool:
    return field.role == "time" and bool(_DAYS.intersection(words(field.label)))
