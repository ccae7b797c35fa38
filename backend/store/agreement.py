"""How often the built-in reader and the language model came to the same rows, for each state of a database's tables."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import Column, Integer, String, Table, Text, insert, select, update
from sqlalchemy.exc import IntegrityError

from ai_engine.catalogue import Catalogue
from ai_engine.errors import AssistantError
from backend.store.opening import Store
from backend.store.schema import METADATA, UtcTime

_log = logging.getLogger(__name__)

AGREEMENT = Table(
    "reader_agreement",
    METADATA,
    Column("database", Text, primary_key=True),
    Column("tables", String(32), primary_key=True),
    Column("agreed", Integer, nullable=False),
    Column("compared", Integer, nullable=False),
    Column("since", UtcTime(), nullable=False),
)


class KeptAgreement:
    """Implements `Agreement` on the store, for all processes; a store that is away trusts nobody and fails nothing.

    Args:
        store: opens the store, or gives it where it is open.
        database: what it is kept under.
        catalogue: other tables begin anew, as the rules may read them worse.
        min_percent: of comparisons that agreed, for the rules to read alone.
        min_compared: fewer comparisons say nothing.
    """

    def __init__(
        self, store: Callable[[], Store], database: str, catalogue: Catalogue, min_percent: float, min_compared: int
    ) -> None:
        self._store = store
        self._row = (AGREEMENT.c.database == database) & (
            AGREEMENT.c.tables == (tables := hashlib.sha256(repr(catalogue.tables).encode()).hexdigest()[:32])
        )
        self._first = {"database": database, "tables": tables}
        self._min_percent = min_percent
        self._min_compared = min_compared

    @property
    def counted(self) -> tuple[int, int]:
        """How many comparisons agreed, and how many there were; raises StoreUnavailable."""
        with self._store().reading() as on:
            found = on.execute(select(AGREEMENT.c.agreed, AGREEMENT.c.compared).where(self._row)).first()
        return (found.agreed, found.compared) if found else (0, 0)

    @property
    def trusted(self) -> bool:
        """See Agreement."""
        try:
            agreed, compared = self.counted
        except AssistantError as fault:
            _log.warning("the agreement of the readers cannot be looked up: %s", fault)
            return False
        return compared >= self._min_compared and agreed * 100 >= compared * self._min_percent

    def note(self, *, agreed: bool) -> None:
        """See Agreement."""
        try:
            if not self._added(agreed):
                self._begun(agreed)
        except AssistantError as fault:
            _log.warning("the agreement of the readers cannot be kept: %s", fault)

    def _added(self, agreed: bool) -> bool:
        counts = {"agreed": AGREEMENT.c.agreed + int(agreed), "compared": AGREEMENT.c.compared + 1}
        with self._store().writing() as on:
            return on.execute(update(AGREEMENT).where(self._row).values(**counts)).rowcount == 1

    def _begun(self, agreed: bool) -> None:
        try:
            with self._store().writing() as on:
                first = {"agreed": int(agreed), "compared": 1, "since": datetime.now(UTC)}
                on.execute(insert(AGREEMENT).values(**self._first, **first))
        except IntegrityError:  # another process was the first
            self._added(agreed)
