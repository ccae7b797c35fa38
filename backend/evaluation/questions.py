"""Files of questions with the statements that answer them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from ai_engine.errors import BadConfiguration

Expectation: TypeAlias = Literal["answered", "refused", "clarify", "about"]


@dataclass(frozen=True, slots=True)
class Question:
    """One line of a file.

    Attributes:
        key: names the question in a report and in later ones; unique in a file.
        golds: statements of which any one gives the right rows; empty where no rows are expected.
        expect: `about` is an answer without figures: on the data, a greeting.
        evidence: what words of the question mean, for this question alone.
        conversation: questions of one name are asked in order, each in the light of those before; empty for none.
        db: name of a database file, empty for the one of the call.
    """

    key: str
    text: str
    golds: tuple[str, ...] = ()
    expect: Expectation = "answered"
    difficulty: str = ""
    shape: str = ""
    evidence: str = ""
    conversation: str = ""
    db: str = ""


def read_questions(file: Path) -> tuple[Question, ...]:
    """Read one JSON object per line; fields that are not known stay unread.

    Raises:
        BadConfiguration: names the line and what is wrong with it.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise BadConfiguration(f"The question file {file} cannot be read: {fault}") from fault
    return questions_from(text, str(file))


def questions_from(text: str, called: str) -> tuple[Question, ...]:
    """Read the text of such a file; `called` names it in errors, which `read_questions` describes."""
    seen: Counter[str] = Counter()
    questions = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                questions.append(_question(json.loads(line), seen))
            except (ValueError, RecursionError) as fault:
                raise BadConfiguration(f"{called}, line {number}: {fault}") from fault
    if not questions:
        raise BadConfiguration(f"The question file {called} holds no question.")
    return tuple(questions)


def _question(fields: object, seen: Counter[str]) -> Question:
    if not isinstance(fields, dict):
        raise ValueError("not a JSON object")

    def text(name: str, default: str = "") -> str:
        value = fields.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise ValueError(f"`{name}` is not text")
        return value

    asked = text("question")
    if not asked.strip():
        raise ValueError("no text under `question`")
    expect = text("expect", "answered")
    if expect not in get_args(Expectation):
        raise ValueError(f"`expect` is {expect!r}, and not one of {', '.join(get_args(Expectation))}")
    golds = _golds(text("gold_sql"), fields.get("gold_alt"))
    if bool(golds) != (expect == "answered"):
        raise ValueError("a question has `gold_sql` if, and only if, it expects rows")
    db, conversation = text("db"), text("conversation")
    return Question(
        key=_key(text("id") or " / ".join(filter(None, (db, conversation, asked))), seen),
        text=asked,
        golds=golds,
        expect=expect,  # type: ignore[arg-type]
        difficulty=text("difficulty"),
        shape=text("shape"),
        evidence=text("evidence").strip(),
        conversation=conversation,
        db=db,
    )


def _golds(first: str, others: object) -> tuple[str, ...]:
    if not isinstance(others, list | None) or any(not isinstance(other, str) for other in others or ()):
        raise ValueError("`gold_alt` is not a list of texts")
    return tuple(statement for statement in (first, *(others or ())) if statement.strip())


def _key(name: str, seen: Counter[str]) -> str:
    seen[name] += 1
    return name if seen[name] == 1 else f"{name} #{seen[name]}"
