"""States are known as they are today: a period beside one dates the rows, and not when they came to be so."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Cue, Stored, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.built_in.stocks import begins_with_its_date, says
from ai_engine.semantics.intent import Condition
from ai_engine.semantics.words import stem

_STATES = frozenset(map(stem, ("status", "state", "stage")))
_BECAME = frozenset({"got", "get", "gets", "been", "gotten", "getting"})


def date_states(walk: Walk) -> None:
    """ "dormant accounts last month" are those opened then; "went dormant last month" is not known."""
    sketch, knows = walk.sketch, walk.knowledge
    if sketch.period is None or sketch.period_field or sketch.counted_by or sketch.dated_by_verb:
        return
    for item in sketch.filters:
        if not isinstance(item, Condition) or item.operator not in {"=", "in"} or item.field.via:
            continue
        begins = _beginning(item.field.dataset, knows)
        if begins is None or not says(knows.field(item.field).label, _STATES):
            continue
        if _is_told_of(walk, item):
            said = ", ".join(map(str, item.values))
            sketch.unplaced.append(f"when the {knows.field(item.field).label} became {said}")
        else:
            walk.assume(f"The {knows.field(item.field).label} is that of today, the period is about {begins}.")


def _beginning(dataset: str, knows: Knowledge) -> str | None:
    """The label of the date on which the rows of a dataset began, where that is what dates them."""
    place = knows.time_field(dataset)
    return knows.field(place).label if place is not None and begins_with_its_date(knows.dataset(dataset)) else None


def _is_told_of(walk: Walk, state: Condition) -> bool:
    """Whether the state is said of the things behind a verb: "cards that got blocked"."""
    things, told = False, False
    for item in walk.items:
        found = item.meaning
        same = isinstance(found, Stored) and found.value in state.values and found.field == state.field.field
        if same and things and (item.apart or told):
            return True
        told = isinstance(found, Cue) and found.kind == "have" and item.text.lower() in _BECAME
        things = (things and told) or (isinstance(found, Thing) and found.dataset == state.field.dataset)
    return False
