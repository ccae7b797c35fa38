"""Changes of one database's vocabulary: proposed by anybody, published by editors, in force everywhere at once."""

from __future__ import annotations

import hashlib
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from ai_engine.catalogue import Catalogue
from ai_engine.errors import BadConfiguration, CannotChangeVocabulary, NotPermitted, StoreUnavailable
from ai_engine.semantics.infer.doubts import with_doubtful_kept_back
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.vocabulary_edits import (
    Edit,
    Value,
    check_edits,
    composed,
    conflicts,
    edits_from_text,
    edits_to_text,
    with_edits,
)
from backend.store import vocabulary_changes as rows
from backend.store.opening import Store
from backend.store.vocabulary_changes import VocabularyChange
from backend.trust.verified_book import Permissions
from backend.vocabulary.rebased_edits import based_on, differences, over

_log = logging.getLogger(__name__)
_MOST_VERSIONS = 200
_MOST_NOTE_CHARS = 500
_MOST_EDIT_CHARS = 200_000
_GONE = "This proposal does not wait any more."


class VocabularyBook:
    """The drafts and versions of one vocabulary; safe to share between threads.

    Args:
        store: opens the store, or gives it where it is open.
        database: what it is kept under.
        base: what the bank's file says, or what was inferred; never written.
        catalogue: the tables there are.
        permissions: who may publish.
        most_drafts: that wait at a time.
        check_s: how long what was last seen in the store is taken for true.
        kept_in: folder of a copy of what is in force, for a start at which the store is away.
    """

    def __init__(
        self, store: Callable[[], Store], database: str, base: SemanticModel, catalogue: Catalogue,
        permissions: Permissions, most_drafts: int, check_s: float, kept_in: Path,
    ) -> None:  # fmt: skip
        self._store = store
        self._database = database
        self.base = base
        self._catalogue = catalogue
        self.permissions = permissions
        self._most_drafts = most_drafts
        self._check_s = check_s
        self._checked_at = -check_s
        self._number = 0
        self._copy = kept_in / f"vocabulary-{hashlib.sha256(database.encode()).hexdigest()[:20]}.json"

    def in_force(self) -> tuple[int, tuple[Edit, ...]]:
        """Return the number of the newest version and its edits; 0 and none where nothing was published.

        Where the store is away, what was last seen of it holds: else a column that was closed would be open. Where
        nothing was ever seen of it, what may name somebody is kept back.
        """
        try:
            with self._store().reading() as on:
                found = rows.latest(on, self._database)
        except StoreUnavailable as fault:
            _log.warning("the store does not tell the published vocabulary, its copy is taken: %s", fault)
            return 0, self._copied()
        number, edits = (found.number or 0, found.published) if found is not None else (0, ())
        self._keep_copy(edits)
        return number, edits

    def is_newer_than(self, number: int) -> bool:
        """Tell whether another version is in force; asked of the store at most every `check_s`."""
        now = time.monotonic()
        if now - self._checked_at >= self._check_s:
            self._checked_at = now
            try:
                told = self._store().rows(rows.latest_number(self._database), {})
                self._number = told[0][0] or 0
            except StoreUnavailable as fault:
                _log.warning("the store does not tell whether the vocabulary has changed: %s", fault)
                return False
        return self._number != number

    def model_with(self, edits: Iterable[Edit]) -> SemanticModel:
        """Return the bank's vocabulary with edits over it.

        Raises:
            BadConfiguration: an edit closes a column that the file no longer describes: it would be open.
        """
        model, lost = with_edits(self.base, edits)
        for edit in lost:
            column = edit.name.rpartition(".")[2]
            if edit.part == "sensitive" and edit.after and any(item.column(column) for item in self._catalogue.tables):
                raise BadConfiguration(
                    f"The published vocabulary keeps {edit.name} back, which the vocabulary file no longer describes. "
                    "Describe it there, sensitive or not."
                )
            _log.warning("a published change of the vocabulary has no place any more: %s", " ".join(edit.place))
        return model

    def changed_under(self) -> tuple[tuple[Edit, Value], ...]:
        """Return the published edits before which the file says something else now, each with that."""
        return conflicts(self.in_force()[1], self.base)

    def drafts(self, who: str) -> list[VocabularyChange]:
        """Return what waits: all of it for editors, one's own for others."""
        with self._store().reading() as on:
            found = rows.drafts(on, self._database, self._most_drafts)
        return [one for one in found if self.permissions.allow(who) or one.author == who]

    def versions(self) -> list[VocabularyChange]:
        """Return the published versions, the newest first."""
        with self._store().reading() as on:
            return rows.versions(on, self._database, _MOST_VERSIONS)

    def propose(self, edits: Sequence[Edit], note: str, who: str) -> VocabularyChange:
        """Keep a new draft of valid edits.

        Raises:
            BadVocabulary: they are not valid; `field` is the part of the form.
            NotPermitted: a column would become less sensitive, which only editors propose.
            CannotChangeVocabulary: there is nothing to change, or too much waits.
            StoreUnavailable: it could not be kept.
        """
        self._judge(edits, who, self.model_with(self.in_force()[1]))
        change = VocabularyChange(
            uuid.uuid4().hex, "draft", tuple(edits), note[:_MOST_NOTE_CHARS], who, datetime.now(UTC)
        )
        with self._store().writing() as on:
            if len(rows.drafts(on, self._database, self._most_drafts)) >= self._most_drafts:
                raise CannotChangeVocabulary(f"{self._most_drafts} proposals wait already; some must be settled first.")
            rows.add(on, self._database, change)
        return change

    def add_to(self, change_id: str, edits: Sequence[Edit], who: str) -> VocabularyChange:
        """Put further edits into one's own draft; raises as `propose`."""
        draft = self._draft(change_id, who)
        together = composed(draft.edits, edits)
        self._judge(together, who, self.model_with(self.in_force()[1]))
        with self._store().writing() as on:
            if not rows.change_draft(on, change_id, together, datetime.now(UTC)):
                raise CannotChangeVocabulary(_GONE)
        return replace(draft, edits=together)

    def insist(self, change_id: str, who: str) -> None:
        """Let a draft stand over what was published since it was made."""
        draft = self._draft(change_id, who)
        model = self.model_with(self.in_force()[1])
        with self._store().writing() as on:
            if not rows.change_draft(on, change_id, based_on(draft.edits, model), datetime.now(UTC)):
                raise CannotChangeVocabulary(_GONE)

    def discard(self, change_id: str, who: str) -> None:
        """Take a draft out of the list; by its author or an editor."""
        self._draft(change_id, who)
        with self._store().writing() as on:
            if not rows.end_draft(on, change_id, "discarded", who, datetime.now(UTC)):
                raise CannotChangeVocabulary(_GONE)

    def publish(self, change_id: str, who: str) -> int:
        """Put a draft in force for everybody; returns the number of the version.

        Raises:
            NotPermitted: this person may not.
            BadVocabulary: it does not fit any more.
            CannotChangeVocabulary: what it changes was changed meanwhile, or it waits no more.
        """
        self._permit(who)
        draft = self._draft(change_id, who)
        with self._version() as (on, number, published):
            model = self.model_with(published)
            if conflicts(draft.edits, model):
                raise CannotChangeVocabulary("What this changes was changed by somebody else since. See both first.")
            self._judge(draft.edits, who, model)
            whole = over(self.base, composed(published, draft.edits), draft.edits)
            if not rows.end_draft(on, change_id, "published", who, datetime.now(UTC), number=number, published=whole):
                raise CannotChangeVocabulary(_GONE)
        return self._in_force_now(number, whole)

    def roll_back(self, to: int, who: str) -> int:
        """Put an earlier version in force again, 0 for the bank's file alone, as a new version."""
        self._permit(who)
        earlier = next((one.published for one in self.versions() if one.number == to), None if to else ())
        if earlier is None:
            raise CannotChangeVocabulary(f"There is no version {to}.")
        with self._version() as (on, number, published):
            target, now = self.model_with(earlier), self.model_with(published)
            edits = differences(now, target, (*published, *earlier))
            if not edits:
                raise CannotChangeVocabulary("That is what is in force.")
            self._add_version(on, number, edits, earlier, f"Back to version {to}" if to else "Back to the file", who)
        return self._in_force_now(number, earlier)

    def settle(self, place: tuple[str, str, str], who: str, *, by_file: bool) -> int:
        """Decide between the file, which has changed, and what is published over it."""
        self._permit(who)
        with self._version() as (on, number, published):
            kept = tuple(one for one in published if one.place != place)
            touched = [one for one in published if one.place == place]
            if not touched:
                raise CannotChangeVocabulary(_GONE)
            whole = kept if by_file else (*kept, *based_on(touched, self.base))
            edits = differences(self.model_with(published), self.model_with(whole), touched)
            note = "The file's, as it is now" if by_file else "Kept over the file, which has changed"
            self._add_version(on, number, edits, whole, note, who)
        return self._in_force_now(number, whole)

    def _judge(self, edits: Sequence[Edit], who: str, model: SemanticModel) -> None:
        if not edits:
            raise CannotChangeVocabulary("Nothing is changed.")
        if len(edits_to_text(edits)) > _MOST_EDIT_CHARS:
            raise CannotChangeVocabulary("That is too much for one proposal.")
        if any(edit.opens for edit in edits):
            self._permit(who)
        check_edits(model, edits, self._catalogue)

    def _permit(self, who: str) -> None:
        if not self.permissions.allow(who):
            raise NotPermitted(f"{who} is not among those who may publish the vocabulary")

    def _draft(self, change_id: str, who: str) -> VocabularyChange:
        found = next((one for one in self.drafts(who) if one.id == change_id), None)
        if found is None:
            raise CannotChangeVocabulary(_GONE)
        return found

    def _version(self) -> _NewVersion:
        return _NewVersion(self._store(), self._database)

    def _add_version(
        self, on: Connection, number: int, edits: Sequence[Edit], whole: Sequence[Edit], note: str, who: str
    ) -> None:
        now = datetime.now(UTC)
        change = VocabularyChange(
            uuid.uuid4().hex, "published", tuple(edits), note, who, now, number, tuple(whole), who, now
        )
        rows.add(on, self._database, change)

    def _in_force_now(self, number: int, edits: Sequence[Edit]) -> int:
        self._number, self._checked_at = number, time.monotonic()
        self._keep_copy(edits)
        return number

    def _keep_copy(self, edits: Sequence[Edit]) -> None:
        try:
            self._copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._copy.write_text(edits_to_text(edits), encoding="utf-8")
        except OSError as fault:
            _log.warning("no copy of the published vocabulary could be kept: %s", fault)

    def _copied(self) -> tuple[Edit, ...]:
        try:
            return edits_from_text(self._copy.read_text(encoding="utf-8"))
        except FileNotFoundError:
            kept = with_doubtful_kept_back(self.base)
            return tuple(
                Edit("column", f"{dataset.name}.{item.name}", "sensitive", False, True)
                for dataset in kept.datasets
                for item in dataset.fields
                if item.sensitive and not self.base.dataset(dataset.name).field(item.name).sensitive
            )
        except (OSError, ValueError, TypeError) as fault:
            raise StoreUnavailable(f"neither the store nor its copy tell the published vocabulary: {fault}") from None


class _NewVersion:
    """One transaction that adds the version after the newest; who comes second is told so."""

    def __init__(self, store: Store, database: str) -> None:
        self._writing = store.writing()
        self._database = database

    def __enter__(self) -> tuple[Connection, int, tuple[Edit, ...]]:
        on = self._writing.__enter__()
        newest = rows.latest(on, self._database)
        return (on, (newest.number or 0) + 1, newest.published) if newest is not None else (on, 1, ())

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            self._writing.__exit__(kind, error, trace)  # type: ignore[arg-type]
        except IntegrityError:
            raise CannotChangeVocabulary("Somebody else published at the same moment. Look again.") from None
