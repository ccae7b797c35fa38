"""Takes what people say of answers, and gives it to those who may verify answers."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime

from ai_engine.errors import NotPermitted
from ai_engine.types import Answer
from backend.store import feedback as rows
from backend.store.feedback import Feedback, Verdict
from backend.store.opening import Store
from backend.trust.verified_book import Permissions

MOST_LISTED = 1_000


class FeedbackBook:
    """What was said of the answers from one database; safe to share between threads.

    Args:
        store: opens the store, or gives it where it is open.
        database: its address without password.
        permissions: those who may read what others said, and settle it.
        most_chars: of a reason; what is longer is cut.
    """

    def __init__(self, store: Callable[[], Store], database: str, permissions: Permissions, most_chars: int) -> None:
        self._store = store
        self._database = database
        self._permissions = permissions
        self._most_chars = most_chars

    def say(self, answer: Answer, verdict: Verdict, reason: str, who: str) -> Feedback:
        """Keep what a person says of an answer, in place of what they said of it before.

        Raises:
            StoreUnavailable: it could not be kept.
        """
        given = Feedback(
            uuid.uuid4().hex, answer.question_id, verdict, reason.strip()[: self._most_chars], answer.question,
            answer.restatement, answer.sql or "", who, datetime.now(UTC),
        )  # fmt: skip
        with self._store().writing() as on:
            rows.keep(on, self._database, given)
        return given

    def of_answer(self, question_id: str, who: str) -> Feedback | None:
        """Return what this person said of an answer.

        Raises:
            StoreUnavailable: it could not be read.
        """
        with self._store().reading() as on:
            return rows.of_answer(on, self._database, question_id, who)

    def listed(self, who: str, *, only_open: bool = False) -> list[Feedback]:
        """Return what all have said, the newest first, `MOST_LISTED` at most.

        Raises:
            NotPermitted: this person may not verify answers.
            StoreUnavailable: it could not be read.
        """
        self._permit(who)
        with self._store().reading() as on:
            return rows.listed(on, self._database, MOST_LISTED, only_open=only_open)

    def settle(self, feedback_id: str, who: str) -> bool:
        """Note that it has been dealt with; False where nothing of that id is open.

        Raises:
            NotPermitted: this person may not verify answers.
            StoreUnavailable: it could not be kept.
        """
        self._permit(who)
        with self._store().writing() as on:
            return rows.settle(on, self._database, feedback_id, who, datetime.now(UTC))

    def _permit(self, who: str) -> None:
        if not self._permissions.allow(who):
            raise NotPermitted(f"{who} is not among those who may verify answers")
