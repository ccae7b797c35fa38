"""The other way by which a field is reached: the customer's home branch, and not the branch of the account."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from ai_engine.errors import AmbiguousPath
from ai_engine.semantics.intent import FieldRef, Intent, Measure, parts_of
from ai_engine.semantics.join_paths import many_to_one_path, other_way
from ai_engine.semantics.model import SemanticModel


def bases_of(measure: Measure, model: SemanticModel) -> frozenset[str]:
    """Return the datasets whose rows a figure is made of."""
    if measure.metric is not None:
        tree = sqlglot.parse_one(model.metric(measure.metric).expression)
        return frozenset(column.table for column in tree.find_all(exp.Column) if column.table)
    own = [measure.dataset] if measure.dataset else [measure.field.dataset] if measure.field else []
    others = [other for other in (measure.denominator, measure.minus) if other is not None]
    return frozenset(own).union(*(bases_of(other, model) for other in others))


def base_of(intent: Intent, model: SemanticModel) -> str | None:
    """Return the one dataset whose rows are counted, summed or listed; None where there are several."""
    found = {name for measure in intent.measures for name in bases_of(measure, model)}
    if not intent.measures:
        found = {intent.subject} if intent.subject is not None else {ref.dataset for ref in intent.columns}
    return next(iter(found)) if len(found) == 1 else None


def other_ways(ref: FieldRef, intent: Intent, model: SemanticModel) -> tuple[FieldRef, ...]:
    """Return the same field as it is reached by another relationship from the rows that are counted."""
    base = base_of(intent, model)
    if base is None or base == ref.dataset or ref.since is not None:
        return ()
    try:
        here = many_to_one_path(model, base, ref.dataset, ref.via)
        usual = many_to_one_path(model, base, ref.dataset)
    except AmbiguousPath:
        return ()
    other = other_way(model, here) if here else None
    if other is None or here is None:
        return ()
    via = () if usual == other else (other[-1].relationship.name,)
    return (ref.model_copy(update={"via": via}),)


def is_sensitive(intent: Intent, model: SemanticModel) -> bool:
    """Tell whether any field of an intent is one that is not shown."""
    return any(model.dataset(ref.dataset).field(ref.field).sensitive for ref in parts_of(intent, FieldRef))
