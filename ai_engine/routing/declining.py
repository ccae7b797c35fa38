"""Sends a wish to have something done to the greeter, who says that nobody here does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ai_engine.agent import in_thread
from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.classifier import Classifier
from ai_engine.routing.greeter import Greeter
from ai_engine.routing.messages import ClassifierResult, ConversationMessage
from ai_engine.routing.word_classifier import last_speaker

REASON = "It wishes something done; everybody here only reads."
EDITABLE = frozenset({"figures", "calculations"})
"""Desks whose last answer a message may change: "drop the branch", "increase the rate to 9 %"."""


class DecliningClassifier:
    """A classifier behind the judge of wishes.

    Args:
        classifier: chooses for every other message.
        greeter: judges and declines.
    """

    def __init__(self, classifier: Classifier, greeter: Greeter) -> None:
        self._classifier = classifier
        self._greeter = greeter

    async def classify(
        self, input_text: str, chat_history: Sequence[ConversationMessage], agents: Mapping[str, RoutedAgent]
    ) -> ClassifierResult:
        """See Classifier."""
        may_edit = last_speaker(chat_history, agents) in EDITABLE
        if await in_thread(self._greeter.declined, input_text, may_edit) is not None:
            return ClassifierResult(self._greeter, 1.0, REASON)
        return await self._classifier.classify(input_text, chat_history, agents)
