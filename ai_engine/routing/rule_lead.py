"""Leads a team without a language model: shares a request out by its words, and reports what came back."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from ai_engine.conversation import ChatTurn, ConversationModel, ModelReply, Piece, ToolCall, ToolSpec
from ai_engine.errors import ModelUnavailable
from ai_engine.insight import unretold_figures, unsaid_figures
from ai_engine.operators.links import fetches_or_links
from ai_engine.operators.outgoing import texts_of
from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.word_classifier import WordClassifier, claims_of

_FENCED_MESSAGE = re.compile(r"^(~{3,})message\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"(?i)\s*(?:[;:]|,(?!\d)|\.\s|\band also\b|\bas well as\b|\bwith\b|\band\b)\s*")
_ORDER = re.compile(
    r"(?i)^\W*(?:please\s+)?(?:can you\s+|i (?:want|need)\s+)?(?:prepare|write|compile|make|give|put|create|draft)?"
    r"\s*(?:me|us)?\s*(?:an?|the)?\s*(?:(?:short|complete|full|month-end|monthly|quarterly|management)\s+)*"
    r"(?:report|review|briefing(?: note)?|summary|note|memo)\b\s*(?:on|of|about|for|covering)?\s*"
)


class LeadInReserve:
    """A language model that leads, and rules where it is away, may not be asked any more or says what nobody found.

    Its words reach a person once they are judged: they hold no figure that was neither found nor said by the person,
    and lead nowhere; its thoughts are told where they keep to the same.
    What it asks members has no figures but these either, as a member takes them for the person's.

    Args:
        model: is asked first.
        by_rule: goes on, wherever the conversation stands.
    """

    def __init__(self, model: ConversationModel, by_rule: RuleLead) -> None:
        self._model = model
        self._by_rule = by_rule

    def converse(
        self,
        system: str,
        turns: Sequence[ChatTurn],
        tools: Sequence[ToolSpec] = (),
        *,
        on_piece: Callable[[Piece], None] | None = None,
        stop: threading.Event,
    ) -> ModelReply:
        """See ConversationModel; its words come in one piece."""
        reply: ModelReply | None = None
        unheard = None if on_piece is None else _unheard
        with suppress(ModelUnavailable):
            reply = self._model.converse(system, turns, tools, on_piece=unheard, stop=stop)
        if reply is None or not _is_borne_out(reply, turns):
            return self._by_rule.converse(system, turns, tools, on_piece=on_piece, stop=stop)
        if not _keeps_to(reply.thinking, [turn.text for turn in turns]):
            reply = replace(reply, thinking="")
        if on_piece is not None:
            on_piece(Piece(reply.text, reply.thinking))
        return reply


def _unheard(_piece: Piece) -> None:
    """What is on its way is not judged yet."""


def _is_borne_out(reply: ModelReply, turns: Sequence[ChatTurn]) -> bool:
    said = [turn.text for turn in turns]
    if not _keeps_to(reply.text, said):
        return False
    return not any(unsaid_figures(text, said) for call in reply.calls for text in _handed_on(call))


def _keeps_to(text: str, said: Sequence[str]) -> bool:
    return not unretold_figures(text, said, []) and not fetches_or_links(text, " ".join(said))


def _handed_on(call: ToolCall) -> Iterator[str]:
    try:
        yield from texts_of(json.loads(call.arguments))
    except ValueError:  # no JSON, which whoever is called refuses
        yield call.arguments


class RuleLead:
    """A ConversationModel by rule: first `send_messages`, then the answers one under the other.

    Args:
        members: whom it may ask.
    """

    def __init__(self, members: Sequence[RoutedAgent]) -> None:
        self._members = {member.id: member for member in members}
        self._classifier = WordClassifier(threshold=0.2)

    def converse(
        self,
        system: str,  # noqa: ARG002 - it knows its members
        turns: Sequence[ChatTurn],
        tools: Sequence[ToolSpec] = (),  # noqa: ARG002 - and its one tool
        *,
        on_piece: Callable[[Piece], None] | None = None,
        stop: threading.Event,  # noqa: ARG002 - it takes no time
    ) -> ModelReply:
        """See ConversationModel."""
        last = turns[-1]
        if last.role == "tool":
            if on_piece is not None:
                on_piece(Piece(last.text))
            return ModelReply(last.text)
        fenced = _FENCED_MESSAGE.search(last.text)
        messages = self.shared_out(fenced[2] if fenced else last.text)
        return ModelReply(calls=(ToolCall("share_out", "send_messages", json.dumps({"messages": messages})),))

    def shared_out(self, request: str) -> list[dict[str, str]]:
        """Return who is asked what: each part of the request whom its words speak for, all of it where none does."""
        asked: list[tuple[str, str]] = []
        for part in filter(None, map(str.strip, _PART.split(_ORDER.sub("", request)))):
            agent = self._classifier.choose(part, (), self._members, claims_of(part, self._members)).selected_agent
            if agent is not None:
                asked.append((agent.name, part))
            elif asked:
                name, before = asked[-1]
                asked[-1] = (name, f"{before} and {part}")
        if not asked:
            asked = [(member.name, request) for member in self._members.values()]
        return [{"recipient": name, "content": content} for name, content in dict.fromkeys(asked)]
