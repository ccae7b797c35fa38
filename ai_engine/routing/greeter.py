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
    """Works without a language model; declines what wishes something done, too.

    Args:
        name: see RoutedAgent, which has further arguments.
        description: what it does.
        others: the agents that can be chosen; asked anew each time.
        decline: given a message and whether it may change what was answered last: why it is declined, if it is.
    """

    def __init__(
        self,
        name: str,
        description: str,
        others: Callable[[], Sequence[RoutedAgent]],
        decline: Callable[[str, bool], str | None] = lambda _text, _may_edit: None,
        **described: Any,
    ) -> None:
        super().__init__(name, description, **described)
        self._others = others
        self._decline = decline

    def declined(self, message: str, may_edit: bool) -> str | None:
        """Say why a message is declined that wishes something done; None for every other; takes milliseconds."""
        return self._decline(message, may_edit)

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
        if (told := self.declined(message, may_edit=False)) is not None:
            return told
        if _THANKS.search(message):
            return "You are welcome."
        return "Hello. These assistants can help you, just ask:\n" + "\n".join(_line(agent) for agent in others)


def _line(agent: RoutedAgent) -> str:
    example = f" Such as: {agent.examples[0]}" if agent.examples else ""
    about = agent.description.partition(":")[0].rstrip(".")
    return f"- {agent.name}: {about}.{example}"
