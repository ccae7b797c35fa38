"""Agents one after the other, each answering what the one before said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ai_engine.routing.agent import RoutedAgent, whole_answer
from ai_engine.routing.messages import AgentStream, ConversationMessage, ParticipantRole, StoppedMessage
from ai_engine.routing.supervisor_agent import refuse_cycles


class ChainAgent(RoutedAgent):
    """Gives each agent the text of the one before it; the answer is the last one's, a stream where that streams.

    Args:
        name: see RoutedAgent, which has further arguments.
        description: what the chain does.
        agents: its links; only the first sees the conversation.
        default_output: told where a link says nothing.
    """

    def __init__(
        self,
        name: str,
        description: str,
        agents: Sequence[RoutedAgent],
        *,
        default_output: str = "No output generated from the chain.",
        **described: Any,
    ) -> None:
        if not agents:
            raise ValueError("ChainAgent requires at least one agent in the chain.")
        described.setdefault("streaming", agents[-1].streaming)
        super().__init__(name, description, **described)
        self.agents = tuple(agents)
        self.default_output = default_output
        refuse_cycles(self)

    async def process_request(
        self,
        input_text: str,
        user_id: str,
        session_id: str,
        chat_history: Sequence[ConversationMessage],
        additional_params: dict[str, Any] | None = None,
    ) -> ConversationMessage | AgentStream:
        """See RoutedAgent; a link that stops the message ends the chain."""
        text = input_text
        for place, agent in enumerate(self.agents):
            history = chat_history if place == 0 else ()
            output = await agent.process_request(text, user_id, session_id, history, additional_params)
            if place == len(self.agents) - 1:
                return output
            answer = await whole_answer(output)
            if isinstance(answer, StoppedMessage):
                return answer
            if not answer.text.strip():
                break
            text = answer.text
        return ConversationMessage.of(ParticipantRole.ASSISTANT, self.default_output)
