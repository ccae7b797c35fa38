"""Conversations of the Ask page: named by their first question, each turn with its whole answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Date,
    ForeignKey,
    Index,
    RowMapping,
    String,
    Table,
    Text,
    case,
    delete,
    exists,
    select,
    update,
)

from ai_engine.errors import AnswerUnreadable, NotKept
from ai_engine.types import Answer, StepFinished
from backend.answers.answer_json import answer_from_json, answer_to_json, steps_from_json, steps_to_json
from backend.store.keys import BIG_NUMBER, insert_unless_there, key_of, read_key, written
from backend.store.opening import Store
from backend.store.schema import METADATA, UtcTime

_log = logging.getLogger(__name__)

CONVERSATIONS = Table(
    "conversations",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("person", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("used_at", UtcTime(), nullable=False),
    Column("deleted_at", UtcTime()),
)
Index("ix_conversations_of_person", CONVERSATIONS.c.person, CONVERSATIONS.c.used_at)
TURNS = Table(
    "conversation_turns",
    METADATA,
    Column("number", BIG_NUMBER, primary_key=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("conversation", String(32), ForeignKey(CONVERSATIONS.c.id, ondelete="CASCADE"), nullable=False),
    Column("question", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("words", Text, nullable=False),
    Column("sql", Text),
    Column("as_of", Date),
    Column("answered_at", UtcTime(), nullable=False),
    Column("is_shared", Boolean, nullable=False),
    Column("dropped_at", UtcTime()),
    Column("answer", Text, nullable=False),
    Column("steps", Text, nullable=False),
)
Index("ix_conversation_turns_of_conversation", TURNS.c.conversation, TURNS.c.number)

_TITLE_CHARS = 200
_UNDO = timedelta(days=1)
_HEADS = (TURNS.c.id, TURNS.c.question, TURNS.c.status, TURNS.c.words, TURNS.c.sql, CONVERSATIONS.c.person)
_WHOLE = (*_HEADS, TURNS.c.as_of, TURNS.c.answered_at, TURNS.c.is_shared, TURNS.c.answer, TURNS.c.steps)


@dataclass(frozen=True, slots=True)
class Conversation:
    """One line of the list; `source` is the data that was asked, empty for the first."""

    id: str
    title: str
    source: str
    used_at: datetime


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A question with its answer as it was shown.

    Attributes:
        words: how the answer begins, or why there is none; enough to show an earlier turn.
        sql: the statement that the words are of.
        answer: the whole of it, None where only the words were asked for.
        is_own: it is the asking person's.
        asked_by: whose it is.
    """

    id: str
    question: str
    status: str
    words: str
    sql: str | None
    is_own: bool
    answer: Answer | None = None
    steps: tuple[StepFinished, ...] = ()
    answered_at: datetime | None = None
    is_shared: bool = False
    conversation: str = ""
    source: str = ""
    asked_by: str = ""


class KeptConversations:
    """What each person asked, for that person; every method raises StoreUnavailable, or NotKept for what is not theirs.

    Args:
        store: opens the store, or gives it where it is open.
        max_answer_kb: of one answer; of a larger result the first rows are kept.
    """

    def __init__(self, store: Callable[[], Store], max_answer_kb: int) -> None:
        self._store = store
        self._max_answer_kb = max_answer_kb

    def listed(
        self, person: str, search: str = "", *, skip: int = 0, most: int = 20,
        is_told: Callable[[str, Answer], bool] = lambda *_: True,
    ) -> list[Conversation]:  # fmt: skip
        """Return conversations, the last used first; with `search`, those whose title or questions have it.

        None is found by a question whose answer is not told, as `is_told` says of its source and the answer; of figures
        that has question and statement alone.
        """
        chosen = _of(person) & CONVERSATIONS.c.deleted_at.is_(None)
        if search.strip():
            part = written(search.strip())
            asked = chosen & TURNS.c.dropped_at.is_(None) & TURNS.c.question.icontains(part, autoescape=True)
            found = [where for source, where, answer in self._asked(asked) if is_told(source, answer)]
            chosen &= CONVERSATIONS.c.title.icontains(part, autoescape=True) | CONVERSATIONS.c.id.in_(found)
        last_used = CONVERSATIONS.c.used_at.desc(), CONVERSATIONS.c.id
        query = select(CONVERSATIONS).where(chosen).order_by(*last_used).offset(skip).limit(most)
        with self._store().reading() as on:
            return [_conversation(row) for row in on.execute(query).mappings()]

    def _asked(self, chosen: ColumnElement[bool]) -> Iterator[tuple[str, str, Answer]]:
        """Yield source, conversation and answer of the turns chosen; of figures without their rows, which are many."""
        has_figures = (TURNS.c.status == "answered") & TURNS.c.sql.is_not(None)
        whole = case((has_figures, None), else_=TURNS.c.answer).label("answer")
        heads = (CONVERSATIONS.c.source, TURNS.c.conversation, TURNS.c.question, TURNS.c.status, TURNS.c.sql, whole)
        with self._store().reading() as on:
            rows = on.execute(select(*heads).join(CONVERSATIONS).where(chosen)).mappings().all()
        for row in rows:
            if row["answer"] is None:
                answer = Answer(row["question"], row["status"], "", sql=row["sql"])
            else:
                try:
                    answer = answer_from_json(row["answer"])
                except AnswerUnreadable:
                    continue
            yield row["source"], row["conversation"], answer

    def turns(self, conversation: str, person: str, whole_from_end: int) -> tuple[Conversation, list[KeptTurn]]:
        """Return one conversation with its turns, the oldest first; the last ones, and those without figures, whole."""
        with self._store().reading() as on:
            own = on.execute(select(CONVERSATIONS).where(_own(conversation, person))).mappings().first()
            if own is None:
                raise NotKept
            there = (TURNS.c.conversation == conversation) & TURNS.c.dropped_at.is_(None)
            joined = select(*_HEADS, TURNS.c.number).join(CONVERSATIONS).where(there).order_by(TURNS.c.number)
            heads = on.execute(joined).mappings().all()
            chosen = [one["number"] for one in heads if one["status"] != "answered" or not one["sql"]]
            chosen += [one["number"] for one in heads[max(0, len(heads) - whole_from_end) :]]
            query = select(*_WHOLE, CONVERSATIONS.c.source, TURNS.c.conversation).join(CONVERSATIONS)
            whole = on.execute(query.where(TURNS.c.number.in_(chosen))).mappings().all()
        answers = {row["id"]: row for row in whole}
        return _conversation(own), [_readable(head, answers.get(head["id"]), person) for head in heads]

    def turn(self, turn_id: str, person: str) -> KeptTurn:
        """Return one answer, for its owner, or for anybody once it is shared."""
        allowed = _of(person) | TURNS.c.is_shared
        there = (TURNS.c.id == turn_id) & TURNS.c.dropped_at.is_(None) & CONVERSATIONS.c.deleted_at.is_(None) & allowed
        query = select(*_WHOLE, CONVERSATIONS.c.source, TURNS.c.conversation).join(CONVERSATIONS).where(there)
        with self._store().reading() as on:
            row = on.execute(query).mappings().first()
        if row is None:
            raise NotKept
        return _turn(row, person)

    def keep(
        self, conversation: str, turn_id: str, person: str, answer: Answer, steps: Sequence[StepFinished] = (),
        *, source: str = "", is_begun: bool = False,
    ) -> None:  # fmt: skip
        """Add a turn, or put its final answer in its place; the first makes the conversation and names it.

        One that `is_begun` alone takes nobody's place, however late it comes.

        Raises:
            ValueError: the turn is in another conversation.
        """
        now = datetime.now(UTC)
        row = {
            "question": written(answer.question),
            "status": answer.status,
            "words": written(
                (answer.headline or answer.summary) if answer.status == "answered" else answer.error or ""
            ),
            "sql": answer.sql and written(answer.sql),
            "as_of": answer.as_of,
            "answered_at": now,
            "answer": answer_to_json(answer, self._max_answer_kb),
            "steps": steps_to_json(steps),
        }
        first = {
            "id": conversation,
            "person": key_of(person),
            "source": source,
            "title": _title(answer.question),
            "used_at": now,
        }
        with self._store().writing() as on:
            if not insert_unless_there(on, CONVERSATIONS, first):
                self._change(on, conversation, person, used_at=now)
            new = {"id": turn_id, "conversation": conversation, "is_shared": False, **row}
            if not insert_unless_there(on, TURNS, new) and not is_begun:
                mine = (TURNS.c.id == turn_id) & (TURNS.c.conversation == conversation)
                if on.execute(update(TURNS).where(mine).values(**row)).rowcount == 0:
                    raise ValueError("the turn is one of another conversation")

    def rename(self, conversation: str, person: str, title: str) -> None:
        """Call it otherwise; blanks alone change nothing."""
        if title.strip():
            with self._store().writing() as on:
                self._change(on, conversation, person, title=_title(title))

    def delete(self, conversation: str, person: str) -> None:
        """Put it out of sight; it can be restored for a day, and is gone with the next one deleted after that."""
        now = datetime.now(UTC)
        with self._store().writing() as on:
            on.execute(delete(CONVERSATIONS).where(_of(person), CONVERSATIONS.c.deleted_at < now - _UNDO))
            self._change(on, conversation, person, deleted_at=now)

    def restore(self, conversation: str, person: str) -> None:
        """Undo `delete`."""
        with self._store().writing() as on:
            self._change(on, conversation, person, deleted_at=None)

    def drop_from(self, conversation: str, turn_id: str, person: str) -> tuple[str, ...]:
        """Put a turn and all after it out of sight; returns their ids, for `put_back`."""
        later = (
            (TURNS.c.conversation == conversation)
            & TURNS.c.dropped_at.is_(None)
            & (TURNS.c.number >= select(TURNS.c.number).where(TURNS.c.id == turn_id).scalar_subquery())
        )
        with self._store().writing() as on:
            self._change(on, conversation, person, used_at=datetime.now(UTC))
            dropped = tuple(on.scalars(select(TURNS.c.id).where(later).order_by(TURNS.c.number)))
            on.execute(update(TURNS).where(TURNS.c.id.in_(dropped)).values(dropped_at=datetime.now(UTC)))
        return dropped

    def put_back(self, conversation: str, dropped: Sequence[str], person: str) -> None:
        """Undo `drop_from`: what was asked in the place of those turns goes out of sight instead."""
        there = TURNS.c.conversation == conversation
        now = datetime.now(UTC)
        with self._store().writing() as on:
            self._change(on, conversation, person, used_at=now)
            first = on.scalar(select(TURNS.c.number).where(there, TURNS.c.id == dropped[0]))
            on.execute(update(TURNS).where(there, TURNS.c.number >= first).values(dropped_at=now))
            on.execute(update(TURNS).where(there, TURNS.c.id.in_(dropped)).values(dropped_at=None))

    def share(self, turn_id: str, person: str, *, is_shared: bool) -> None:
        """Let anybody who may ask this data open one answer by its link, or no longer."""
        mine = exists().where(CONVERSATIONS.c.id == TURNS.c.conversation, _of(person))
        with self._store().writing() as on:
            done = on.execute(update(TURNS).where(TURNS.c.id == turn_id, mine).values(is_shared=is_shared))
            if done.rowcount == 0:
                raise NotKept

    @staticmethod
    def _change(on: Connection, conversation: str, person: str, **values: Any) -> None:
        own = (CONVERSATIONS.c.id == conversation) & _of(person)
        if on.execute(update(CONVERSATIONS).where(own).values(**values)).rowcount == 0:
            raise NotKept


def _of(person: str) -> ColumnElement[bool]:
    return CONVERSATIONS.c.person == key_of(person)


def _own(conversation: str, person: str) -> ColumnElement[bool]:
    return (CONVERSATIONS.c.id == conversation) & _of(person) & CONVERSATIONS.c.deleted_at.is_(None)


def _title(question: str) -> str:
    line = written(" ".join(question.split()))
    return line if len(line) <= _TITLE_CHARS else f"{line[: _TITLE_CHARS - 1]}…"


def _conversation(row: RowMapping) -> Conversation:
    return Conversation(row["id"], row["title"], row["source"], row["used_at"])


def _head(row: RowMapping, person: str) -> KeptTurn:
    is_own = row["person"] == key_of(person)
    return KeptTurn(row["id"], row["question"], row["status"], row["words"], row["sql"], is_own)


def _readable(head: RowMapping, whole: RowMapping | None, person: str) -> KeptTurn:
    """Return a turn; of an answer that cannot be read any more, its words."""
    try:
        return _head(head, person) if whole is None else _turn(whole, person)
    except AnswerUnreadable as fault:
        _log.warning("%s", fault)
        return _head(head, person)


def _turn(row: RowMapping, person: str) -> KeptTurn:
    answer = answer_from_json(row["answer"])
    answer = replace(answer, as_of=answer.as_of or row["as_of"])  # earlier versions kept it beside the answer alone
    return replace(
        _head(row, person), answer=answer, steps=steps_from_json(row["steps"]),
        answered_at=row["answered_at"], is_shared=row["is_shared"],
        conversation=row["conversation"], source=row["source"], asked_by=read_key(row["person"]),
    )  # fmt: skip
