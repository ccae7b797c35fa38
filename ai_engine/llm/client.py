"""The one place that talks to an OpenAI-compatible service, and that knows its library's errors."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import openai
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from pydantic import BaseModel

from ai_engine.conversation import ChatTurn, ModelReply, Piece, ToolSpec
from ai_engine.errors import ModelFailed, ModelNotConfigured, ModelUnavailable
from ai_engine.json_parts import read_json
from ai_engine.llm.calls import CallLoop
from ai_engine.llm.config import LlmConfig
from ai_engine.llm.conversing import request_tools, request_turns, streamed_reply, whole_reply
from ai_engine.llm.patience import SHORTEST_CALL_S, Patience, patience_for
from ai_engine.llm.recorded import RecordedReply, conversed, question_of
from ai_engine.llm.repairing import Turns, ask_and_repair
from ai_engine.llm.reply_bound import ReplyTooLarge, bounded_http_client, readable, reply_faults
from ai_engine.llm.reply_text import schema_instruction
from ai_engine.llm.schema_text import reply_schema
from ai_engine.llm.spending import Spending
from ai_engine.model_use import Allowance, NoBound
from ai_engine.prompts.loader import Messages

_log = logging.getLogger(__name__)
_RETRIES = 2
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 5.0
_MISCONFIGURED = frozenset({401, 403, 404})
_NO_SUCH_FEATURE = frozenset({400, 415, 422, 501})
_SCHEMA = "response_format"
_USAGE = "stream_options"
_OPTIONAL = frozenset({"temperature", "seed", "max_tokens"})
_TOLD_CODES = frozenset(
    {"context_length_exceeded", "content_filter", "invalid_prompt", "unsupported_parameter", "unsupported_value"}
)

_Reply = TypeVar("_Reply", bound=BaseModel)
_Made = TypeVar("_Made")


class ChatClient:
    """Asks for replies of a given shape; safe to share between threads.

    It remembers what the service does not support (JSON schemas, a seed), so that only the first request pays for it.
    """

    def __init__(
        self,
        config: LlmConfig,
        count_tokens: Callable[[int, int], None] | None = None,
        on_reply: Callable[[RecordedReply], None] = lambda _: None,
        allowance: Allowance | None = None,
    ) -> None:
        self._config = config
        self._spending = Spending(config, count_tokens, allowance or NoBound())
        self._on_reply = on_reply
        self._unsupported: frozenset[str] = frozenset()
        self._client = openai.AsyncOpenAI(
            api_key=config.api_key or "none",
            base_url=config.base_url,
            max_retries=0,
            timeout=config.timeout_s,
            http_client=bounded_http_client(config.max_reply_kb),
        )
        self._calls = CallLoop(self._client.close)

    def ask(
        self,
        messages: Messages,
        shape: type[_Reply],
        make: Callable[[_Reply], _Made],
        *,
        stop: threading.Event,
        strong: bool = False,
        heard: Callable[[str], None] | None = None,
    ) -> _Made:
        """Return what `make` makes of the reply; one that is malformed, or that `make` finds wrong, is repaired once.

        Args:
            messages: the request.
            shape: the reply's pydantic model.
            make: turns the reply into its result; raises ValueError with a reason that the model can act on.
            stop: ends the call at once when set.
            strong: ask the strong model, which makes repairs in any case.
            heard: told in the calling thread what there is of a reply's text, while it grows; what it raises ends the
                call. Without it nothing is streamed.

        Raises:
            QueryStopped: `stop` was set.
            ModelBudgetSpent: the person who asks may not use the model today any more.
            ModelNotConfigured: the service refused the key, the address or the model's name.
            ModelUnavailable: unreachable, overloaded, or not done by the deadline.
            ModelFailed: no usable reply, even after one repair.
        """
        self._spending.check()
        with patience_for(self._config.timeout_s, stop) as patience:

            def request(turns: Turns, is_repair: bool) -> str:
                model, began = self._config.model_for(strong=strong or is_repair), time.monotonic()
                once = partial(self._request_once, turns, shape, model, patience, heard)
                with self._spending.left_halfway(turns):
                    replied = self._request(once, patience, _SCHEMA, *([_USAGE] if heard else []))
                    patience.check_stop()  # nobody waits for its judgement either
                self._on_reply(RecordedReply(shape.__name__, question_of(turns), replied.text))
                self._spending.count(replied, turns, model, shape.__name__, time.monotonic() - began)
                return replied.text

            return ask_and_repair(request, messages, shape, make)

    def converse(
        self,
        system: str,
        turns: Sequence[ChatTurn],
        tools: Sequence[ToolSpec] = (),
        *,
        on_piece: Callable[[Piece], None] | None = None,
        stop: threading.Event,
    ) -> ModelReply:
        """Return the reply to a conversation; see ConversationModel.

        Once a piece has been given away the request is not repeated.
        """
        self._spending.check()
        messages, began = request_turns(system, turns), time.monotonic()

        def once(patience: Patience, without: frozenset[str]) -> ModelReply:
            asked: dict[str, Any] = {
                **self._options(without, streamed=on_piece is not None),
                **request_tools(tools),
                "timeout": patience.call_s(),
                "model": self._config.model,
                "messages": messages,
            }
            return self._waited_for(self._replied(asked, on_piece), patience)

        with patience_for(self._config.timeout_s, stop) as patience, self._spending.left_halfway(messages):
            reply = self._request(partial(once, patience), patience, *([_USAGE] if on_piece is not None else []))
        self._spending.count(reply, messages, self._config.model, ModelReply.__name__, time.monotonic() - began)
        if not reply.text and not reply.calls:
            raise ModelFailed("the reply is empty")
        self._on_reply(conversed(turns, reply))
        return reply

    async def _replied(self, asked: dict[str, Any], on_piece: Callable[[Piece], None] | None) -> ModelReply:
        if on_piece is None:
            with reply_faults():
                raw = await self._client.chat.completions.with_raw_response.create(**asked)
            completion = _completion(raw.content)
            return ModelReply() if completion is None else whole_reply(completion)
        given = False

        def give(piece: Piece) -> None:
            nonlocal given
            given = True
            on_piece(piece)

        try:
            with reply_faults():
                stream = await self._client.chat.completions.create(**asked)
            async with stream as chunks:
                return await streamed_reply(readable(chunks), give)
        except openai.OpenAIError as fault:
            if given and not isinstance(fault, ReplyTooLarge):
                raise ModelUnavailable(f"the reply broke off: {type(fault).__name__}") from None
            raise

    def _request(self, once: Callable[[frozenset[str]], _Made], patience: Patience, *optional: str) -> _Made:
        """Return what a request gives, after waiting out passing faults within the deadline.

        Args:
            once: makes the request, without the features that the service does not support.
            patience: until when.
            optional: features that a service may not know, besides single options.
        """
        wait_s = _FIRST_WAIT_S
        attempt = 0
        without = self._unsupported
        while True:
            try:
                made = once(without)
            except openai.APIStatusError as fault:
                refused = _refused_features(fault, optional) - without
                if refused:
                    without |= {min(refused)}
                    continue
                attempt += 1
                self._wait_out(fault, attempt, wait_s, patience)
            except openai.APIConnectionError as fault:
                attempt += 1
                if attempt > _RETRIES or wait_s >= patience.left_s:
                    raise ModelUnavailable(f"no answer from the service: {type(fault).__name__}") from None
                _log.warning("retry %d of a request to the model: %s", attempt, type(fault).__name__)
                patience.sleep(wait_s)
            except ReplyTooLarge as fault:
                raise ModelFailed(str(fault)) from None
            except openai.OpenAIError as fault:
                raise ModelFailed(f"the request failed: {type(fault).__name__}") from None
            else:
                self._unsupported |= without  # only now is it sure that this was what the service minded
                return made
            wait_s = min(wait_s * 2, _LONGEST_WAIT_S)

    def _request_once(
        self,
        turns: list[ChatCompletionMessageParam],
        shape: type[_Reply],
        model: str,
        patience: Patience,
        heard: Callable[[str], None] | None,
        without: frozenset[str],
    ) -> ModelReply:
        asked: dict[str, Any] = {
            **self._options(without, streamed=heard is not None),
            "timeout": patience.call_s(),
            "model": model,
            "messages": [_with_schema(turns[0], shape), *turns[1:]] if _SCHEMA in without else turns,
        }
        if _SCHEMA not in without:
            asked["response_format"] = self._format(shape)
        if heard is None:
            return self._waited_for(self._replied(asked, None), patience)
        pieces: list[str] = []
        call = self._replied(asked, lambda piece: pieces.append(piece.text))
        return self._waited_for(call, patience, lambda: heard("".join(pieces)))

    def _waited_for(
        self, call: Awaitable[_Made], patience: Patience, meanwhile: Callable[[], None] = lambda: None
    ) -> _Made:
        left_s = max(patience.left_s, SHORTEST_CALL_S)
        try:
            return self._calls.run(call, timeout_s=left_s, stop=patience.stop, meanwhile=meanwhile)
        except TimeoutError:
            # The library's own timeout counts from byte to byte: blanks that keep a connection alive outlast it.
            raise patience.over() from None

    def _format(self, shape: type[BaseModel]) -> Any:
        strict = self._config.strict_schema
        told = {"name": shape.__name__, "strict": strict, "schema": reply_schema(shape, strict=strict)}
        return {"type": "json_schema", "json_schema": told}

    def _options(self, without: frozenset[str], *, streamed: bool) -> dict[str, Any]:
        wanted: dict[str, Any] = {
            "temperature": self._config.temperature,
            "seed": self._config.seed,
            "max_tokens": self._config.max_tokens,
        }
        options = {name: value for name, value in wanted.items() if value is not None and name not in without}
        if streamed:
            options |= {"stream": True} | ({} if _USAGE in without else {"stream_options": {"include_usage": True}})
        return options

    def _wait_out(self, fault: openai.APIStatusError, attempt: int, wait_s: float, patience: Patience) -> None:
        """Sleep before the next attempt, or raise when there is to be none."""
        status = fault.status_code
        if status in _MISCONFIGURED:
            raise ModelNotConfigured(f"the service refused the request (HTTP {status})") from None
        if status not in {408, 409, 429} and status < 500:
            code = f": {fault.code}" if str(fault.code) in _TOLD_CODES else ""  # its own words may be anything
            raise ModelFailed(f"the service rejected the request (HTTP {status}){code}") from None
        asked_s = _retry_after_s(fault)
        wait_s = wait_s if asked_s is None else asked_s
        too_long = wait_s > _LONGEST_WAIT_S or wait_s >= patience.left_s
        if attempt > _RETRIES or too_long or fault.code == "insufficient_quota":
            raise ModelUnavailable(f"the service is overloaded or failing (HTTP {status})") from None
        _log.warning("retry %d of a request to the model: HTTP %d", attempt, status)
        patience.sleep(wait_s)


def _refused_features(fault: openai.APIStatusError, optional: Sequence[str]) -> frozenset[str]:
    """Name what a service may not have understood: the option it names, else the optional features."""
    if fault.status_code not in _NO_SUCH_FEATURE:
        return frozenset()
    return frozenset({*_OPTIONAL, *optional} & {str(fault.param)} or optional)


def _with_schema(system: ChatCompletionMessageParam, shape: type[BaseModel]) -> ChatCompletionMessageParam:
    return {"role": "system", "content": f"{system.get('content')}\n\n{schema_instruction(shape)}"}


def _completion(body: bytes) -> ChatCompletion | None:
    try:
        return ChatCompletion.model_validate(read_json(body))
    except ValueError:
        return None


def _retry_after_s(fault: openai.APIStatusError) -> float | None:
    try:
        return max(0.0, float(fault.response.headers.get("retry-after", "")))
    except ValueError:
        return None
