"""What people do, by the kinds of rows that it leaves: who withdrew has transactions of the type Cash Withdrawal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from ai_engine.semantics.infer.events import PRESENT_OF
from ai_engine.semantics.intent import Condition, FieldRef
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.values import StoredValue, ValueIndex
from ai_engine.semantics.words import stem, words

KindsByVerb = Mapping[str, tuple[StoredValue, ...]]

_LEAVING_KINDS = frozenset("withdrew withdrawn spent drew drawn".split())
"""Verbs without an ending that tell what kind of rows they leave: what was "paid" may be of many."""
_PAST_OF = {bare: past for past, bare in reversed(PRESENT_OF.items())}
_KINDS = frozenset("type kind category class nature".split())
_ENDINGS = ("ed", "ing")
_FEW = 3  # of more kinds than these the verb says too little


def past_of(verb: str) -> str:
    """The participle of a verb's bare form."""
    return _PAST_OF.get(verb, f"{verb.removesuffix('e')}ed")


def kinds_done(verb: str, kinds: KindsByVerb) -> tuple[Condition, ...]:
    """The conditions that rows are of the kinds called after a verb in the past, one for each column of kinds."""
    if not (verb in _LEAVING_KINDS or verb.endswith(_ENDINGS)):
        return ()
    found = kinds.get(stem(PRESENT_OF.get(verb, verb)), ())
    places: dict[FieldRef, list[StoredValue]] = defaultdict(list)
    for value in found:
        places[FieldRef(dataset=value.dataset, field=value.field)].append(value)
    return tuple(
        Condition(field=place, operator="=", values=tuple(value.value for value in values))
        for place, values in places.items()
        if len(values) <= _FEW
    )


def kinds_by_verb(model: SemanticModel, values: ValueIndex, with_amounts: Collection[str]) -> KindsByVerb:
    """The kinds of rows of these datasets, by the stem of the noun that they end with."""
    found: dict[str, list[StoredValue]] = defaultdict(list)
    for dataset in model.datasets:
        for item in dataset.fields if dataset.name in with_amounts else ():
            is_kind = item.role == "category" and not _KINDS.isdisjoint(words(item.label)[-1:])
            held = values.values_of(dataset.name, item.name) if is_kind else None
            for value in held.values if held is not None and held.complete else ():
                said = words(value) if isinstance(value, str) else ()
                if said:
                    found[stem(said[-1])].append(StoredValue(dataset.name, item.name, value))
    return {verb: tuple(kinds) for verb, kinds in found.items()}
