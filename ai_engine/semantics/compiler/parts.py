"""Which figures one SELECT can compute together: those over the same rows of one dataset, grouped alike."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ai_engine.semantics.compiler.facts import Group, Question, Span, is_of_one_date, shared_rows
from ai_engine.semantics.compiler.grains import CYCLIC, TRUNCATED
from ai_engine.semantics.compiler.leaves import Leaf
from ai_engine.semantics.compiler.routes import to_one
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import Dimension, Intent
from ai_engine.semantics.join_paths import paths_between


@dataclass
class Part:
    """Aggregates that one SELECT can compute together.

    Attributes:
        span: which of the periods, the asked one or the one it is compared with.
        groups: the dimensions as this part sees them.
        rows: equal for parts over the same rows.
        leaves: the aggregates.
        name, columns: of the table it is written as, once it is.
    """

    span: int
    groups: tuple[Group, ...]
    rows: object
    leaves: list[Leaf] = field(default_factory=list)
    name: str = ""
    columns: dict[Leaf, str] = field(default_factory=dict)


def parts_of(
    intent: Intent,
    setting: Setting,
    question: Question,
    groups: tuple[Group, ...],
    leaves: Sequence[Leaf],
    spans: Sequence[Span],
) -> list[Part]:
    """Sort the aggregates of every period by the rows they are taken over."""
    by_own_date = intent.period is not None and intent.period.field is None
    datasets = {leaf.dataset for leaf in leaves}
    found: dict[object, Part] = {}
    for place, span in enumerate(spans):
        for leaf in leaves:
            seen = tuple(_seen_by(leaf, group, datasets, setting) for group in groups)
            time = leaf.time if by_own_date or seen != groups else None
            shared = shared_rows(setting, question, leaf, seen, leaves)
            latest = is_of_one_date(setting, question, leaf, seen, span)
            rows = (place, leaf.dataset, time, seen, shared, latest)
            alone = leaf if leaf.needs_spread(setting.dialect) else None
            found.setdefault((rows, alone), Part(place, seen, rows)).leaves.append(leaf)
    return list(found.values())


def _seen_by(leaf: Leaf, group: Group, datasets: Collection[str], setting: Setting) -> Group:
    """Let a figure over other rows be dated by its own date, where the dimension is another figure's date."""
    ref = group.dimension.field
    is_others_date = ref.dataset in datasets and ref.dataset != leaf.dataset and ref.grain in TRUNCATED | CYCLIC
    if not is_others_date or leaf.time is None:
        return group
    paths = paths_between(setting.model, leaf.dataset, ref.dataset)
    if paths and to_one(paths[0]):
        return group
    own = leaf.time.model_copy(update={"grain": ref.grain})
    label = setting.field(own).label
    setting.note(f"{setting.dataset(leaf.dataset).label.capitalize()} rows are dated by their {label}.")
    return Group(group.name, Dimension(field=own, edges=group.dimension.edges))
