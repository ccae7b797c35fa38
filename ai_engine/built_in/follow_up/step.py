"""One question on its way from the earlier one to the one meant now, and what every change of it needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from ai_engine.built_in.follow_up.address import Address
from ai_engine.built_in.follow_up.fragment import Fragment
from ai_engine.built_in.grammar.figures_to_intent import fields_of_group
from ai_engine.built_in.grammar.phrases import Fig, Group, Rows
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import Dimension, FieldRef, Intent, Measure

REPLACED_BONUS = 0.3


@dataclass
class Merge:
    """One question on its way from the earlier one to the one meant now.

    Attributes:
        intent: the question so far.
        before: the question as it was.
        left: words or wishes that found no place.
        notes: what was left out or assumed, one sentence each.
        cost: lower where the fragment replaces something that was there.
        changed: something was changed; otherwise the fragment said nothing.
        beside: what is grouped by now stands beside what was grouped by before.
        lifted: a condition was taken off, which tells of nothing any more.
        nouns: things that were named with what narrows them, and with nothing else.
        described: fields were named that describe what is grouped by.
    """

    intent: Intent
    said: Address
    fragment: Fragment
    knowledge: Knowledge
    left: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    cost: float = 0.0
    changed: bool = False
    beside: bool = False
    lifted: bool = False
    nouns: list[Thing] = field(default_factory=list)
    described: bool = False
    before: Intent = field(init=False)

    def __post_init__(self) -> None:
        """Keep the question as it was."""
        self.before = self.intent

    def put(self, **update: object) -> None:
        """Change the question.

        Raises:
            pydantic.ValidationError: a number in it is beyond what can be.
        """
        changed = Intent.model_validate({**vars(self.intent), **update})
        self.changed |= changed != self.intent
        self.intent = changed


def same_field(place: FieldRef, named: list[FieldRef]) -> bool:
    """Tell whether a field is one of those named, whatever the way to it or its grain."""
    return any((place.dataset, place.field) == (item.dataset, item.field) for item in named)


def date_rows(step: Merge, base: str) -> None:
    """A list has no figure that dates itself."""
    period = step.intent.period
    if period is None or period.field is not None:
        return
    place = step.knowledge.time_field(base)
    if place is None:
        step.left.append(period.label)
        return
    step.notes.append(f"The period is about {step.knowledge.field(place).label}.")
    step.put(period=period.model_copy(update={"field": place}))


def list_rows(step: Merge, base: str) -> None:
    """List the rows of a dataset instead of figures, under the same conditions."""
    step.put(
        subject=base, measures=(), dimensions=(), columns=step.knowledge.list_fields(base), order=(), having=(),
        limit=None, compare=None, fill_gaps=False,
    )  # fmt: skip
    date_rows(step, base)
    step.changed = True


def dimensions_of(
    step: Merge, groups: list[Group], measures: tuple[Measure, ...], dated_by: FieldRef | None
) -> tuple[Dimension, ...]:
    """The fields of what is grouped by, given the figures; nothing where their rows do not belong to one group each."""
    s = Schema(step.knowledge)
    bases = [(measure, s.knows.base(measure)) for measure in measures]
    figs = tuple(Fig(measure, Rows(base, dated=dated_by)) for measure, base in bases if base is not None)
    found: dict[FieldRef, Group] = {}
    for group in groups:
        if not figs or not all(s.grouped_by(fig, group) for fig in figs):
            step.left.append("grouping")
            return ()
        found |= dict.fromkeys(fields_of_group(s, group, figs), group)
    return tuple(Dimension(field=place, edges=group.edges) for place, group in found.items())
