"""One question to the language model from a floor that does not block, within a time of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from ai_engine.agent import in_thread
from ai_engine.agent_call import wait_for_end
from ai_engine.errors import ModelUnavailable, QueryStopped
from ai_engine.ports import ChatModel
from ai_engine.prompts.loader import Messages

_Reply = TypeVar("_Reply", bound=BaseModel)
_Made = TypeVar("_Made")


async def ask_model(
    model: ChatModel,
    messages: Messages,
    shape: type[_Reply],
    make: Callable[[_Reply], _Made],
    *,
    stop: threading.Event,
    timeout_s: float,
) -> _Made:
    """Return what `make` makes of the reply, as `ChatModel.ask` does.

    Raises:
        QueryStopped: `stop` was set.
        ModelFailed: no usable reply; ModelUnavailable when there was none in time.
    """
    own_stop = threading.Event()
    task = asyncio.ensure_future(in_thread(model.ask, messages, shape, make, stop=own_stop))
    try:
        ended_by = await wait_for_end(task, time.monotonic() + timeout_s, stop)
        if ended_by is QueryStopped:
            raise QueryStopped
        if ended_by is not None:
            raise ModelUnavailable(f"no answer within {timeout_s:g} s")
        return task.result()
    finally:
        own_stop.set()
        task.cancel()
