"""Replies that were kept: what a model said, by the question, so that a run can be repeated without it."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from ai_engine.conversation import ChatTurn, ModelReply, Piece, ToolSpec
from ai_engine.errors import ModelFailed, ModelUnavailable, QueryStopped
from ai_engine.llm.repairing import Turns, ask_and_repair
from ai_engine.prompts.loader import Messages

_QUESTION = re.compile(r"^(?P<fence>~{3,})question\n(?P<text>.*?)\n(?P=fence)$", re.DOTALL | re.MULTILINE)

_REPLIES = TypeAdapter(ModelReply)

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


def conversed(turns: Sequence[ChatTurn], reply: ModelReply) -> RecordedReply:
    """Return what is kept of a reply to a conversation, known by what the person said last."""
    return RecordedReply(ModelReply.__name__, _last_message(turns), _REPLIES.dump_json(reply).decode())


def _last_message(turns: Sequence[ChatTurn]) -> str:
    return next((turn.text for turn in reversed(turns) if turn.role == "user"), "")


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
        heard: Callable[[str], None] | None = None,
    ) -> _Made:
        """Return what `make` makes of the kept reply, which `heard` is told in one piece.

        Raises:
            QueryStopped: `stop` was set.
            ModelUnavailable: no reply to this question was kept.
            ModelFailed: the kept reply is unusable, and so is the one after it.
        """
        if stop.is_set():
            raise QueryStopped

        def request(turns: Turns, _: bool) -> str:
            text = self._next(shape.__name__, question_of(turns))
            if heard is not None:
                heard(text)
            return text

        return ask_and_repair(request, messages, shape, make)

    def converse(
        self,
        system: str,  # noqa: ARG002 - a conversation is known by what the person said last
        turns: Sequence[ChatTurn],
        tools: Sequence[ToolSpec] = (),  # noqa: ARG002
        *,
        on_piece: Callable[[Piece], None] | None = None,
        stop: threading.Event,
    ) -> ModelReply:
        """Return the kept reply, in one piece.

        Raises:
            QueryStopped: `stop` was set.
            ModelUnavailable: no reply to this message was kept.
            ModelFailed: what was kept is no reply to a conversation.
        """
        if stop.is_set():
            raise QueryStopped
        kept = self._next(ModelReply.__name__, _last_message(turns))
        try:
            reply = _REPLIES.validate_json(kept)
        except ValidationError as fault:
            raise ModelFailed(f"what is kept is no reply to a conversation: {fault.error_count()} faults") from None
        if on_piece is not None:
            on_piece(Piece(reply.text, reply.thinking))
        return reply

    def _next(self, shape: str, question: str) -> str:
        with self._lock:
            kept = self._kept.get((shape, question))
            if not kept:
                raise ModelUnavailable(f"no {shape} is recorded for {question!r}")
            return kept.pop(0) if len(kept) > 1 else kept[0]
