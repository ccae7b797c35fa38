"""One question put to a language model: what it replies is read, and sent back when it cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel

from ai_engine.errors import ModelFailed
from ai_engine.json_parts import TooManyParts
from ai_engine.llm.reply_text import complaint_about, read_reply
from ai_engine.prompts.loader import Messages

_REPEATED_CHARS = 8_000

Turns: TypeAlias = list[Any]
"""The messages of a request, as the protocol has them."""

_Reply = TypeVar("_Reply", bound=BaseModel)
_Made = TypeVar("_Made")


def ask_and_repair(
    request: Callable[[Turns, bool], str],
    messages: Messages,
    shape: type[_Reply],
    make: Callable[[_Reply], _Made],
) -> _Made:
    """Return what `make` makes of the reply.

    Args:
        request: puts the messages and gives the reply's text; told whether this is a repair.
        messages: the request.
        shape: the reply's pydantic model.
        make: turns the reply into its result; raises ValueError with a reason that the model can act on.

    Raises:
        ModelFailed: no usable reply, even after so many repairs as the request permits; it says nothing of the reply,
            as it gets into logs and traces.
    """
    turns: Turns = [{"role": "system", "content": messages.system}, {"role": "user", "content": messages.user}]
    for repaired in range(messages.repairs + 1):
        text = request(turns, repaired > 0)
        try:
            return make(read_reply(text, shape))
        except ValueError as problem:
            told = f": {problem}" if isinstance(problem, TooManyParts) else ""  # others may quote the reply
            turns.append({"role": "assistant", "content": text[:_REPEATED_CHARS] or "(empty)"})
            turns.append({"role": "user", "content": complaint_about(problem, shape)})
    tries = {1: "one repair", 2: "two repairs"}.get(messages.repairs, f"{messages.repairs} repairs")
    raise ModelFailed(f"reply unusable after {tries}{told}")
