"""`verified`: answers that people have checked, listed, added, confirmed, retracted and carried to another place."""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from dataclasses import replace

from ai_engine.errors import CannotVerify
from ai_engine.formats import Formats
from ai_engine.model_use import LOCAL
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary
from ai_engine.types import Answer
from backend.api.verified import verified_fields
from backend.command_line.opening import opened_assistant, read_text
from backend.command_line.plain_text import answer_text, cleaned
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED
from backend.command_line.writing import write_text
from backend.service import Assistant


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; what may not be done ends in an error."""
    arguments.who = arguments.who or _login()
    with opened_assistant(arguments) as assistant:
        status: int = _ACTIONS[arguments.action](assistant, arguments)
        return status


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return LOCAL


def _list(assistant: Assistant, arguments: argparse.Namespace) -> int:
    for kept in assistant.verified.listed():
        fields = verified_fields(kept)
        if arguments.json:
            sys.stdout.write(json.dumps(fields) + "\n")
        else:
            why = f" ({kept.reason})" if kept.reason else ""
            sys.stdout.write(
                cleaned(f"{fields['id']}  {kept.state}{why}  {fields['saved_by']}  {fields['question']}") + "\n"
            )
    return ANSWERED


def _add(assistant: Assistant, arguments: argparse.Namespace) -> int:
    """Ask, show the answer, and keep it; with --sql the statement is that of the person."""
    question = arguments.text
    if arguments.sql:
        answer = Answer(question, "answered", "", restatement=question, sql=arguments.sql)
    else:
        answer = assistant.ask(question)
        sys.stdout.write(answer_text(answer, Formats(assistant.vocabulary.model.currency)) + "\n")
        if answer.status != "answered":
            return NOT_ANSWERED
    kept = assistant.verified.verify(answer, arguments.who)
    sys.stdout.write(f"{kept.state} as {kept.answer.id}\n")
    return ANSWERED


def _confirm(assistant: Assistant, arguments: argparse.Namespace) -> int:
    assistant.verified.confirm(arguments.text, arguments.who)
    return ANSWERED


def _retract(assistant: Assistant, arguments: argparse.Namespace) -> int:
    assistant.verified.retract(arguments.text, arguments.who, arguments.reason)
    return ANSWERED


def _export(assistant: Assistant, arguments: argparse.Namespace) -> int:
    """Write the vocabulary in use, with the verified answers among its verified questions."""
    model = assistant.vocabulary.model
    checked = {one.question: one for one in (*model.verified_questions, *assistant.verified.exported())}
    write_text(arguments.out, dump_vocabulary(replace(model, verified_questions=tuple(checked.values()))))
    return ANSWERED


def _import(assistant: Assistant, arguments: argparse.Namespace) -> int:
    """Take over the verified questions of a vocabulary file, each after the guard and a run."""
    if arguments.file is None:
        raise CannotVerify("Name the vocabulary file with --file.")
    model = load_vocabulary(read_text(arguments.file, "vocabulary"), assistant.vocabulary.catalogue)
    kept, faults = assistant.verified.take_over(model.verified_questions, arguments.who)
    sys.stdout.write(f"{len(kept)} taken over\n")
    for fault in faults:
        sys.stderr.write(cleaned(f"not taken over: {fault}") + "\n")
    return NOT_ANSWERED if faults else ANSWERED


_ACTIONS = {
    "list": _list, "add": _add, "confirm": _confirm, "retract": _retract, "export": _export, "import": _import,
}  # fmt: skip
