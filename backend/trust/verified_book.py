"""The checked answers of one database: who may add and retract, what must hold first, and which may still be used."""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Literal, TypeVar

from sqlalchemy import Connection

from ai_engine.bm25 import Bm25, terms
from ai_engine.errors import (
    AssistantError,
    CannotVerify,
    IntentNotCovered,
    NotPermitted,
    SqlRejected,
    StoreUnavailable,
)
from ai_engine.result_hash import result_hash
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.model import VerifiedQuestion
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer, CheckedStatement, Interpretation, QueryResult
from ai_engine.verified import (
    NoVerifiedAnswers,
    VerifiedAnswer,
    VerifiedAnswers,
    depends_on_day,
    fingerprint,
    intent_from_text,
    intent_to_text,
    question_key,
    reading_key,
)
from backend.answers.withheld import question_without_values
from backend.configuration.people import is_among
from backend.store import verified_answers as rows
from backend.store.opening import Store
from backend.store.verified_answers import KeptAnswer

_log = logging.getLogger(__name__)
_MOST_COMPARED = 1_000
_MOST_LISTED = 10_000
CHARS_PER_TOKEN = 4
"""Of English and of SQL, about, for every common model."""
_CHANGED = "a table or column of it has changed"
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Permissions:
    """Who may verify.

    Attributes:
        names: those who may, "*" among them for everybody.
        two_persons: an answer is used only once another of them has confirmed it.
        days: for which an answer is used unless another day is named; None for ever.
    """

    names: frozenset[str] = frozenset()
    two_persons: bool = False
    days: int | None = None

    def allow(self, who: str) -> bool:
        """Tell whether this person may verify, confirm and retract."""
        return is_among(self.names, who)


class VerifiedBook:
    """Implements `VerifiedAnswers` on the store; safe to share between threads.

    The store is read at every question, so what one process retracts, no other uses again. A store that is away makes
    no question fail: nothing is verified then, and the log says so.

    Args:
        store: opens the store, or gives it where it is open.
        database: what it is kept under; what was checked on one database says nothing of another.
        check: guards a statement as any other is, given how many keys of its order rank the rows.
        run: runs it under the same limits, until an event is set.
        example_chars: of the verified answers that `near` gives.
    """

    def __init__(
        self, store: Callable[[], Store], database: str, vocabulary: Vocabulary, permissions: Permissions,
        check: Callable[[str, int | None], CheckedStatement],
        run: Callable[[CheckedStatement, threading.Event], QueryResult], example_chars: int,
    ) -> None:  # fmt: skip
        self._store = store
        self._database = database
        self._vocabulary = vocabulary
        self._check = check
        self._run = run
        self._example_chars = example_chars
        self._refusal = lru_cache(_MOST_LISTED)(self._refused_now)
        self.permissions = permissions

    def under(self, vocabulary: Vocabulary) -> VerifiedAnswers:
        """Return this book, or an empty one where definitions given with a question make it another question."""
        return self if vocabulary is self._vocabulary else NoVerifiedAnswers()

    def in_use(self) -> bool:
        """See VerifiedAnswers."""
        return bool(self._look(lambda on: rows.in_use(on, self._database, 1)))

    def of_question(self, question: str) -> VerifiedAnswer | None:
        """See VerifiedAnswers."""
        as_of, key = self._vocabulary.as_of, question_key(question)
        found = self._look(lambda on: rows.with_key(on, self._database, question=key, as_of=as_of))
        same_today = [one for one in found if one.answer.as_of == as_of or not depends_on_day(one.answer.intent)]
        return next((self._given(one) for one in same_today if self._still_holds(one)), None)

    def of_reading(self, interpretation: Interpretation) -> VerifiedAnswer | None:
        """See VerifiedAnswers."""
        as_of, key = self._vocabulary.as_of, reading_key(interpretation, self._vocabulary)
        found = self._look(lambda on: rows.with_key(on, self._database, reading=key, as_of=as_of))
        if interpretation.intent is None:  # its text may leave days to be counted from today
            found = [one for one in found if one.answer.as_of == as_of]
        return next((self._given(one) for one in found if self._still_holds(one)), None)

    def near(self, question: str) -> tuple[VerifiedAnswer, ...]:
        """See VerifiedAnswers."""
        if self._example_chars == 0:
            return ()
        kept = self._look(lambda on: rows.in_use(on, self._database, _MOST_COMPARED))
        scores = Bm25([f"{one.answer.question} {one.answer.restatement}" for one in kept]).scores(terms(question))
        best = sorted((place for place, score in enumerate(scores) if score > 0), key=lambda place: -scores[place])
        room, chosen = self._example_chars, []
        for place in best:
            answer = kept[place].answer
            room -= len(answer.question) + max(len(answer.sql), len(intent_to_text(answer.intent) or ""))
            if room < 0:
                break
            if self._still_holds(kept[place]):
                chosen.append(answer)
        return tuple(chosen)

    def verify(
        self, answer: Answer, who: str, expires_on: date | None = None, stop: threading.Event | None = None
    ) -> KeptAnswer:
        """Keep an answer that a person has checked; its statement passes the guard and runs once more first.

        Args:
            answer: from the data.
            who: has checked it.
            expires_on: the last day on which it is used; None for as many days as is usual here.
            stop: ends the statement when set.

        Raises:
            NotPermitted: this person may not.
            CannotVerify: it is no answer from the data.
            SqlRejected, QueryFailed: the statement may not run, or does not.
            StoreUnavailable: it could not be kept.
        """
        self._permit(who)
        if answer.status != "answered" or answer.sql is None:
            raise CannotVerify("Only an answer from the data can be verified.")
        return self._keep(
            VerifiedAnswer(
                uuid.uuid4().hex, answer.question, answer.restatement or answer.question, answer.sql, answer.intent,
                answer.as_of or self._vocabulary.as_of, who, datetime.now(UTC),
            ),
            stands_alone=answer.stands_alone, expires_on=expires_on, stop=stop,
        )  # fmt: skip

    def take_over(self, questions: Sequence[VerifiedQuestion], who: str) -> tuple[list[KeptAnswer], list[str]]:
        """Keep the verified questions of a vocabulary file, each as `verify` does.

        Returns:
            What is kept now, and a sentence for each that is not.

        Raises:
            NotPermitted: this person may not.
            StoreUnavailable: they could not be kept.
        """
        self._permit(who)
        kept, faults = [], []
        for one in questions:
            answer = VerifiedAnswer(
                uuid.uuid4().hex, one.question, one.restatement or one.question, one.sql, intent_from_text(one.intent),
                one.as_of or self._vocabulary.as_of, who, datetime.now(UTC),
            )  # fmt: skip
            try:
                kept.append(self._keep(answer, stands_alone=True))
            except StoreUnavailable:
                raise
            except AssistantError as fault:
                faults.append(f"{one.question}: {fault.user_message}")
        return kept, faults

    def confirm(self, answer_id: str, who: str, stop: threading.Event | None = None) -> None:
        """Be the second person; `stop` ends the statement when set.

        Raises:
            NotPermitted: this person may not, or saved it.
            CannotVerify: nothing of that name waits.
        """
        self._permit(who)
        kept = self._named(answer_id)
        if kept.has_expired:
            raise CannotVerify("Its last day has passed. Let it be used longer first.")
        if kept.answer.saved_by == who:
            raise NotPermitted(f"{who} saved it", "Another person than the one who saved it must confirm it.")
        self._run(self._check(kept.answer.sql, None), stop or threading.Event())
        with self._store().writing() as on:
            if not rows.confirm(on, answer_id, who, datetime.now(UTC)):
                raise CannotVerify("This answer does not wait to be confirmed.")

    def retract(self, answer_id: str, who: str, why: str = "") -> None:
        """Take an answer out of use, at once and for everybody.

        Raises:
            NotPermitted: this person may not.
            CannotVerify: nothing of that name is in use.
        """
        self._permit(who)
        self._named(answer_id)
        with self._store().writing() as on:
            if not rows.end(on, answer_id, "retracted", who=who, why=why, when=datetime.now(UTC)):
                raise CannotVerify("This answer is no longer in use.")

    def ran_again(self, answer_id: str, who: str) -> Literal["same", "changed", "unknown"]:
        """Run the statement, and tell whether its rows are those that were checked; unknown for earlier versions.

        Raises:
            NotPermitted: this person may not verify.
            CannotVerify: there is no such answer.
            SqlRejected, QueryFailed: the statement may not run, or does not.
        """
        self._permit(who)
        kept = self._named(answer_id)
        if not kept.result_hash:
            return "unknown"
        return "same" if self._hash_now(kept) == kept.result_hash else "changed"

    def extend(self, answer_id: str, expires_on: date, who: str) -> None:
        """Let an answer be used until another day, with the rows that it gives now.

        Raises:
            NotPermitted: this person may not, or saved it where two persons are asked for.
            CannotVerify: it was taken out of use, or the day has passed.
            SqlRejected, QueryFailed: the statement may not run, or does not.
        """
        self._permit(who)
        kept = self._named(answer_id)
        if self.permissions.two_persons and kept.answer.saved_by == who:
            raise NotPermitted(f"{who} saved it", "Another person than the one who saved it must do this.")
        if expires_on < rows.today():
            raise CannotVerify("This day has passed.")
        now = self._hash_now(kept)
        with self._store().writing() as on:
            if not rows.extend(on, answer_id, expires_on, now):
                raise CannotVerify("This answer is no longer in use.")

    def listed(self) -> list[KeptAnswer]:
        """Return all that was ever kept, the newest first; what no longer holds is withdrawn on the way.

        Of an answer whose statement may not run today nothing but the question is told, and why.
        """
        with self._store().reading() as on:
            kept = rows.all_of(on, self._database, _MOST_LISTED)
        for one in kept:
            if one.state in ("waiting", "verified"):
                self._still_holds(one)
        with self._store().reading() as on:
            return [self._told(one) for one in rows.all_of(on, self._database, _MOST_LISTED)]

    def exported(self) -> tuple[VerifiedQuestion, ...]:
        """Return what is in use, as a vocabulary file has it."""
        return tuple(
            VerifiedQuestion(
                one.answer.question, one.answer.sql, one.answer.restatement, intent_to_text(one.answer.intent) or "",
                one.answer.as_of,
            )
            for one in self.listed() if one.state == "verified" and not one.has_expired
        )  # fmt: skip

    def _hash_now(self, kept: KeptAnswer) -> str:
        statement = self._check(kept.answer.sql, None)
        return result_hash(self._run(statement, threading.Event()), statement.sql, self._vocabulary.catalogue.dialect)

    def _last_day(self) -> date | None:
        return None if self.permissions.days is None else rows.today() + timedelta(days=self.permissions.days)

    def _keep(
        self, answer: VerifiedAnswer, *, stands_alone: bool, expires_on: date | None = None,
        stop: threading.Event | None = None,
    ) -> KeptAnswer:  # fmt: skip
        if expires_on is not None and expires_on < rows.today():
            raise CannotVerify("The last day of its use has passed.")
        statement = self._check(answer.sql, None)
        result = self._run(statement, stop or threading.Event())
        intent = answer.intent if self._says(answer.intent, statement.sql) else None
        answer = replace(answer, sql=statement.sql, intent=intent)
        kept = KeptAnswer(
            answer,
            "waiting" if self.permissions.two_persons else "verified",
            question_key(answer.question) if stands_alone else "",
            reading_key(answer.interpretation(), self._vocabulary),
            fingerprint(statement.sql, self._vocabulary.catalogue),
            expires_on=expires_on or self._last_day(),
            result_hash=result_hash(result, statement.sql, self._vocabulary.catalogue.dialect),
        )
        with self._store().writing() as on:
            rows.keep(on, self._database, kept)
        return kept

    def _given(self, kept: KeptAnswer) -> VerifiedAnswer:
        """Leave the intent out where the vocabulary has changed so that it no longer says what the statement does."""
        answer = kept.answer
        return answer if self._says(answer.intent, answer.sql) else replace(answer, intent=None)

    def _says(self, intent: Intent | None, sql: str) -> bool:
        """Tell whether the statement is that of the intent, and not one that was written in its place."""
        if intent is None:
            return False
        vocabulary = self._vocabulary
        try:
            draft = compile_intent(intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
            return self._check(draft.sql, draft.ranked_by).sql == sql
        except (IntentNotCovered, SqlRejected, KeyError):  # a name that the vocabulary no longer has
            return False

    def _permit(self, who: str) -> None:
        if not self.permissions.allow(who):
            raise NotPermitted(f"{who} is not among those who may verify answers")

    def _named(self, answer_id: str) -> KeptAnswer:
        with self._store().reading() as on:
            found = rows.by_id(on, self._database, answer_id)
        if found is None:
            raise CannotVerify("There is no such answer.")
        return found

    def _look(self, find: Callable[[Connection], list[_Found]]) -> list[_Found]:
        """Read the store; a store that is away has nothing."""
        try:
            with self._store().reading() as on:
                return find(on)
        except AssistantError as fault:
            _log.warning("verified answers cannot be looked up: %s", fault)
            return []

    def _told(self, kept: KeptAnswer) -> KeptAnswer:
        """Leave out what the statement says where it may not run today; the store keeps it as it was."""
        refusal = self._refusal(kept.answer.sql)
        if not refusal:
            return kept
        asked = question_without_values(kept.answer.question, (kept.answer.sql,))
        kept = replace(kept, answer=replace(kept.answer, question=asked, sql="", restatement="", intent=None))
        if kept.state in ("waiting", "verified"):
            return replace(kept, state="withdrawn", reason=f"its query may not run today: {refusal}")
        return kept

    def _refused_now(self, sql: str) -> str:
        """Say why a statement may not run; empty where it may."""
        try:
            self._check(sql, None)
        except SqlRejected as refusal:
            return str(refusal)
        return ""

    def _still_holds(self, kept: KeptAnswer) -> bool:
        """Tell whether the tables are as they were, and the statement may run.

        An answer whose tables are not is withdrawn for everybody; one that may not run waits until it may again.
        """
        try:
            if fingerprint(kept.answer.sql, self._vocabulary.catalogue) == kept.fingerprint:
                return not self._refusal(kept.answer.sql)
        except SqlRejected:
            pass
        try:
            with self._store().writing() as on:
                rows.end(on, kept.answer.id, "withdrawn", who="", why=_CHANGED, when=datetime.now(UTC))
        except StoreUnavailable as fault:
            _log.warning("an answer whose tables have changed could not be withdrawn: %s", fault)
        return False
