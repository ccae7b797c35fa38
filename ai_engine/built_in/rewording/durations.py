"""How long something took: the days between two dates of a row."""

from __future__ import annotations

import re

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.semantics.infer.events import words_of_event
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import stem, words

_BEGUN = frozenset(
    map(stem, "raised opened filed received reported logged lodged submitted requested intimated".split())
)
_ON_AVERAGE = r"(?: on average)?"
TAKING = (
    rf"how (?:many days|long){_ON_AVERAGE}(?: (?:does|did) (?:it|they)| do we| did we)?(?: take| need)?{_ON_AVERAGE}"
    rf"|(?:number of )?days{_ON_AVERAGE}(?: (?:it|they|we) (?:takes?|took|needs?|needed))?{_ON_AVERAGE}"
    r"|time(?: it (?:takes|took))?|(?:time|days) taken"
)
"""What asks how long something takes, before what is done."""
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


def lasted(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:
    """ "delivery time", "time to close a ticket": the days from the date of a row to the day on which that happened."""
    done = found["done"]
    events = {*map(stem, (done, f"{done}ed"))} if done else {stem(found["noun"] or "discharge")}
    spans = []
    for dataset in knowledge.model.datasets:
        dates = {item.name: item for item in dataset.fields if item.role == "time"}
        start = _only(dataset, _BEGUN) or dates.get(dataset.default_time or "")
        ends = [item for item in dates.values() if events.intersection(map(stem, words_of_event(words(item.label))))]
        if not ends and events & _ENDED:
            ends = [end] if (end := _only(dataset, _ENDED)) is not None else []
        if start is not None and len(ends) == 1 and ends[0] != start:
            spans.append((dataset, f"days from {start.label} to {ends[0].label}"))
    noun = words(found["of"] or "")[-1:]
    said = [span for span in spans if is_said(span[0], " ".join(noun) or question)] or (() if noun else spans)
    if len(said) != 1:
        return None
    return f"{said[0][1]} of {plural(said[0][0].label)}" if noun else said[0][1]


def _only(dataset: Dataset, events: frozenset[str]) -> Field | None:
    dates = [
        item for item in dataset.fields if item.role == "time" and events.intersection(map(stem, words(item.label)))
    ]
    return dates[0] if len(dates) == 1 else None


def is_said(dataset: Dataset, question: str) -> bool:
    """Tell whether a question names the rows of a dataset."""
    asked = {stem(word) for word in words(question)}
    return any({stem(word) for word in words(name)} <= asked for name in (dataset.label, *dataset.synonyms))
