"""Answers that were kept, and whether they may be shown still: their columns may have become restricted since."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ai_engine.errors import IntentNotCovered, SqlRejected
from ai_engine.guard.policy import Policy
from ai_engine.types import Answer, CheckedStatement

CLOSED_SINCE = "This answer is not shown any more, as columns were closed since whose values it may name."

ITS_QUESTION = "A question that may name what was closed since"
_LITERAL = re.compile(r"""['"$]|(?<!LIMIT )\b\d|\b(?:TRUE|FALSE|NULL)\b""", re.IGNORECASE)
"""Whatever may be a value of a statement, in any dialect; a name in quotes is taken for one too."""


OF_ANOTHER_SOURCE = "This answer is not shown here, as it is of another source of data."


class Judge(Protocol):
    """Says what may be read of one database today."""

    @property
    def kept_as(self) -> str:
        """The name under which the store knows it."""
        ...

    @property
    def policy(self) -> Policy:
        """What is closed."""
        ...

    def check(self, sql: str) -> CheckedStatement:
        """Judge a statement as any other; raises SqlRejected."""
        ...


def with_mark(answer: Answer, policy: Policy) -> Answer:
    """Note what was closed when an answer was given, as no statement tells what its drafts and prompts name."""
    return replace(answer, closed=mark_of(policy))


@dataclass(frozen=True, slots=True)
class Basis:
    """What something that is shown rests on, by which it is judged again.

    Attributes:
        statements: that all values in it come from; none where it may name values of columns that nobody noted.
        source: what was asked, under the name by which the store knows it.
        closed: the mark of what was closed of it then.
    """

    statements: tuple[str, ...]
    source: str
    closed: str

    @classmethod
    def of(cls, judge: Judge, statements: Iterable[str] = ()) -> Basis:
        """Note what is asked, and what is closed of it, now."""
        return cls(tuple(dict.fromkeys(statements)), judge.kept_as, mark_of(judge.policy))

    def why_not_shown(self, judge: Judge) -> str:
        """Say why what rests on it is not shown any more; empty where it may be."""
        if self.source != judge.kept_as:
            return OF_ANOTHER_SOURCE
        if self.closed == mark_of(judge.policy):
            return ""
        return why_withheld(self.statements, judge.check) if self.statements else CLOSED_SINCE

    @classmethod
    def from_json(cls, text: str) -> Basis:
        """Read what `to_json` wrote; ValueError where it did not."""
        try:
            statements, source, closed = json.loads(text)
            return cls(tuple(map(str, statements)), str(source), str(closed))
        except (RecursionError, TypeError) as fault:
            raise ValueError(str(fault)) from None

    def to_json(self) -> str:
        """Write it as one line of text."""
        return json.dumps([self.statements, self.source, self.closed], ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Shown:
    """What may be shown of a kept answer.

    Attributes:
        answer: the kept one, or what is left of it.
        why: there are no figures any more; empty where there are.
        is_whole: all that was told beside it may be shown too, such as its steps.
    """

    answer: Answer
    why: str = ""
    is_whole: bool = False


def as_may_be_shown(answer: Answer, check: Callable[[str], object], policy: Policy) -> Shown:
    """Return an answer as it was kept, without what nobody can judge any more, or one that says why it is not shown.

    Args:
        answer: of any day.
        check: judges a statement as it would be judged now; raises SqlRejected.
        policy: what is closed now.
    """
    verified = answer.verified.sql if answer.verified else None
    statements = answer.sql, answer.other_reading.sql if answer.other_reading else None, verified
    has_figures = _has_figures(answer)
    why = why_withheld(statements, check) if has_figures else why_outdated(answer.closed, policy)
    if not why:
        is_whole = answer.closed == mark_of(policy)
        return Shown(answer if is_whole else _without_what_led_to_it(answer, check), is_whole=is_whole)
    asked = ITS_QUESTION if answer.derived_from else question_without_values(answer.question, statements)
    kind = SqlRejected.__name__ if has_figures else None
    return Shown(Answer(asked, "failed", answer.model, error=why, error_kind=kind), why)


def _without_what_led_to_it(answer: Answer, check: Callable[[str], object]) -> Answer:
    """Leave out what rests on other columns than the statement of an answer reads, or may do."""
    calls = tuple(replace(call, prompt="", reply="") for call in answer.model_calls)
    tied = answer.tie_out if answer.tie_out and not why_withheld(answer.tie_out.sql, check) else None
    less = replace(answer, model_calls=calls, tie_out=tied, failures=(), meanings=(), unplaced=())
    less = replace(less, choices=(), suggestions=()) if _has_figures(answer) else less
    return answer if less == answer else less


def is_refused(answer: Answer) -> bool:
    """Tell whether an answer is none as its statement, or the question that it would be made of, may not run."""
    kinds = {SqlRejected.__name__, IntentNotCovered.__name__}
    return answer.status != "answered" and answer.error_kind in kinds


def without_reading(answer: Answer) -> Answer:
    """Return a refused answer without what it was called, how it was understood and the statements that were tried."""
    return replace(answer, question=ITS_QUESTION, restatement="", sql=None, failures=())


def why_withheld(statements: Iterable[str | None], check: Callable[[str], object]) -> str:
    """Say why what these statements gave is not shown any more; empty where it may be."""
    try:
        for sql in filter(None, statements):
            check(sql)
    except SqlRejected as refusal:
        return f"This answer is not shown any more, as its query may not run today: {refusal}."
    return ""


def why_outdated(mark: str, policy: Policy) -> str:
    """Say why what bears this mark is not shown any more; empty where nothing was closed since, or it has none."""
    return CLOSED_SINCE if mark not in ("", mark_of(policy)) else ""


def question_without_values(question: str, statements: Iterable[str | None]) -> str:
    """Return the question of an answer that is not shown any more, or `ITS_QUESTION` where these have any value.

    A click on a group of an answer asks for it by its name, and others read what somebody shares. Values are not looked
    for by their spelling: "1 Jan 2020" is none that a statement has.

    Args:
        question: as it was asked.
        statements: that may not run, as the guard writes them.
    """
    has_values = any(_LITERAL.search(sql) for sql in filter(None, statements))
    return ITS_QUESTION if question and has_values else question


def question_of_several(question: str, statements: Sequence[str]) -> str:
    """Return the question of what several agents or steps answered; `ITS_QUESTION` where nobody knows their statements.

    Args:
        question: as it was asked.
        statements: that all values of the answer come from; none where it may name some that nobody noted.
    """
    return question_without_values(question, statements) if statements else ITS_QUESTION


def _has_figures(answer: Answer) -> bool:
    return answer.status == "answered" and answer.sql is not None


def mark_without_figures(answer: Answer) -> str:
    """Return the mark of an answer that is judged by that alone; empty where its statement says what it reads."""
    return "" if _has_figures(answer) else answer.closed


def mark_of(policy: Policy) -> str:
    """Return a mark of what a policy closes, which tells none of it."""
    restricted = sorted((table, sorted(columns)) for table, columns in policy.restricted_columns.items())
    allowed = None if policy.allowed_tables is None else sorted(policy.allowed_tables)
    return hashlib.sha256(repr((allowed, sorted(policy.hidden_tables), restricted)).encode()).hexdigest()[:20]
