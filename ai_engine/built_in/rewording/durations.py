"""How long something took: the days between two dates of a row."""

from __future__ import annotations

import re

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.words import stem, words

_BEGUN = frozenset(
    map(stem, "raised opened filed received reported logged lodged submitted requested intimated".split())
)
_ENDED = frozenset(map(stem, "resolved closed completed settled decided disposed".split()))


def turnaround(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """From the day a case was raised to the day it was resolved, of the one table that keeps both."""
    spans = [(_only(dataset, _BEGUN), _only(dataset, _ENDED)) for dataset in knowledge.model.datasets]
    named = [
        (dataset, span)
        for dataset, span in zip(knowledge.model.datasets, spans, strict=True)
        if all(span) and is_said(dataset, question)
    ]
    if len(named) != 1:
        return None
    start, end = named[0][1]
    return f"days from {start.label} to {end.label}" if start is not None and end is not None else None


def _only(dataset: Dataset, events: frozenset[str]) -> Field | None:
    dates = [
        item for item in dataset.fields if item.role == "time" and events.intersection(map(stem, words(item.label)))
    ]
    return dates[0] if len(dates) == 1 else None


def is_said(dataset: Dataset, question: str) -> bool:
    """Tell whether a question names the rows of a dataset."""
    asked = {stem(word) for word in words(question)}
    return any({stem(word) for word in words(name)} <= asked for name in (dataset.label, *dataset.synonyms))
