"""An agent behind which a language model works, with tools and a retriever where it is given them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Protocol
from uuid import uuid4

from ai_engine.agent import in_thread
from ai_engine.conversation import ChatTurn, ConversationModel, ModelReply, Piece
from ai_engine.prompts.loader import load_prompt
from ai_engine.routing.agent import RoutedAgent, whole_answer
from ai_engine.routing.messages import (
    AgentStream,
    AgentStreamResponse,
    ConversationMessage,
    ParticipantRole,
)
from ai_engine.routing.tools import AgentTools, told

MOST_TOOL_ROUNDS = 20
_ROUNDS_SPENT = "I stopped after {rounds} rounds of tool calls, so this answer may be incomplete."


class Retriever(Protocol):
    """Finds text that helps with a message."""

    async def retrieve(self, text: str) -> str:
        """Return the text, empty where nothing is found."""
        ...


class AgentCallbacks:
    """Told what an agent and its model do; override what is of interest. `usage` has `input_tokens, output_tokens`."""

    async def on_agent_start(self, agent_name: str, payload: str, run_id: str) -> None:
        """Tell that an agent begins to work on a message."""

    async def on_agent_end(self, agent_name: str, response: str, run_id: str, usage: Mapping[str, int]) -> None:
        """Tell an agent's answer, with the tokens of all its model's replies."""

    async def on_agent_error(self, agent_name: str, error: BaseException, run_id: str) -> None:
        """Tell why an agent failed or was stopped."""

    async def on_llm_start(self, agent_name: str, turns: Sequence[ChatTurn], run_id: str) -> None:
        """Tell what the model is about to be asked."""

    async def on_llm_end(self, agent_name: str, reply: ModelReply, run_id: str, usage: Mapping[str, int]) -> None:
        """Tell what the model replied."""


class ModelAgent(RoutedAgent):
    """Answers with a language model, calling tools until it needs no more.

    Args:
        name: see RoutedAgent, which has further arguments.
        description: what it does; stands in its system prompt.
        model: the language model.
        tools: what it may call.
        system_prompt: instead of the prompt of the product; ours alone, no place for text from outside.
        retriever: its text stands in the message, as data.
        callbacks: told what happens.
        max_tool_rounds: at the limit the answer says so.
        prompt: name of the prompt file in which messages with text from elsewhere are written.
    """

    def __init__(
        self,
        name: str,
        description: str,
        model: ConversationModel,
        *,
        tools: AgentTools | None = None,
        system_prompt: str | None = None,
        retriever: Retriever | None = None,
        callbacks: AgentCallbacks | None = None,
        max_tool_rounds: int = MOST_TOOL_ROUNDS,
        prompt: str = "desk",
        **described: Any,
    ) -> None:
        super().__init__(name, description, **described)
        self.model = model
        self.tools = tools
        self.system_prompt = system_prompt
        self.retriever = retriever
        self.callbacks = callbacks or AgentCallbacks()
        self.max_tool_rounds = max_tool_rounds
        self._prompt = load_prompt(prompt)

    async def process_request(
        self,
        input_text: str,
        user_id: str,  # noqa: ARG002 - the model is not told who asks
        session_id: str,  # noqa: ARG002 - nor where
        chat_history: Sequence[ConversationMessage],
        additional_params: dict[str, Any] | None = None,  # noqa: ARG002 - nor what a program adds
    ) -> ConversationMessage | AgentStream:
        """See RoutedAgent."""
        pieces = self.converse(input_text, chat_history, self.tools, streaming=self.streaming)
        return pieces if self.streaming else await whole_answer(pieces)

    async def converse(
        self,
        input_text: str,
        chat_history: Sequence[ConversationMessage],
        tools: AgentTools | None,
        *,
        streaming: bool,
        notes: str = "",
    ) -> AsyncGenerator[AgentStreamResponse, None]:
        """Yield pieces as the model gives them and the whole answer last.

        Args:
            input_text: the message.
            chat_history: the agent's own turns.
            tools: what it may call this time.
            streaming: have the model stream.
            notes: further text from outside, which stands in the message as data.
        """
        run_id, stop = uuid4().hex, threading.Event()
        usage = {"input_tokens": 0, "output_tokens": 0}
        said: list[str] = []
        thought: list[str] = []
        await told(self.callbacks.on_agent_start(self.name, input_text, run_id))
        try:
            turns = [*_turns(chat_history), ChatTurn("user", await self._message(input_text, notes))]
            for round_number in range(self.max_tool_rounds + 1):
                reply = ModelReply()
                async for piece in self._ask(turns, tools, streaming, run_id, stop, usage):
                    if isinstance(piece, ModelReply):
                        reply = piece
                        continue
                    said.append(piece.text)
                    yield AgentStreamResponse(text=piece.text, thinking=piece.thinking)
                thought.append(reply.thinking)
                answer = reply.text if not streaming else "".join(said)
                if not reply.calls:
                    break
                if tools is None or round_number == self.max_tool_rounds:
                    note = _ROUNDS_SPENT.format(rounds=round_number)
                    answer = f"{answer}\n\n{note}".strip()
                    yield AgentStreamResponse(text=note)
                    break
                results = await tools.tool_handler(reply.calls, run_id)
                turns.append(ChatTurn("assistant", reply.text, reply.calls))
                turns += [
                    ChatTurn("tool", text, call_id=call.id) for call, text in zip(reply.calls, results, strict=True)
                ]
        except BaseException as fault:
            await told(self.callbacks.on_agent_error(self.name, fault, run_id))
            raise
        finally:
            stop.set()
        await told(self.callbacks.on_agent_end(self.name, answer, run_id, usage))
        yield AgentStreamResponse(
            final_message=ConversationMessage.of(ParticipantRole.ASSISTANT, answer),
            final_thinking="".join(thought) or None,
        )

    def system(self) -> str:
        """Return the system prompt: one's own, or the product's with name and description."""
        if self.system_prompt is not None:
            return self.system_prompt
        return f"You are {self.name}. {self.description}\n\n{self._prompt.system}"

    async def _message(self, input_text: str, notes: str) -> str:
        found = await self.retriever.retrieve(input_text) if self.retriever is not None else ""
        if not found and not notes:
            return input_text
        return self._prompt.fill(message=input_text, found=found or "(nothing)", notes=notes or "(none)").user

    async def _ask(
        self,
        turns: list[ChatTurn],
        tools: AgentTools | None,
        streaming: bool,
        run_id: str,
        stop: threading.Event,
        usage: dict[str, int],
    ) -> AsyncGenerator[Piece | ModelReply, None]:
        """Yield pieces of one reply and the reply itself last."""
        await told(self.callbacks.on_llm_start(self.name, tuple(turns), run_id))
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[Piece | None] = asyncio.Queue()

        def on_piece(piece: Piece) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
                loop.call_soon_threadsafe(arrived.put_nowait, piece)

        task = asyncio.ensure_future(
            in_thread(
                self.model.converse,
                self.system(),
                tuple(turns),
                tools.specs if tools else (),
                on_piece=on_piece if streaming else None,
                stop=stop,
            )
        )
        task.add_done_callback(lambda _: arrived.put_nowait(None))
        try:
            while (piece := await arrived.get()) is not None:
                yield piece
            reply = await task
        finally:
            if not task.done():
                stop.set()
                task.cancel()
        used = {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
        for name, tokens in used.items():
            usage[name] += tokens
        await told(self.callbacks.on_llm_end(self.name, reply, run_id, used))
        yield reply


def _turns(history: Sequence[ConversationMessage]) -> list[ChatTurn]:
    return [ChatTurn("user" if turn.role is ParticipantRole.USER else "assistant", turn.told_text) for turn in history]
