"""Rewrites a request into queries for searches: one for the bank's own documents, one that may leave the bank."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from ai_engine.bm25 import FUNCTION_WORDS
from ai_engine.errors import ModelFailed, QueryStopped
from ai_engine.insight import unsaid_figures
from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorFailed, OperatorResult, OperatorType
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.orchestrator.model_call import ask_model
from ai_engine.prompts.loader import load_prompt
from ai_engine.tools import Tools

_RECENT = "conversation.recent(5)"
_WORD = re.compile(r"[\w%&'’-]+")
_DIGITS = re.compile(r"\d+")
_POLITE = frozenset("please tell show give find explain know want need get say look".split())
_FEW_WORDS = 3
_MOST_WORDS = 12
_LONGEST_CHARS = 300
_MODEL_SHARE = 0.7


class RewrittenQuery(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="ignore")

    standalone: str
    internal_query: str
    external_query: str = ""


@operators.register("query_rewriter")
class QueryRewriterOperator(BaseOperator):
    """Asks the model; by rule, keeps the key words, with those of the question before where there are few."""

    description = "Rewrites a request into short queries for a search of the bank's documents and of the web."
    operator_type = OperatorType.PURE_LLM
    parameters = object_schema(query={"type": "string", "description": "The request as the person wrote it"})
    context_requirements = ("query", _RECENT)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:  # noqa: ARG002
        """Rewrite.

        Raises:
            OperatorFailed: the person wants no more.
        """
        messages = context.context.get(_RECENT) or ()
        asked = [str(one.get("text", "")) for one in messages if one.get("role") == "user"]
        before = [text for text in asked if text.strip() and text.strip() != context.query.strip()]
        rewritten = await _by_model(context, before) or _by_rule(context.query, before)
        return OperatorResult(output=rewritten.model_dump(), text=rewritten.standalone)


async def _by_model(context: OperatorContext, before: Sequence[str]) -> RewrittenQuery | None:
    """Ask the model, which sees what the person said and no answer: those have figures of the bank."""
    if context.model is None:
        return None
    said = "\n".join(before)
    filled = load_prompt("rewrite_query").fill(question=context.query, messages=said or "(none)")
    left_s = max(context.deadline - time.monotonic(), 0.0)
    try:
        return await ask_model(
            context.model, filled, RewrittenQuery, lambda reply: _checked(reply, context.query, said),
            stop=context.stop, timeout_s=left_s * _MODEL_SHARE,
        )  # fmt: skip
    except QueryStopped as stopped:
        raise OperatorFailed(stopped.user_message, type(stopped).__name__) from None
    except ModelFailed:
        return None


def _checked(reply: RewrittenQuery, query: str, before: str) -> RewrittenQuery:
    """Judge a reply.

    Raises:
        ValueError: it is empty or too long, or has figures that nobody said; those of a query to the outside are the
            request's own.
    """
    if not reply.standalone.strip() or not reply.internal_query.strip():
        raise ValueError("standalone and internal_query must not be empty")
    said, own = set(_DIGITS.findall(f"{query} {before}")), set(_DIGITS.findall(query))
    for name, text in reply.model_dump().items():
        if len(text) > _LONGEST_CHARS:
            raise ValueError(f"{name} is longer than {_LONGEST_CHARS} characters")
        invented = set(_DIGITS.findall(text)) - (own if name == "external_query" else said)
        invented = invented or set(unsaid_figures(text, [query, before]))
        if invented:
            raise ValueError(f"{name} has figures that are not in the request: {', '.join(sorted(invented))}")
    return reply


def _by_rule(query: str, asked: Sequence[str]) -> RewrittenQuery:
    own, before = _key_words(query), asked[-1] if asked else ""
    leans = len(own) < _FEW_WORDS and bool(before)
    words = list(dict.fromkeys([*_key_words(before), *own])) if leans else own
    internal = " ".join(words[:_MOST_WORDS]) or query[:_LONGEST_CHARS]
    external = " ".join(word for word in own[:_MOST_WORDS] if not _DIGITS.search(word))
    standalone = f"{before.rstrip(' .?!')}: {query}" if leans else query
    return RewrittenQuery(standalone=standalone, internal_query=internal, external_query=external)


def _key_words(text: str) -> list[str]:
    words = (word.strip("'’-") for word in _WORD.findall(text))
    return [word for word in words if word and word.lower() not in FUNCTION_WORDS | _POLITE]
