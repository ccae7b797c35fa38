"""What happens in one question, from how its run is set up to its counted and marked answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ai_engine import main
from ai_engine.insight.chart_wishes import redrawn
from ai_engine.model_use import begin_asking
from ai_engine.semantics.intent import Intent
from ai_engine.types import Answer, Event, ResultReady, Turn
from backend.answers.withheld import with_mark

if TYPE_CHECKING:
    from backend.service import Assistant


def events_of(
    assistant: Assistant,
    question: str,
    history: Sequence[Turn],
    stop: threading.Event,
    above: Answer | None,
    who: str,
    *,
    summary_follows: bool = False,
    anew: bool = False,
) -> Iterator[Event]:
    """Yield the steps of a question as they happen and the Answer last; see `Assistant.stream`."""
    begin_asking(who, [question, *(turn.question for turn in history)])
    wished = redrawn(question, above)
    if wished is not None:
        assistant.record(wished)
        yield wished
        return
    settings = assistant.settings
    services = replace(assistant.services(stop, anew=anew), summary_follows=summary_follows, tie_out=settings.tie_out)
    yield from _counted(assistant, main.stream(question, services=services, history=history))


def settled_events(
    assistant: Assistant, reading: Intent | str, question: str, assumptions: Sequence[str], stop: threading.Event,
    who: str, *, summary_follows: bool = False, derived_from: str = "", anew: bool = False,
) -> Iterator[Event]:  # fmt: skip
    """Yield the steps of a settled reading, which rules alone compile and tell; see `Assistant.stream_again`."""
    begin_asking(who)
    limits, ties_out = assistant.limits, summary_follows and assistant.settings.tie_out
    by_rule = replace(
        assistant.services(stop, anew=anew), model=assistant.built_in, rules=None,
        limits=replace(limits, max_retries=0), summary_follows=summary_follows, tie_out=ties_out,
        record=assistant.record_settled,
    )  # fmt: skip
    called = question.strip()[: limits.max_question_chars]
    events = main.stream(called, services=by_rule, reading=reading, assumptions=assumptions, derived_from=derived_from)
    yield from _counted(assistant, events)


def _counted(assistant: Assistant, events: Iterator[Event]) -> Iterator[Event]:
    for event in events:
        if isinstance(event, Answer):
            assistant.metrics.count_answer(event)
        yield _marked(event, assistant)
        if isinstance(event, Answer):
            assistant.unknown_words.count(event)


def _marked(event: Event, assistant: Assistant) -> Event:
    if isinstance(event, ResultReady):
        return replace(event, answer=with_mark(event.answer, assistant.policy))
    return with_mark(event, assistant.policy) if isinstance(event, Answer) else event
