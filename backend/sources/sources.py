"""The one place that says which databases a person may ask, and opens the one that is asked."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_engine.errors import AssistantError, BadConfiguration, UnknownSource
from ai_engine.model_use import LOCAL
from backend.configuration.changed_settings import ChangedSettings
from backend.configuration.database_rights import results_folder
from backend.configuration.person_formats import PersonFormats
from backend.databases.address import parse_address
from backend.kept_results.folder import forget_other_sources
from backend.settings import Settings
from backend.sources.opened import OpenSources
from backend.sources.source import Source, name_of
from backend.sources.source_file import read_sources
from backend.store import SharedStore, column_answers, open_store
from backend.uploads.own_data import own_source
from backend.vocabulary.reading import Progress, unheard

if TYPE_CHECKING:
    from backend.service import Assistant

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Known:
    """What the settings say, read once."""

    settings: Settings
    named: tuple[Source, ...]
    opened: OpenSources
    store: SharedStore
    changes: ChangedSettings
    formats: PersonFormats


class Sources:
    """The named sources of one installation; safe to share between threads.

    Args:
        settings: read when they are first needed; their database is the first source.
        open_assistant: opens one for settings whose database and vocabulary are those of a source, tells meanwhile, and
            is given the name of the source.
        renewed: as in `OpenSources`.
    """

    def __init__(
        self, settings: Callable[[], Settings], open_assistant: Callable[[Settings, Progress, str], Assistant],
        renewed: Callable[[Assistant], Assistant] = lambda earlier: earlier,
    ) -> None:  # fmt: skip
        self._read_settings = settings
        self._open_assistant = open_assistant
        self._renewed = renewed
        self._lock = threading.Lock()
        self._known: _Known | None = None

    @property
    def settings(self) -> Settings:
        """As they were first read, with what was changed since.

        Raises:
            BadConfiguration: the settings or the file of sources are wrong.
        """
        known = self._read()
        return known.changes.over(known.settings)

    @property
    def base_settings(self) -> Settings:
        """As they were first read, whatever was changed since."""
        return self._read().settings

    @property
    def changes(self) -> ChangedSettings:
        """What is changed while the app runs; raises what `settings` does."""
        return self._read().changes

    @property
    def formats(self) -> PersonFormats:
        """How each person wants figures and days written; raises what `settings` does."""
        return self._read().formats

    def of(self, who: str) -> tuple[Source, ...]:
        """Return those that a person may ask, the environment's first and what they have brought themselves last.

        Raises what `settings` does.
        """
        known = self._read()
        own = own_source(known.settings, who)
        return (*(source for source in known.named if source.allows(who)), *((own,) if own is not None else ()))

    def named(self, name: str | None, who: str) -> Source:
        """Return a source that a person may ask; the first without a name.

        Raises:
            UnknownSource: there is none of that name, or not for this person, which is not told apart.
        """
        found = next((source for source in self.of(who) if name in (None, source.name)), None)
        if found is None:
            raise UnknownSource(name or "")
        return found

    def assistant(self, name: str | None = None, who: str = LOCAL, told: Progress = unheard) -> Assistant:
        """Return the assistant of a source, opened on first use; `told` hears what is done then.

        Raises:
            UnknownSource: as `named`.
            AssistantError: this source cannot be opened; the others are none the worse for it.
        """
        source = self.named(name, who)
        settings = self.settings_of(source)
        try:
            return self._read().opened.get(
                (source, settings), lambda: self._open_assistant(settings, told, source.name)
            )
        except AssistantError as fault:
            _log.error("the source %s cannot be opened: %s", source.name, fault)
            raise

    def is_open(self, name: str | None, who: str) -> bool:
        """Tell whether its assistant is there already; raises what `named` does."""
        source = self.named(name, who)
        return self._read().opened.has((source, self.settings_of(source)))

    def settings_of(self, source: Source) -> Settings:
        """Return the settings under which a source is opened."""
        settings = self.settings
        if source.folder is not None:  # what is learnt of it goes when it goes, and no file of others describes it
            private = {"cache_dir": source.folder / "cache", "vocabulary_file": None, "dictionary_file": None}
            return settings.model_copy(update={"database_url": source.url, **private})
        if source == self._read().named[0]:
            return settings
        return settings.model_copy(
            update={
                "database_url": source.url, "vocabulary_file": source.vocabulary_file, "dictionary_file": None,
            }
        )  # fmt: skip

    def close_one(self, name: str, who: str) -> None:
        """Close a source, so that nothing holds its file; who asks it next has it opened anew."""
        for source in self.of(who):
            if source.name == name:
                self._read().opened.close((source, self.settings_of(source)))

    def forget_answers(self, name: str, who: str) -> None:
        """Drop what was said of a source's columns, which is about to be removed; StoreUnavailable as ever."""
        with self._read().store.get().writing() as connection:
            column_answers.forget(connection, self.named(name, who).kept_as)

    def close(self) -> None:
        """Close all; what is asked next is opened anew, under settings that are read anew."""
        with self._lock:
            known, self._known = self._known, None
        if known is not None:
            known.opened.close()
            known.store.close()

    def _read(self) -> _Known:
        with self._lock:
            if self._known is None:
                settings = self._read_settings()
                first = name_of(settings.database_url)
                named = (
                    Source(
                        first, first.replace("_", " ").capitalize(), settings.database_url, settings.vocabulary_file
                    ),
                    *(read_sources(settings.sources_file, first) if settings.sources_file is not None else ()),
                )
                forget_other_sources(results_folder(settings), _kept_of(named) if settings.result_cache_mb else ())
                opened = OpenSources(settings.max_open_sources, settings.source_idle_close_s, renewed=self._renewed)
                store = SharedStore(lambda: open_store(settings))
                self._known = _Known(
                    settings, named, opened, store, ChangedSettings(store.get), PersonFormats(store.get)
                )
            return self._known


def _kept_of(sources: Iterable[Source]) -> Iterator[str]:
    """Yield what results of these sources are kept under; one whose address is wrong has none."""
    for source in sources:
        with suppress(BadConfiguration):
            yield parse_address(source.url).identity
