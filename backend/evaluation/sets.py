"""Sets of questions: files of a folder, what people brought, and the verified answers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ai_engine.errors import BadConfiguration, CannotKeep, NotPermitted
from backend.configuration.people import people_in
from backend.evaluation.questions import Question, questions_from
from backend.service import Assistant
from backend.settings import Settings
from backend.store import evaluations as rows
from backend.store.evaluations import KeptSet
from backend.store.opening import Store
from backend.trust.verified_book import Permissions

VERIFIED = "Verified answers"


def permissions(settings: Settings) -> Permissions:
    """Return who may evaluate."""
    return Permissions(people_in(settings.evaluators))


class QuestionSets:
    """What can be asked; every method raises StoreUnavailable where the store is away.

    Args:
        store: gives the store.
        settings: the folder, and how large a set may be.
    """

    def __init__(self, store: Callable[[], Store], settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def names(self) -> tuple[str, ...]:
        """Return the sets by name, the verified answers first."""
        with self._store().reading() as connection:
            brought = [kept.name for kept in rows.sets(connection)]
        return (VERIFIED, *(file.name for file in self._files()), *brought)

    def questions(self, name: str, assistant: Assistant) -> tuple[Question, ...]:
        """Read a set.

        Raises:
            CannotKeep: there is none of that name, or it cannot be read; says where.
        """
        if name == VERIFIED:
            return self._verified(assistant)
        file = next((file for file in self._files() if file.name == name), None)
        try:
            if file is not None:
                return self._bounded(questions_from(file.read_text(encoding="utf-8"), name))
            with self._store().reading() as connection:
                kept = next((one for one in rows.sets(connection) if one.name == name), None)
        except (OSError, UnicodeDecodeError, BadConfiguration) as fault:
            raise CannotKeep(str(fault)) from fault
        if kept is None:
            raise CannotKeep("There is no such set of questions any more.")
        return self._read(kept.content, name)

    def bring(self, name: str, content: bytes, who: str) -> str:
        """Keep a set that somebody uploads, after it was read whole; its name, which says whose it is.

        Raises:
            CannotKeep: it is too large, or cannot be read.
        """
        if len(content) > self._settings.question_set_kb * 1_024:
            raise CannotKeep(f"A set of questions has at most {self._settings.question_set_kb} KB.")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise CannotKeep("The file is not UTF-8 text.") from None
        kept = f"{Path(name).name[:80]} ({who[:30]})"
        self._read(text, name)
        with self._store().writing() as connection:
            there = rows.sets(connection)
            if any(one.name == kept and one.owner != who for one in there):
                raise NotPermitted("a set of somebody else")
            if len(there) >= self._settings.max_question_sets and all(one.name != kept for one in there):
                raise CannotKeep(f"{self._settings.max_question_sets} sets are kept, as many as there may be.")
            rows.keep_set(connection, KeptSet(kept, who, text, datetime.now(UTC)))
        return kept

    def _read(self, text: str, name: str) -> tuple[Question, ...]:
        try:
            return self._bounded(questions_from(text, name))
        except BadConfiguration as fault:
            raise CannotKeep(str(fault)) from fault

    def _bounded(self, questions: tuple[Question, ...]) -> tuple[Question, ...]:
        most = self._settings.question_set_max_questions
        if len(questions) > most:
            raise CannotKeep(f"A set has at most {most:,} questions; this one has {len(questions):,}.")
        return questions

    def _verified(self, assistant: Assistant) -> tuple[Question, ...]:
        kept = assistant.verified.listed()
        used = [one for one in kept if one.state == "verified"]
        if not used:
            raise CannotKeep("No answer is verified yet.")
        return self._bounded(tuple(Question(one.answer.id, one.answer.question, (one.answer.sql,)) for one in used))

    def _files(self) -> list[Path]:
        folder = self._settings.question_sets_dir
        return sorted(folder.glob("*.jsonl")) if folder is not None and folder.is_dir() else []
