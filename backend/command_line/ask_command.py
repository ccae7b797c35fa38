"""`ask`: one question, or a file of them."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from ai_engine.errors import AssistantError, BadQuestion
from ai_engine.formats import Formats
from ai_engine.json_values import JsonValue
from ai_engine.turns import is_remembered, turn_of
from ai_engine.types import Answer, Turn
from backend.answers.json_values import answer_to_json, json_line
from backend.command_line.json_lines import InputLine, read_lines, write_lines
from backend.command_line.opening import opened_assistant
from backend.command_line.plain_text import answer_text
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED, WRONG_USE
from backend.service import Assistant


def run(arguments: argparse.Namespace) -> int:
    """Answer on standard output, or write the batch."""
    if arguments.batch is not None:
        return _run_batch(arguments)
    try:
        with opened_assistant(arguments) as assistant:
            answer = _ask(assistant, arguments.text)
            formats = Formats(assistant.vocabulary.model.currency)
    except AssistantError as fault:
        if arguments.json:
            _print(json_line(answer_to_json(_failed(arguments.text, fault.user_message))))
        raise
    _print(json_line(answer_to_json(answer)) if arguments.json else answer_text(answer, formats))
    if answer.error_kind == BadQuestion.__name__:
        sys.stderr.write(f"error: {answer.error}\n")
        return WRONG_USE
    return ANSWERED if answer.status == "answered" else NOT_ANSWERED


def _ask(assistant: Assistant, question: str) -> Answer:
    """Ask in a way that Ctrl-C stops the database's work too."""
    *_, answer = assistant.stream(question)
    assert isinstance(answer, Answer), "the answer comes last"  # noqa: S101
    return answer


def _run_batch(arguments: argparse.Namespace) -> int:
    lines = read_lines(arguments.batch)
    with opened_assistant(arguments) as assistant:
        write_lines(arguments.out, _answers(assistant, lines, arguments.jobs))
    return ANSWERED


def _answers(assistant: Assistant, lines: list[InputLine], jobs: int) -> Iterator[dict[str, JsonValue]]:
    """Yield one object per line, in the order of the lines; the lines of one conversation wait for each other."""
    stop = threading.Event()
    outcomes: list[Future[dict[str, JsonValue]]] = [Future() for _ in lines]

    def converse(numbers: list[int]) -> None:
        talk = _Talk()
        for number in numbers:
            outcomes[number].set_result(_answer_line(assistant, lines[number], talk, stop))

    with ThreadPoolExecutor(jobs, thread_name_prefix="batch") as pool:
        try:
            for numbers in _conversations(lines):
                pool.submit(converse, numbers)
            for outcome in outcomes:
                yield outcome.result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _conversations(lines: list[InputLine]) -> list[list[int]]:
    """Group line numbers by conversation; a line without one stands alone."""
    groups: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        conversation = line.fields.get("conversation")
        key = f"line {number}" if conversation is None else json.dumps(conversation)
        groups.setdefault(key, []).append(number)
    return list(groups.values())


@dataclass
class _Talk:
    """What the lines of one conversation may refer to."""

    turns: list[Turn] = field(default_factory=list)
    above: Answer | None = None


def _answer_line(assistant: Assistant, line: InputLine, talk: _Talk, stop: threading.Event) -> dict[str, JsonValue]:
    """Answer one line and add it to the talk; whatever goes wrong stays with this line."""
    try:
        answer = assistant.ask(line.text("question"), tuple(talk.turns), stop, above=talk.above)
        talk.above = answer if answer.result is not None else talk.above
        written = answer_to_json(answer)
    except Exception as fault:  # noqa: BLE001 - one line never ends the batch
        written = answer_to_json(_failed("", str(fault)))
        return {**line.fields, **written, "question": line.fields.get("question")}
    if is_remembered(answer):
        talk.turns.append(turn_of(answer))
    return {**line.fields, **written, "question": line.fields["question"]}


def _failed(question: str, error: str) -> Answer:
    steps = ("intent", "sql", "validation", "execution", "insight", "total")
    return Answer(question=question, status="failed", model="", error=error, timings_ms=dict.fromkeys(steps, 0.0))


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
