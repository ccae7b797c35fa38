"""Answers that a person has checked: what is kept of one, when it may be used again, and how it travels as text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Protocol

import sqlglot
from pydantic import ValidationError
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from ai_engine.catalogue import Catalogue
from ai_engine.errors import SqlRejected
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Period, parts_of
from ai_engine.semantics.restatement import restate
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Interpretation

_DECIMAL, _MOMENT, _DAY = "decimal", "moment", "day"


@dataclass(frozen=True, slots=True)
class VerifiedAnswer:
    """One question whose statement a person has checked.

    Attributes:
        id: name of the record, for retracting it.
        question: as it was asked.
        restatement: as it was understood, standing alone.
        sql: the statement that ran, as shown.
        intent: the structured question, None where a model or a person wrote the statement.
        as_of: the day from which "last month" counted.
        saved_by: who checked it.
        saved_at: when.
        confirmed_by: the second person, empty where none was needed.
    """

    id: str
    question: str
    restatement: str
    sql: str
    intent: Intent | None
    as_of: date
    saved_by: str
    saved_at: datetime
    confirmed_by: str = ""

    def interpretation(self) -> Interpretation:
        """Read the question as it was read then."""
        return Interpretation("query", self.restatement, self.intent)


class VerifiedAnswers(Protocol):
    """Gives what was verified about one database; what was retracted or has changed since is never given."""

    def in_use(self) -> bool:
        """Tell whether there may be any, so that looking one up is worth its time."""
        ...

    def of_question(self, question: str) -> VerifiedAnswer | None:
        """Return the answer to a question that stands alone and means today what it meant then."""
        ...

    def of_reading(self, interpretation: Interpretation) -> VerifiedAnswer | None:
        """Return the answer to what a question was understood as."""
        ...

    def near(self, question: str) -> tuple[VerifiedAnswer, ...]:
        """Return answers to the questions most like this one, best first, bounded in text."""
        ...


class NoVerifiedAnswers:
    """Where nothing is kept."""

    def in_use(self) -> bool:
        """None is."""
        return False

    def of_question(self, question: str) -> VerifiedAnswer | None:  # noqa: ARG002
        """None is kept."""
        return None

    def of_reading(self, interpretation: Interpretation) -> VerifiedAnswer | None:  # noqa: ARG002
        """None is kept."""
        return None

    def near(self, question: str) -> tuple[VerifiedAnswer, ...]:  # noqa: ARG002
        """None is kept."""
        return ()


def reading_key(interpretation: Interpretation, vocabulary: Vocabulary) -> str:
    """Return text that two readings share when they ask the same: what we say of the intent, not what a model says.

    Periods count by their days, however they were called. Values stand in it as they are stored, so that nothing else
    but blanks is evened out.
    """
    intent = interpretation.intent
    if intent is None:
        return " ".join(interpretation.restatement.split())
    if intent.period is not None:
        named = {"label": f"{intent.period.start} to {intent.period.end}", "until": None}
        days = intent.period.model_copy(update=named)
        intent = intent.model_copy(update={"period": days})
    return " ".join(restate(intent, vocabulary.model, vocabulary.as_of).split())


def question_key(question: str) -> str:
    """Return what two spellings of one question share: letter case, blanks and a closing mark do not count."""
    return " ".join(question.casefold().split()).rstrip(" .?!")


def fingerprint(sql: str, catalogue: Catalogue) -> str:
    """Return text that changes when a table or column of the statement is renamed, dropped or gets another type.

    A column counts where a table of the statement has it and its name stands in the statement.

    Raises:
        SqlRejected: the statement cannot be read.
    """
    try:
        tree = sqlglot.parse_one(sql, dialect=catalogue.dialect)
        read = _tables_read(tree)
    except (SqlglotError, RecursionError):
        raise SqlRejected("the statement cannot be read") from None
    named = {part.name.lower() for part in tree.find_all(exp.Identifier)}
    every = any(star.find_ancestor(exp.Count) is None for star in tree.find_all(exp.Star))
    lines = [
        f"{table.schema}.{table.name}.{column.name} {column.native_type or column.type}"
        for table in catalogue.tables
        if table.name.lower() in read
        for column in table.columns
        if every or column.name.lower() in named
    ]
    lines += [f"{table.schema}.{table.name}" for table in catalogue.tables if table.name.lower() in read]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:32]


def _tables_read(tree: exp.Expr) -> set[str]:
    """The names of its tables, with all names put in small letters.

    One that a common table expression bears may be that of a table nobody may know of.
    """
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.name.lower())
    sources = (source for scope in traverse_scope(tree) for source in scope.sources.values())
    stored = {source.name for source in sources if isinstance(source, exp.Table)}
    defined = {cte.alias for cte in tree.find_all(exp.CTE)}
    return {table.name for table in tree.find_all(exp.Table)} - (defined - stored)


def depends_on_day(intent: Intent | None) -> bool:
    """Tell whether the words of a question may mean another thing on another as-of day; unknown counts as yes."""
    if intent is None:
        return True
    days = any(isinstance(value, date) for item in parts_of(intent, Condition) for value in item.values)
    ages = any(ref.grain == "age_years" for ref in parts_of(intent, FieldRef))
    return days or ages or bool(parts_of(intent, Period))


def intent_to_text(intent: Intent | None) -> str | None:
    """Write an intent as JSON that keeps what each value is."""
    if intent is None:
        return None
    return json.dumps(intent.model_dump(exclude_defaults=True) | {"version": 1}, default=_tagged, ensure_ascii=False)


def intent_from_text(text: str | None) -> Intent | None:
    """Read what `intent_to_text` wrote; None for what this version cannot read, as the statement says it too."""
    if not text:
        return None
    try:
        given = json.loads(text, object_hook=_untagged)
        return Intent.model_validate({key: value for key, value in given.items() if key != "version"})
    except (ValueError, ValidationError, AttributeError, ArithmeticError):
        return None


def _tagged(value: object) -> dict[str, str]:
    if isinstance(value, Decimal):
        return {_DECIMAL: str(value)}
    if isinstance(value, datetime):
        return {_MOMENT: value.isoformat()}
    if isinstance(value, date):
        return {_DAY: value.isoformat()}
    raise TypeError(f"an intent has no {type(value).__name__}")


def _untagged(read: dict[str, Any]) -> Any:
    readers: Mapping[str, Any] = {_DECIMAL: Decimal, _MOMENT: datetime.fromisoformat, _DAY: date.fromisoformat}
    if len(read) == 1:
        ((tag, text),) = read.items()
        if tag in readers and isinstance(text, str):
            return readers[tag](text)
    return read
