"""What a question may not read: fields that are nobody's business, be they shown or only joined by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.inferred_notes import PERMITTING
from ai_engine.semantics.intent import FieldRef, Intent, parts_of
from ai_engine.semantics.names import with_article
from ai_engine.semantics.words import words


def sensitive_field(intent: Intent, knowledge: Knowledge) -> FieldRef | None:
    """The first field of a question that the vocabulary keeps to itself."""
    return next((ref for ref in parts_of(intent, FieldRef) if knowledge.field(ref).sensitive), None)


def sensitive_key(intent: Intent, knowledge: Knowledge) -> FieldRef | None:
    """The first such field by which the statement would have to tell rows apart or find those that belong to them."""
    keys = tuple(dict.fromkeys(_sensitive_keys(knowledge)))
    if not keys:
        return None
    vocabulary = knowledge.vocabulary
    try:
        draft = compile_intent(intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    except IntentNotCovered:
        return None
    return next((key for key in keys if _reads(draft.sql, key, knowledge)), None)


def field_reply(found: FieldRef, knowledge: Knowledge) -> str:
    """Say that a field is kept to itself."""
    refusal = f"{_marked(found, knowledge)} and is not shown; leave it out and ask for the rest."
    return f"{refusal} Whoever runs the assistant can permit it in the vocabulary file ({PERMITTING})."


def key_reply(found: FieldRef, knowledge: Knowledge) -> str:
    """Say that nothing can be looked up by a field that is kept to itself."""
    marked = _marked(found, knowledge)
    return f"{marked}, and no other column tells which rows belong together; ask for either of them alone."


def number_reply(question: str, unplaced: Sequence[str], knowledge: Knowledge) -> str:
    """Say that a number nobody knows may be one that is kept back, where the question names what has it."""
    if not any(character.isdigit() for words in unplaced for character in words):
        return ""
    said = set(words(question))
    named = (item.name for item in knowledge.model.datasets if set(words(item.label)) <= said)
    found = next((kept for name in named if (kept := knowledge.kept_number(name)) is not None), None)
    return f" {field_reply(found, knowledge)}" if found is not None else ""


def _marked(found: FieldRef, knowledge: Knowledge) -> str:
    item, dataset = knowledge.field(found), knowledge.dataset(found.dataset)
    whose = f"{with_article(dataset.label)} is marked as sensitive ({found.dataset}.{found.field})"
    return f"The {item.label} of {whose}"


def _sensitive_keys(knowledge: Knowledge) -> Iterator[FieldRef]:
    for link in knowledge.model.relationships:
        for dataset, columns in ((link.from_dataset, link.from_columns), (link.to_dataset, link.to_columns)):
            yield from _sensitive_of(dataset, columns, knowledge)
    for item in knowledge.model.datasets:
        yield from _sensitive_of(item.name, item.primary_key, knowledge)


def _sensitive_of(dataset: str, columns: tuple[str, ...], knowledge: Knowledge) -> Iterator[FieldRef]:
    known = knowledge.dataset(dataset)
    for name in columns:
        if known.has(name) and known.field(name).sensitive:
            yield FieldRef(dataset=dataset, field=name)


def _reads(sql: str, key: FieldRef, knowledge: Knowledge) -> bool:
    table = knowledge.dataset(key.dataset).table_name
    return all(re.search(rf"\b{re.escape(name)}\b", sql, re.IGNORECASE) for name in (table, key.field))
