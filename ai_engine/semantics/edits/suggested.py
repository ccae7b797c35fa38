"""By what else a figure is worth breaking down: groupings that are few, known of every row, and not chosen already."""

from __future__ import annotations

from collections.abc import Iterator

from ai_engine.errors import AmbiguousPath
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.edits.ways import base_of
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Intent, parts_of
from ai_engine.semantics.join_paths import distances, many_to_one_path
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.vocabulary import Vocabulary

FEWEST_GROUPS, MOST_GROUPS = 2, 60
_FARTHEST = 3
_GRAIN = "month"


def suggested_groupings(intent: Intent, vocabulary: Vocabulary) -> Iterator[tuple[Dimension, ...]]:
    """Yield groupings that fit the figures of an intent, the nearest first; a thing is its key with its name.

    Its own categories come first, then the time, then what its rows belong to. What is grouped by already, and what a
    filter holds to one value, is left out; what is sensitive too.
    """
    model, base = vocabulary.model, base_of(intent, vocabulary.model)
    if base is None or not intent.measures:
        return
    used = {_place(item.field) for item in intent.dimensions}
    used |= {_place(item.field) for item in parts_of(intent, Condition) if item.operator in ("=", "is null")}
    for near, dataset in _near(base, model):
        for item in dataset.fields:
            place = (dataset.name, item.name)
            if place not in used and _groups_well(dataset, item, vocabulary):
                yield (Dimension(field=FieldRef(dataset=dataset.name, field=item.name)),)
        if near == 0:
            yield from _by_time(intent, vocabulary)
        if near > 0 and (thing := _thing(dataset, vocabulary)) and not used & {_place(item.field) for item in thing}:
            yield thing


def _place(ref: FieldRef) -> tuple[str, str]:
    return ref.dataset, ref.field


def _near(base: str, model: SemanticModel) -> Iterator[tuple[int, Dataset]]:
    """Yield the base and what each of its rows belongs to by one way, the nearest first."""
    for name, near in sorted(distances(model, base, to_many=False).items(), key=lambda found: found[1]):
        try:
            if near <= _FARTHEST and many_to_one_path(model, base, name) is not None:
                yield near, model.dataset(name)
        except AmbiguousPath:
            continue


def _groups_well(dataset: Dataset, item: Field, vocabulary: Vocabulary) -> bool:
    if item.role not in ("category", "flag") or item.sensitive or item.behind or item.described_by:
        return False
    if item.type == "boolean":
        return True
    known = vocabulary.values.values_of(dataset.name, item.name)
    return known is not None and known.complete and FEWEST_GROUPS <= len(known.values) <= MOST_GROUPS


def _by_time(intent: Intent, vocabulary: Vocabulary) -> Iterator[tuple[Dimension, ...]]:
    dated = date_of(intent, vocabulary.model)
    if dated is None or any(item.field.grain for item in intent.dimensions):
        return
    field = vocabulary.model.dataset(dated.dataset).field(dated.field)
    if not field.sensitive:
        grain = "year" if field.is_year else _GRAIN
        yield (Dimension(field=dated.model_copy(update={"grain": grain})),)


def _thing(dataset: Dataset, vocabulary: Vocabulary) -> tuple[Dimension, ...] | None:
    """Return what a thing is grouped by, key and name, where there are few of them."""
    names = [name for name in dataset.display if dataset.has(name) and dataset.field(name).role == "name"]
    if len(dataset.primary_key) != 1 or not names:
        return None
    known = vocabulary.values.values_of(dataset.name, names[0])
    if known is None or not known.complete or not FEWEST_GROUPS <= len(known.values) <= MOST_GROUPS:
        return None
    fields = (dataset.primary_key[0], *names)
    if any(dataset.field(name).sensitive for name in fields if dataset.has(name)) or not dataset.has(fields[0]):
        return None
    return tuple(Dimension(field=FieldRef(dataset=dataset.name, field=name)) for name in fields)
