"""Which groups there are, whether or not any rows fall into them: every region, also one without a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.facts import Group, Question, Span, grouped_fact
from ai_engine.semantics.compiler.leaves import Leaf
from ai_engine.semantics.compiler.routes import route
from ai_engine.semantics.compiler.scope import Setting, bare_when_alone, named
from ai_engine.semantics.intent import AnyOf, FieldRef, Filter, Membership
from ai_engine.semantics.join_paths import Path


def members(setting: Setting, question: Question, facts: Sequence[str], groups: Sequence[Group]) -> exp.Select:
    """Return a SELECT of every combination of the dimensions that the things themselves have.

    The things are the rows of the dimension that is nearest to the rows that are counted. Conditions on the things
    hold for them too ("each region of India"); conditions on the rows that are counted do not.

    Args:
        setting: what is fixed.
        question: its conditions are those of all figures.
        facts: the datasets whose rows are aggregated.
        groups: the dimensions, none of them a step of time.

    Raises:
        IntentNotCovered: the dimensions are of several things, or the figures see them differently.
    """
    seen = [_Seen.by(fact, groups, setting, question) for fact in facts]
    first = seen[0]
    if any(other.home != first.home or other.rest != first.rest for other in seen):
        raise IntentNotCovered("the groups of these figures cannot be kept where nothing falls into them")
    kept = [item for item in question.filters if all(view.of_members(item) is not None for view in seen)]
    filters = tuple(found for item in kept if (found := first.of_members(item)) is not None)
    own = [
        replace(group, dimension=group.dimension.model_copy(update={"field": _at(group.dimension.field, rest)}))
        for group, rest in zip(groups, first.rest, strict=True)
    ]
    rows = grouped_fact(setting, replace(question, filters=filters), [Leaf(first.home, "count")], own, Span())
    return bare_when_alone(rows.query.select(*(named(value, name, setting.dialect) for name, value in rows.groups)))


@dataclass(frozen=True)
class _Seen:
    """The things as the rows of one fact see them: their dataset, the walk to it, and on to each dimension."""

    fact: str
    home: str
    way: Path
    rest: tuple[Path, ...]
    dimensions: tuple[FieldRef, ...]
    setting: Setting
    question: Question

    @classmethod
    def by(cls, fact: str, groups: Sequence[Group], setting: Setting, question: Question) -> _Seen:
        fields = tuple(group.dimension.field for group in groups)
        paths = [route(setting, fact, ref.dataset, ref.via, question.subject) for ref in fields]
        way = min(paths, key=len)
        if any(path[: len(way)] != way for path in paths):
            raise IntentNotCovered("only the groups of one thing can be kept where nothing falls into them")
        home = way[-1].target if way else fact
        return cls(fact, home, way, tuple(path[len(way) :] for path in paths), fields, setting, question)

    def of_members(self, item: Filter) -> Filter | None:
        """Return a condition as the things see it, None where it is about the rows that are counted."""
        if isinstance(item, AnyOf):
            parts = [self.of_members(part) for part in item.filters]
            return AnyOf(filters=tuple(part for part in parts if part is not None)) if None not in parts else None
        if isinstance(item, Membership):
            return item if self.way and self.question.subject == self.home else None
        field = self._field(item.field)
        other = self._field(item.other) if item.other is not None else None
        if field is None or item.versus is not None or (other is None) != (item.other is None):
            return None
        return item.model_copy(update={"field": field, "other": other})

    def _field(self, ref: FieldRef) -> FieldRef | None:
        if not self.way:
            bare = ref.model_copy(update={"grain": None})
            return ref if bare in [own.model_copy(update={"grain": None}) for own in self.dimensions] else None
        path = route(self.setting, self.fact, ref.dataset, ref.via, self.question.subject)
        leads_on = path[: len(self.way)] == self.way and ref.since is None
        return _at(ref, path[len(self.way) :]) if leads_on else None


def _at(ref: FieldRef, rest: Path) -> FieldRef:
    return ref.model_copy(update={"via": tuple(step.relationship.name for step in rest)})
