"""People who share a name: grouped by who they are, and not by what they are called."""

from __future__ import annotations

from collections.abc import Collection

from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import Dimension, FieldRef, Intent
from ai_engine.semantics.model import Dataset
from ai_engine.semantics.people import holds_people, name_parts
from ai_engine.semantics.wording import plural

_Ways = dict[tuple[str, tuple[str, ...]], set[str]]


def keys_of_namesakes(intent: Intent, summed: Collection[str], setting: Setting) -> tuple[Dimension, ...]:
    """Return the keys that tell apart people whose names alone are shown; says so among the notes.

    Args:
        intent: the structured question.
        summed: datasets whose rows the figures are made of; counting people by their names needs no key.
        setting: what is fixed, with the notes.
    """
    shown: _Ways = {}
    for item in intent.dimensions:
        if item.field.grain is None and not item.edges:
            shown.setdefault((item.field.dataset, item.field.via), set()).add(item.field.field)
    found: list[Dimension] = []
    for (name, via), fields in shown.items():
        dataset = setting.dataset(name)
        if name not in summed and _is_named_only(dataset, fields):
            found.append(Dimension(field=FieldRef(dataset=name, field=dataset.primary_key[0], via=via)))
            setting.note(f"{plural(dataset.label).capitalize()} who share a name are kept apart.")
    return tuple(found)


def _is_named_only(dataset: Dataset, fields: set[str]) -> bool:
    """Whether whole names of people are among the fields, and the key is not."""
    if len(dataset.primary_key) != 1 or dataset.primary_key[0] in fields or not holds_people(dataset):
        return False
    parts, named = set(name_parts(dataset)), {name for name in fields if dataset.field(name).role == "name"}
    return bool(named - parts) or (bool(parts) and named >= parts)
