"""What a bank's prose says of its data, as changes of the vocabulary that a person is to judge."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel, Field

from ai_engine.ports import ChatModel
from ai_engine.prompts.loader import load_prompt
from ai_engine.semantics.model import Dataset, SemanticModel
from ai_engine.semantics.model import Field as ModelField

_PART_CHARS = 8_000
_MOST_CHARS = 400
_MOST_SYNONYMS = 5

_Described = TypeVar("_Described", Dataset, ModelField)


class NotedChange(BaseModel):
    """What the notes say of one table or column."""

    table: str
    column: str | None = None
    description: str | None = None
    synonyms: list[str] = Field(default_factory=list)
    quote: str


class NotedRule(BaseModel):
    """How a figure is to be computed."""

    rule: str
    quote: str


class NotesReply(BaseModel):
    """All that one part of the notes says."""

    changes: list[NotedChange] = Field(default_factory=list)
    rules: list[NotedRule] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Proposal:
    """The vocabulary as it would be, and what was left out with the reason; nothing of it is applied."""

    model: SemanticModel
    left_out: tuple[str, ...] = ()


def propose_from_notes(notes: str, model: SemanticModel, chat: ChatModel, stop: threading.Event) -> Proposal:
    """Ask a language model part by part; what the notes do not say word for word, or names nothing, is left out.

    Only descriptions, synonyms and instructions change: what is sensitive, how tables join and what a column holds is
    not for prose to say.

    Raises:
        ModelFailed: no usable reply to a part.
        QueryStopped: `stop` was set.
    """
    said = _plain(notes)
    left_out: list[str] = []
    for part in _parts(notes):
        messages = load_prompt("notes").fill(vocabulary=_told(model), notes=part)
        reply = chat.ask(messages, NotesReply, lambda reply: reply, stop=stop)
        for change in reply.changes:
            if not _is_said(change.quote, said):
                left_out.append(f"{_name(change)}: the notes do not say {change.quote[:_MOST_CHARS]!r}")
                continue
            changed = _changed(model, change)
            if changed is None:
                left_out.append(f"{_name(change)}: there is no such table or column")
            model = changed or model
        for rule in reply.rules:
            if not _is_said(rule.quote, said):
                left_out.append(f"a rule: the notes do not say {rule.quote[:_MOST_CHARS]!r}")
            elif _line(rule.rule) not in model.instructions:
                model = replace(model, instructions=f"{model.instructions}\n{_line(rule.rule)}".strip())
    return Proposal(model, tuple(left_out))


def _parts(notes: str) -> Iterator[str]:
    """Cut at empty lines, so that no sentence is cut; a longer paragraph is cut where it must be."""
    part = ""
    for paragraph in notes.split("\n\n"):
        for start in range(0, len(paragraph), _PART_CHARS):
            piece = paragraph[start : start + _PART_CHARS]
            if part and len(part) + len(piece) > _PART_CHARS:
                yield part
                part = ""
            part = f"{part}\n\n{piece}".strip()
    if part:
        yield part


def _told(model: SemanticModel) -> str:
    lines: list[str] = []
    for dataset in model.datasets:
        lines.append(_line(f"{dataset.name}: {dataset.label}. {dataset.description} {', '.join(dataset.synonyms)}"))
        for item in dataset.fields:
            lines.append("  " + _line(f"{item.name}: {item.label}. {item.description} {', '.join(item.synonyms)}"))
    return "\n".join(lines)


def _changed(model: SemanticModel, change: NotedChange) -> SemanticModel | None:
    """Return the model with a change; None where it names nothing."""
    found = {dataset.name.lower(): dataset for dataset in model.datasets}.get(change.table.strip().lower())
    if found is None:
        return None
    if change.column is None:
        changed: Dataset = _described(found, change)
    else:
        fields = {item.name.lower(): item for item in found.fields}
        item = fields.get(change.column.strip().lower())
        if item is None:
            return None
        fields[item.name.lower()] = _described(item, change)
        changed = replace(found, fields=tuple(fields.values()))
    return replace(model, datasets=tuple(changed if one is found else one for one in model.datasets))


def _described(item: _Described, change: NotedChange) -> _Described:
    known = {word.lower() for word in (item.name, item.label, *item.synonyms)}
    new: list[str] = []
    for word in map(_line, change.synonyms[:_MOST_SYNONYMS]):
        if word and word.lower() not in known:
            known.add(word.lower())
            new.append(word)
    description = _line(change.description or "") or item.description
    return replace(item, description=description, synonyms=(*item.synonyms, *new))


def _is_said(quote: str, said: str) -> bool:
    return bool(quote.strip()) and _plain(quote) in said


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _line(text: str) -> str:
    return " ".join(text.split())[:_MOST_CHARS]


def _name(change: NotedChange) -> str:
    return f"{change.table}.{change.column}" if change.column else change.table
