"""The one place that talks to an OpenAI-compatible service, and that knows its library's errors."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import openai
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from pydantic import BaseModel, ValidationError

from ai_engine.conversation import ChatTurn, ModelReply, Piece, ToolSpec
from ai_engine.errors import ModelFailed, ModelNotConfigured, ModelUnavailable, QueryStopped
from ai_engine.llm.calls import CallLoop
from ai_engine.llm.config import LlmConfig
from ai_engine.llm.conversing import request_tools, request_turns, streamed_reply, whole_reply
from ai_engine.llm.recorded import RecordedReply, question_of
from ai_engine.llm.repairing import Turns, ask_and_repair
from ai_engine.llm.reply_bound import ReplyTooLarge, bounded_http_client
from ai_engine.llm.reply_text import schema_instruction
from ai_engine.llm.schema_text import reply_schema
from ai_engine.prompts.loader import Messages

_log = logging.getLogger(__name__)
_RETRIES = 2
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 5.0
_SHORTEST_CALL_S = 0.05
_MISCONFIGURED = frozenset({401, 403, 404})
_NO_SUCH_FEATURE = frozenset({400, 415, 422, 501})
_SCHEMA = "response_format"
_USAGE = "stream_options"
_OPTIONAL = frozenset({"temperature", "seed", "max_tokens"})
_QUOTED_CHARS = 200

_Reply = TypeVar("_Reply", bound=BaseModel)
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class _Patience:
    """How long one question put to the model may take: until its deadline (`time.monotonic`, seconds) or a stop."""

    deadline: float
    stop: threading.Event

    @property
    def left_s(self) -> float:
        return self.deadline - time.monotonic()

    def sleep(self, wait_s: float) -> None:
        if self.stop.wait(wait_s):
            raise QueryStopped


class ChatClient:
    """Asks for replies of a given shape; safe to share between threads.

    It remembers what the service does not support (JSON schemas, a seed), so that only the first request pays for it.
    """

    def __init__(
        self,
        config: LlmConfig,
        count_tokens: Callable[[int, int], None] | None = None,
        on_reply: Callable[[RecordedReply], None] = lambda _: None,
    ) -> None:
        self._config = config
        self._on_reply = on_reply
        self._count_tokens = count_tokens
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
    ) -> _Made:
        """Return what `make` makes of the reply; one that is malformed, or that `make` finds wrong, is repaired once.

        Args:
            messages: the request.
            shape: the reply's pydantic model.
            make: turns the reply into its result; raises ValueError with a reason that the model can act on.
            stop: ends the call at once when set.
            strong: ask the strong model, which makes repairs in any case.

        Raises:
            QueryStopped: `stop` was set.
            ModelNotConfigured: the service refused the key, the address or the model's name.
            ModelUnavailable: unreachable, overloaded, or not done by the deadline.
            ModelFailed: no usable reply, even after one repair.
        """
        patience = _Patience(time.monotonic() + self._config.timeout_s, stop)

        def request(turns: Turns, is_repair: bool) -> str:
            model = self._config.model_for(strong=strong or is_repair)
            once = partial(self._request_once, turns, shape, model, patience)
            text = self._request(once, patience, _SCHEMA)
            self._on_reply(RecordedReply(shape.__name__, question_of(turns), text))
            return text

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
        patience = _Patience(time.monotonic() + self._config.timeout_s, stop)
        messages = request_turns(system, turns)

        def once(without: frozenset[str]) -> ModelReply:
            asked: dict[str, Any] = {
                **self._options(without),
                **request_tools(tools),
                "timeout": self._left_s(patience),
                "model": self._config.model,
                "messages": messages,
            }
            if on_piece is not None:
                asked |= {"stream": True} | ({} if _USAGE in without else {"stream_options": {"include_usage": True}})
            return self._waited_for(self._conversed(asked, on_piece), patience)

        reply = self._request(once, patience, _USAGE if on_piece is not None else None)
        if not reply.text and not reply.calls:
            raise ModelFailed("the reply is empty")
        if self._count_tokens is not None and reply.input_tokens:
            self._count_tokens(reply.input_tokens, reply.output_tokens)
        return reply

    async def _conversed(self, asked: dict[str, Any], on_piece: Callable[[Piece], None] | None) -> ModelReply:
        if on_piece is None:
            completion = _completion((await self._client.chat.completions.with_raw_response.create(**asked)).text)
            return ModelReply() if completion is None else whole_reply(completion)
        given = False

        def give(piece: Piece) -> None:
            nonlocal given
            given = True
            on_piece(piece)

        try:
            async with await self._client.chat.completions.create(**asked) as chunks:
                return await streamed_reply(chunks, give)
        except openai.OpenAIError as fault:
            if given and not isinstance(fault, ReplyTooLarge):
                raise ModelUnavailable(f"the reply broke off: {type(fault).__name__}") from None
            raise

    def _request(self, once: Callable[[frozenset[str]], _Made], patience: _Patience, optional: str | None) -> _Made:
        """Return what a request gives, after waiting out passing faults within the deadline.

        Args:
            once: makes the request, without the features that the service does not support.
            patience: until when.
            optional: the feature that a service may not know, besides single options.
        """
        wait_s = _FIRST_WAIT_S
        attempt = 0
        without = self._unsupported
        while True:
            try:
                made = once(without)
            except openai.APIStatusError as fault:
                feature = _refused_feature(fault, optional)
                if feature is not None and feature not in without:
                    without |= {feature}
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
        patience: _Patience,
        without: frozenset[str],
    ) -> str:
        options = {**self._options(without), "timeout": self._left_s(patience), "model": model}
        completions = self._client.chat.completions.with_raw_response
        if _SCHEMA in without:
            call: Awaitable[Any] = completions.create(messages=[_with_schema(turns[0], shape), *turns[1:]], **options)
        else:
            call = completions.create(messages=turns, response_format=self._format(shape), **options)
        response = self._waited_for(call, patience)
        completion = _completion(response.text)
        if completion is not None and completion.usage is not None and self._count_tokens is not None:
            self._count_tokens(completion.usage.prompt_tokens, completion.usage.completion_tokens)
        return _content(completion)

    def _left_s(self, patience: _Patience) -> float:
        if patience.left_s < _SHORTEST_CALL_S:
            raise ModelUnavailable(f"no answer within {self._config.timeout_s:g} s")
        return patience.left_s

    def _waited_for(self, call: Awaitable[_Made], patience: _Patience) -> _Made:
        try:
            return self._calls.run(call, timeout_s=max(patience.left_s, _SHORTEST_CALL_S), stop=patience.stop)
        except TimeoutError:
            # The library's own timeout counts from byte to byte: blanks that keep a connection alive outlast it.
            raise ModelUnavailable(f"no answer within {self._config.timeout_s:g} s") from None

    def _format(self, shape: type[BaseModel]) -> Any:
        strict = self._config.strict_schema
        told = {"name": shape.__name__, "strict": strict, "schema": reply_schema(shape, strict=strict)}
        return {"type": "json_schema", "json_schema": told}

    def _options(self, without: frozenset[str]) -> dict[str, Any]:
        wanted: dict[str, Any] = {
            "temperature": self._config.temperature,
            "seed": self._config.seed,
            "max_tokens": self._config.max_tokens,
        }
        return {name: value for name, value in wanted.items() if value is not None and name not in without}

    def _wait_out(self, fault: openai.APIStatusError, attempt: int, wait_s: float, patience: _Patience) -> None:
        """Sleep before the next attempt, or raise when there is to be none."""
        status = fault.status_code
        if status in _MISCONFIGURED:
            raise ModelNotConfigured(f"the service refused the request (HTTP {status})") from None
        if status not in {408, 409, 429} and status < 500:
            raise ModelFailed(f"the service rejected the request (HTTP {status}): {self._quote(fault)}") from None
        asked_s = _retry_after_s(fault)
        wait_s = wait_s if asked_s is None else asked_s
        too_long = wait_s > _LONGEST_WAIT_S or wait_s >= patience.left_s
        if attempt > _RETRIES or too_long or fault.code == "insufficient_quota":
            raise ModelUnavailable(f"the service is overloaded or failing (HTTP {status})") from None
        _log.warning("retry %d of a request to the model: HTTP %d", attempt, status)
        patience.sleep(wait_s)

    def _quote(self, fault: openai.APIStatusError) -> str:
        message = str(fault.message)
        return (message.replace(self._config.api_key, "***") if self._config.api_key else message)[:_QUOTED_CHARS]


def _refused_feature(fault: openai.APIStatusError, optional: str | None) -> str | None:
    """Name what a service may not have understood: the option it names, else the optional feature."""
    if fault.status_code not in _NO_SUCH_FEATURE:
        return None
    return fault.param if fault.param in _OPTIONAL else optional


def _with_schema(system: ChatCompletionMessageParam, shape: type[BaseModel]) -> ChatCompletionMessageParam:
    return {"role": "system", "content": f"{system.get('content')}\n\n{schema_instruction(shape)}"}


def _completion(body: str) -> ChatCompletion | None:
    try:
        return ChatCompletion.model_validate_json(body)
    except ValidationError:
        return None


def _content(completion: ChatCompletion | None) -> str:
    """Return the reply's text; empty where there is none, so that it counts as malformed."""
    return (completion.choices[0].message.content or "") if completion and completion.choices else ""


def _retry_after_s(fault: openai.APIStatusError) -> float | None:
    try:
        return max(0.0, float(fault.response.headers.get("retry-after", "")))
    except ValueError:
        return None
