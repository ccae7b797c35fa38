"""Example questions in the bank's own words."""

from __future__ import annotations

from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.vocabulary import Vocabulary

_MOST_EXAMPLES = 6
_LONGEST_EXAMPLE_CHARS = 80


def example_questions(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Choose a few questions: those a person has verified, then ones made from the vocabulary's names."""
    verified = (item.question for item in vocabulary.model.verified_questions)
    candidates = [*verified, *_from_names(vocabulary.model)]
    short = [question for question in candidates if len(question) <= _LONGEST_EXAMPLE_CHARS]
    return tuple(dict.fromkeys(short))[:_MOST_EXAMPLES]


def _from_names(model: SemanticModel) -> list[str]:
    made = [f"What is the {metric.label.lower()}?" for metric in model.metrics[:2]]
    for dataset in model.datasets:
        made.append(f"How many {dataset.label.lower()} rows are there?")
        made += [
            f"Number of {dataset.label.lower()} rows by {item.label.lower()}"
            for item in dataset.fields
            if item.role == "category" and not item.sensitive
        ][:1]
    return made
