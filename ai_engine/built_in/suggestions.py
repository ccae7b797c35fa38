"""Questions that can be answered, offered where one could not."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.reading import Reading
from ai_engine.semantics.restatement import restate

_MOST = 4


def near_questions(best: Reading | None, knowledge: Knowledge) -> tuple[str, ...]:
    """What was understood of the question, without the rest; then examples for the same database."""
    near: list[str] = []
    if best is not None and best.intent is not None:
        near.append(restate(best.intent, knowledge.model, knowledge.as_of))
    return tuple(dict.fromkeys((*near, *example_questions(knowledge))))[:_MOST]


def example_questions(knowledge: Knowledge) -> tuple[str, ...]:
    """Questions made from the vocabulary: those that people verified, else counts and figures by a category."""
    model = knowledge.model
    if model.verified_questions:
        return tuple(item.question for item in model.verified_questions)
    found: list[str] = []
    for dataset in model.datasets:
        category = next((f for f in dataset.fields if f.role == "category" and not f.sensitive), None)
        measure = next((f for f in dataset.fields if f.role == "measure" and f.default_aggregate), None)
        found.append(f"How many {dataset.label} rows are there" + (f" by {category.label}?" if category else "?"))
        if measure and category:
            word = {"sum": "Total", "avg": "Average"}.get(measure.default_aggregate or "", "Total")
            found.append(f"{word} {measure.label} by {category.label}")
    return tuple(found[:6])
