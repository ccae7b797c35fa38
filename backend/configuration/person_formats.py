"""How each person wants figures and days written: chosen on the settings page, in effect at once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from ai_engine.errors import AssistantError
from ai_engine.formats import Formats
from backend.store import person_formats as rows
from backend.store.opening import Store

_log = logging.getLogger(__name__)
_LOOK_AGAIN_S = 2.0
_REST_S = 30.0
"""A store that is away is left alone for so long, as every page looks here."""
_MOST_PEOPLE = 10_000


class PersonFormats:
    """Looks in the store every two seconds at most per person; while that is away, what was last known counts.

    Args:
        store: opens the app's store, or gives it where it is open.
        clock: seconds, never going back.
    """

    def __init__(self, store: Callable[[], Store], clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, tuple[float, Formats]] = {}

    def of(self, person: str) -> Formats:
        """Return a person's choice, without a currency; never raises."""
        now = self._clock()
        look_at, known = self._known.get(person, (now, Formats()))
        if now < look_at:
            return known
        try:
            with self._store().reading() as connection:
                known = rows.chosen(connection, person)
        except AssistantError as fault:
            _log.warning("formats of a person cannot be looked up: %s", fault)
            self._remember(person, now + _REST_S, known)
        else:
            self._remember(person, now + _LOOK_AGAIN_S, known)
        return known

    def choose(self, person: str, formats: Formats) -> None:
        """Keep a person's choice; StoreUnavailable where it could not be kept."""
        with self._store().writing() as connection:
            rows.choose(connection, person, formats)
        self._remember(person, self._clock() + _LOOK_AGAIN_S, formats)

    def _remember(self, person: str, look_at: float, formats: Formats) -> None:
        with self._lock:
            if len(self._known) >= _MOST_PEOPLE and person not in self._known:
                self._known.clear()
            self._known[person] = (look_at, formats)
