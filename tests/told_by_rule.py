"""A model that keeps what it tells of each result, so that its sentences can be held to what a model may say."""

from __future__ import annotations

import threading
from typing import Any

from ai_engine.insight import Judge
from ai_engine.ports import AssistantModel, InsightTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Insight


class ToldByRule:
    """Does what the model given does."""

    def __init__(self, model: AssistantModel) -> None:
        self._model = model
        self.told: list[tuple[InsightTask, str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def explain(self, task: InsightTask, vocabulary: Vocabulary, *, stop: threading.Event, heard=None) -> Insight:
        insight = self._model.explain(task, vocabulary, stop=stop, heard=heard)
        if task.result.row_count:  # without rows there is only the restatement to repeat
            self.told.append((task, insight.summary))
        return insight

    def unfounded(self, vocabulary: Vocabulary) -> list[tuple[tuple[str, ...], str]]:
        """Return the summaries with a figure that their result does not bear out, and that figure."""
        checked = [(Judge(task, vocabulary).unfounded(summary), summary) for task, summary in self.told]
        return [(figures, summary) for figures, summary in checked if figures]
