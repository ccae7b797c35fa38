"""Which date of the data a question is about."""

from __future__ import annotations

from ai_engine.semantics.intent import FieldRef, Intent, Measure
from ai_engine.semantics.model import SemanticModel


def date_of(intent: Intent, model: SemanticModel) -> FieldRef | None:
    """Return the date that a question's rows are dated by, None where nothing dates them.

    That is the date its period names, else the one of its first figure, else that of the rows it lists.
    """
    if intent.period is not None and intent.period.field is not None:
        return intent.period.field
    for measure in intent.measures:
        found = _date_of_measure(measure, model)
        if found is not None:
            return found
    listed = intent.subject or next((ref.dataset for ref in intent.columns), None)
    return default_date(listed, model) if listed is not None else None


def default_date(dataset: str, model: SemanticModel) -> FieldRef | None:
    """Return the date of a dataset's rows where nothing names another."""
    time = model.dataset(dataset).default_time
    return FieldRef(dataset=dataset, field=time) if time is not None else None


def _date_of_measure(measure: Measure, model: SemanticModel) -> FieldRef | None:
    if measure.metric is not None:
        named = model.metric(measure.metric).time_field
        if named is None:
            return None
        dataset, _, field = named.partition(".")
        return FieldRef(dataset=dataset, field=field)
    counted = measure.dataset or (measure.field.dataset if measure.field is not None else None)
    return default_date(counted, model) if counted is not None else None
