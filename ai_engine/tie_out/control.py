"""Which figures have a total, and the question that asks for it alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ai_engine.semantics.compared_periods import like_with_like
from ai_engine.semantics.compiler.figures import figure_of
from ai_engine.semantics.compiler.leaves import Leaf
from ai_engine.semantics.compiler.routes import route, to_one
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.compiler.snapshots import is_of_each_date
from ai_engine.semantics.intent import AnyOf, Condition, Filter, Intent, Measure, Membership
from ai_engine.semantics.join_paths import Path

_CHANGES = ("change", "change_percent")
_PARTS = ("sum", "count", None)


@dataclass(frozen=True)
class Control:
    """Figures over the rows of one dataset.

    Attributes:
        rows: the dataset.
        intent: asks for their totals, one column each.
        places: where the figures stand in the rows of the answer, in the order of those columns.
    """

    rows: str
    intent: Intent
    places: tuple[int, ...]


def controls_of(intent: Intent, width: int, setting: Setting) -> list[Control]:
    """Return what is to be computed again: figures that are sums or counts over separate groups, none left out.

    Args:
        intent: the question that was answered by groups.
        width: columns of the answer.
        setting: what the tables mean.

    Raises:
        IntentNotCovered: the compiler does not know what the question names.
    """
    measures, first = _plain_measures(intent), len(intent.dimensions)
    cut = intent.over_groups or intent.having or intent.limit is not None or intent.skip
    if not first or cut or first + len(measures) > width:
        return []
    found: dict[str, list[tuple[int, Measure]]] = {}
    for place, measure in _placed(intent, measures, first):
        leaves = figure_of(measure, setting).leaves
        if len(leaves) == 1 and _adds_up(measure, leaves[0], intent, setting):
            found.setdefault(leaves[0].dataset, []).append((place, measure))
    return [
        Control(rows, control_intent(intent, rows, [one for _, one in placed], setting), tuple(at for at, _ in placed))
        for rows, placed in found.items()
    ]


def _adds_up(measure: Measure, leaf: Leaf, intent: Intent, setting: Setting) -> bool:
    """Tell whether the figures of all groups together are the figure of all rows."""
    if measure.transform or measure.denominator or measure.minus or measure.shown_in or measure.weight:
        return False
    call = leaf.call.upper() if leaf.call else ""
    if (call and (not call.startswith(("SUM(", "COUNT(")) or "DISTINCT" in call)) or leaf.aggregate not in _PARTS:
        return False
    refs = [dimension.field for dimension in intent.dimensions]
    apart = all(to_one(route(setting, leaf.dataset, ref.dataset, ref.via, intent.subject)) for ref in refs)
    return apart and not is_of_each_date(setting, leaf, refs)


def control_intent(
    intent: Intent, rows: str, measures: Sequence[Measure], setting: Setting, also: Sequence[Filter] = ()
) -> Intent:
    """Ask for figures over the rows of a dataset without groups; of these rows only those that also satisfy `also`.

    What narrows a figure by another table becomes a test whether there is such a row, so that a row which is there
    several times counts once.
    """
    period = intent.period
    if intent.compare is not None:
        period = like_with_like(period, intent.compare)[0]
    if not _has_apart(intent, rows, setting):
        return Intent(subject=intent.subject, measures=tuple(measures), filters=(*intent.filters, *also), period=period)
    apart = tuple(_apart(item, rows, setting) for item in intent.filters)
    return Intent(measures=tuple(measures), filters=(*apart, *also), period=period)


def reached(path: Path, filters: Sequence[Filter] = ()) -> Membership:
    """Test whether there is a row at the end of a walk, step by step, that satisfies the filters."""
    step = path[0]
    inner = (reached(path[1:], filters),) if len(path) > 1 else tuple(filters)
    return Membership(dataset=step.target, via=(step.relationship.name,), filters=inner)


def _plain_measures(intent: Intent) -> list[Measure]:
    """Return the measures that have a column of their own beside changes, in the order of these columns."""
    if intent.compare is None:
        return list(dict.fromkeys(intent.measures))
    plain = [
        one.model_copy(update={"transform": None, "label": None}) if one.transform in _CHANGES else one
        for one in intent.measures
    ]
    return list(dict.fromkeys(plain))


def _placed(intent: Intent, measures: Sequence[Measure], first: int) -> list[tuple[int, Measure]]:
    """Pair measures with their columns; beside a comparison only the first is sure to stand where it is expected."""
    placed = [(first + number, measure) for number, measure in enumerate(measures)]
    return placed if intent.compare is None else placed[:1]


def _has_apart(intent: Intent, rows: str, setting: Setting) -> bool:
    """Tell whether every filter is about the rows themselves or one row that each belongs to."""
    return all(_is_of_one(item, rows, intent.subject, setting) for item in intent.filters)


def _is_of_one(item: Filter, rows: str, subject: str | None, setting: Setting) -> bool:
    if isinstance(item, AnyOf):
        return all(_is_of_one(part, rows, subject, setting) for part in item.filters)
    if isinstance(item, Membership):
        return False
    return to_one(route(setting, rows, item.field.dataset, item.field.via, subject))


def _apart(item: Filter, rows: str, setting: Setting) -> Filter:
    """Turn a condition on a row of another table into a test whether there is one that satisfies it."""
    if isinstance(item, AnyOf):
        return AnyOf(filters=tuple(_apart(part, rows, setting) for part in item.filters))
    if not isinstance(item, Condition) or item.operator == "is null" or item.other is not None or item.field.since:
        return item
    path = route(setting, rows, item.field.dataset, item.field.via)
    if not path:
        return item
    there = item.field.model_copy(update={"via": ()})
    return reached(path, (item.model_copy(update={"field": there}),))
