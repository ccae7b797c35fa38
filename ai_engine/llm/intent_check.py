"""Is every name of a structured question in the vocabulary, and every value as it is stored?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from pydantic import BaseModel
from rapidfuzz import process

from ai_engine.llm.told_vocabulary import tells_values
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure, Membership, Value, bounded
from ai_engine.semantics.model import Field, SemanticModel
from ai_engine.semantics.values import StoredValue
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import words

_NEAREST = 3
_SHOWN_VALUES = 12
_COMPARED = frozenset({"=", "!=", "in", "not in", "<", "<=", ">", ">=", "between"})
_EQUATED = frozenset({"=", "!=", "in", "not in"})


def settle_intent(intent: Intent, vocabulary: Vocabulary, found: Sequence[StoredValue] = ()) -> Intent:
    """Return the intent with values typed and spelled as stored; `found` are values beyond those learnt.

    Raises:
        ValueError: a dataset, field, metric, relationship or value does not exist; says which, and the nearest ones.
    """
    for node in _walk(intent):
        _check_names(node, vocabulary.model)
    if intent.subject is not None:
        _check_dataset(intent.subject, vocabulary.model)
    if not intent.measures and intent.subject is None:
        raise ValueError("intent: give measures, or the subject whose rows are to be listed")
    return Intent.model_validate(_rebuild(intent, lambda condition: _settle_values(condition, vocabulary, found)))


def _walk(node: BaseModel) -> Iterator[BaseModel]:
    yield node
    for name in type(node).model_fields:
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, BaseModel):
                yield from _walk(part)


def _rebuild(node: BaseModel, settle: Callable[[Condition], Condition]) -> BaseModel:
    """Copy the tree with every condition settled."""
    changed: dict[str, object] = {}
    for name in type(node).model_fields:
        value = getattr(node, name)
        if isinstance(value, BaseModel):
            changed[name] = _rebuild(value, settle)
        elif isinstance(value, tuple) and any(isinstance(part, BaseModel) for part in value):
            changed[name] = tuple(_rebuild(part, settle) if isinstance(part, BaseModel) else part for part in value)
    copy = node.model_copy(update=changed)
    return settle(copy) if isinstance(copy, Condition) else copy


def _check_names(node: BaseModel, model: SemanticModel) -> None:
    if isinstance(node, FieldRef):
        _check_dataset(node.dataset, model)
        if not model.dataset(node.dataset).has(node.field):
            names = [item.name for item in model.dataset(node.dataset).fields]
            raise ValueError(_unknown("field", node.field, names, f" in dataset {node.dataset}"))
        _check_path(node.via, model)
    if isinstance(node, Membership):
        _check_dataset(node.dataset, model)
        _check_path(node.via, model)
    if isinstance(node, Measure):
        _check_measure(node, model)


def _check_measure(measure: Measure, model: SemanticModel) -> None:
    if measure.dataset is not None:
        _check_dataset(measure.dataset, model)
    if measure.metric is not None:
        names = [item.name for item in model.metrics]
        if measure.metric not in names:
            raise ValueError(_unknown("metric", measure.metric, names))
    elif measure.aggregate is None or (measure.field is None and measure.dataset is None):
        raise ValueError("a measure needs a metric, or an aggregate with a field or a dataset")


def _check_dataset(name: str, model: SemanticModel) -> None:
    names = [item.name for item in model.datasets]
    if name not in names:
        raise ValueError(_unknown("dataset", name, names))


def _check_path(via: Iterable[str], model: SemanticModel) -> None:
    names = [item.name for item in model.relationships]
    for name in via:
        if name not in names:
            raise ValueError(_unknown("relationship", name, names))


def _unknown(kind: str, name: str, names: list[str], place: str = "") -> str:
    nearest = [found[0] for found in process.extract(name, names, limit=_NEAREST)]
    known = f"; the nearest are {', '.join(nearest)}" if nearest else ""
    return f"{kind} {name!r} does not exist{place}{known}"


def _settle_values(condition: Condition, vocabulary: Vocabulary, found: Sequence[StoredValue]) -> Condition:
    if condition.operator not in _COMPARED or condition.field.grain is not None:
        return condition
    item = vocabulary.model.dataset(condition.field.dataset).field(condition.field.field)
    values = tuple(_typed(value, item) for value in condition.values)
    if item.type == "text" and condition.operator in _EQUATED:
        values = tuple(_as_stored(value, condition.field, vocabulary, found) for value in values)
    return condition.model_copy(update={"values": values})


def _typed(value: Value, item: Field) -> Value:
    try:
        if item.type == "date" and isinstance(value, str):
            return date.fromisoformat(value)
        if item.type == "timestamp" and isinstance(value, str):
            return datetime.fromisoformat(value)
        if item.type in {"integer", "decimal", "float"} and isinstance(value, str):
            return bounded(Decimal(value.replace(",", "")))
    except (ValueError, InvalidOperation):
        raise ValueError(f"{value!r} is no {item.type}, as field {item.name!r} is") from None
    return str(value) if item.type == "text" and isinstance(value, (int, Decimal)) else value


def _as_stored(value: Value, field: FieldRef, vocabulary: Vocabulary, found: Sequence[StoredValue]) -> Value:
    """Find the stored spelling; where all values are known, one that is not among them is an error."""
    spelled = {one.value for one in found if (one.dataset, one.field) == (field.dataset, field.field)}
    same = [one for one in spelled if isinstance(one, str) and one.lower() == str(value).lower()]
    if len(same) == 1:
        return same[0]
    known = vocabulary.values.values_of(field.dataset, field.field)
    if known is None or value in known.values:
        return value
    index, phrase = vocabulary.values, words(str(value))
    for stored_so in (index.exactly(phrase), index.by_synonym(phrase), index.by_stem(phrase)):
        own = [stored.value for stored in stored_so if (stored.dataset, stored.field) == (field.dataset, field.field)]
        if len(own) == 1 and isinstance(own[0], str):
            return own[0]
    if not known.complete:
        return value
    tells = tells_values(vocabulary.model.dataset(field.dataset).field(field.field))
    shown = f"; stored are {', '.join(map(str, known.values[:_SHOWN_VALUES]))}" if tells else ""
    raise ValueError(f"{field.dataset}.{field.field} has no value {value!r}{shown}")
