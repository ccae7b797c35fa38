"""One short call of the language model, to say whether it answers, and what stands in the way where it does not."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_engine.conversation import ChatTurn
from ai_engine.errors import AssistantError
from ai_engine.model_use import begin_asking

if TYPE_CHECKING:
    from backend.service import Assistant

_SYSTEM = "You are asked whether you can be reached. Reply with the one word OK."


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of it; `said` is a sentence for people, without key."""

    is_well: bool
    said: str
    elapsed_ms: float = 0.0


def try_model(assistant: Assistant, who: str) -> Tried:
    """Ask the model for one word; it counts towards this person's budget. Never raises."""
    if assistant.chat is None:
        return Tried(True, "No language model is set up; the built-in model answers, and needs no key.")
    name = assistant.model.name
    begin_asking(who)
    began = time.perf_counter()
    try:
        reply = assistant.chat.converse(_SYSTEM, (ChatTurn("user", "Are you there?"),), stop=threading.Event())
    except AssistantError as fault:
        elapsed_ms = (time.perf_counter() - began) * 1_000
        return Tried(
            False, f"{name} did not answer after {elapsed_ms:,.0f} ms: {fault.user_message} ({fault})", elapsed_ms
        )
    elapsed_ms = (time.perf_counter() - began) * 1_000
    tokens = f", {reply.input_tokens + reply.output_tokens:,} tokens" if reply.input_tokens else ""
    return Tried(True, f"{name} answered in {elapsed_ms:,.0f} ms{tokens}.", elapsed_ms)
