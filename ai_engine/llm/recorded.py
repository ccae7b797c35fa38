"""Replies that were kept: what a model said, by the question, so that a run can be repeated without it."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from ai_engine.conversation import ChatTurn, ModelReply, Piece, ToolSpec
from ai_engine.errors import ModelUnavailable, QueryStopped
from ai_engine.llm.repairing import Turns, ask_and_repair
from ai_engine.prompts.loader import Messages

_QUESTION = re.compile(r"^(?P<fence>~{3,})question\n(?P<text>.*?)\n(?P=fence)$", re.DOTALL | re.MULTILINE)

_Reply = TypeVar("_Reply", bound=BaseModel)
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """One reply.

    Attributes:
        shape: name of the reply's pydantic model, "IntentReply".
        question: what was asked, as `question_of` finds it in a request.
        reply: the text as the model wrote it.
    """

    shape: str
    question: str
    reply: str


def question_of(turns: Turns) -> str:
    """Return the question of a request; of one that puts none, a digest of what it says."""
    said = str(turns[1]["content"])
    found = _QUESTION.search(said)
    return found["text"] if found else hashlib.sha256(said.encode()).hexdigest()


class ReplayedModel:
    """Gives kept replies: of those to one question in one shape the next, and the last of them from then on.

    Safe to share between threads.
    """

    def __init__(self, replies: Iterable[RecordedReply]) -> None:
        self._lock = threading.Lock()
        self._kept: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for one in replies:
            self._kept[one.shape, one.question].append(one.reply)

    def ask(
        self,
        messages: Messages,
        shape: type[_Reply],
        make: Callable[[_Reply], _Made],
        *,
        stop: threading.Event,
        strong: bool = False,  # noqa: ARG002 - one file holds the replies of both models
    ) -> _Made:
        """Return what `make` makes of the kept reply.

        Raises:
            QueryStopped: `stop` was set.
            ModelUnavailable: no reply to this question was kept.
            ModelFailed: the kept reply is unusable, and so is the one after it.
        """
        if stop.is_set():
            raise QueryStopped
        return ask_and_repair(lambda turns, _: self._next(shape.__name__, question_of(turns)), messages, shape, make)

    def converse(
        self,
        system: str,  # noqa: ARG002
        turns: Sequence[ChatTurn],  # noqa: ARG002
        tools: Sequence[ToolSpec] = (),  # noqa: ARG002
        *,
        on_piece: Callable[[Piece], None] | None = None,  # noqa: ARG002
        stop: threading.Event,  # noqa: ARG002
    ) -> ModelReply:
        """Refuse: conversations with tools are not kept.

        Raises:
            ModelUnavailable: always.
        """
        raise ModelUnavailable("conversations are not replayed")

    def _next(self, shape: str, question: str) -> str:
        with self._lock:
            kept = self._kept.get((shape, question))
            if not kept:
                raise ModelUnavailable(f"no {shape} is recorded for {question!r}")
            return kept.pop(0) if len(kept) > 1 else kept[0]
