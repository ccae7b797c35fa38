"""Greets, says what can be asked, and asks back where nobody can be chosen."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.messages import ConversationMessage, ParticipantRole

_THANKS = re.compile(r"(?i)\b(?:thanks?|thank you|thx|cheers|bye|goodbye|that is all|that's all)\b")
UNDECIDED = "I am not sure who should answer that"


class Greeter(RoutedAgent):
    """Works without a language model.

    Args:
        name: see RoutedAgent, which has further arguments.
        description: what it does.
        others: the agents that can be chosen; asked anew each time.
    """

    def __init__(
        self, name: str, description: str, others: Callable[[], Sequence[RoutedAgent]], **described: Any
    ) -> None:
        super().__init__(name, description, **described)
        self._others = others

    async def process_request(
        self,
        input_text: str,
        user_id: str,  # noqa: ARG002 - everybody is greeted alike
        session_id: str,  # noqa: ARG002 - in every conversation
        chat_history: Sequence[ConversationMessage],  # noqa: ARG002 - however long
        additional_params: dict[str, Any] | None = None,
    ) -> ConversationMessage:
        """See RoutedAgent; of `additional_params`, `undecided` says that nobody was chosen, `candidates` who nearly."""
        params = additional_params or {}
        return ConversationMessage.of(ParticipantRole.ASSISTANT, self._reply(input_text, params))

    def _reply(self, message: str, params: dict[str, Any]) -> str:
        others = [agent for agent in self._others() if agent.id != self.id]
        if params.get("undecided"):
            near = {one["id"] for one in params.get("candidates", ())} - {self.id}
            asked = [agent for agent in others if agent.id in near] if len(near) > 1 else others
            who = "\n".join(_line(agent) for agent in asked)
            return f"{UNDECIDED}. Name one of these, or say it in more words:\n{who}"
        if _THANKS.search(message):
            return "You are welcome."
        return "Hello. These assistants can help you, just ask:\n" + "\n".join(_line(agent) for agent in others)


def _line(agent: RoutedAgent) -> str:
    example = f" Such as: {agent.examples[0]}" if agent.examples else ""
    about = agent.description.partition(":")[0].rstrip(".")
    return f"- {agent.name}: {about}.{example}"
