"""What the DB-API 2 client of a warehouse is asked for, and what is the same in all of them.

Each connects with TLS unless the address says otherwise, sets what a statement of the guard relies on, and cancels.
"""

from __future__ import annotations

import contextlib
from typing import Any, ClassVar

from ai_engine.column_types import column_type
from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.dbapi_faults import Faults, fault_of
from backend.databases.engine import EngineFault, EngineStart

AFTER_DEADLINE_S = 0.5  # the owner ends the statement at the deadline; the server's own end comes behind it
APP = "banking-assistant"
_PLAIN = frozenset({"false", "0", "no"})


class Client:
    """One connection of a DB-API 2 client.

    Attributes:
        errors: what the client raises.
        codes: what its engine's codes mean.
    """

    codes: ClassVar[Faults]
    errors: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, start: EngineStart) -> None:
        self.start = start
        self.location = start.location
        self.connection: Any = None
        self.cursor: Any = None
        try:
            self.connect()
        except self.errors as error:
            raise EngineFault("unavailable", f"cannot connect: {self._said(error)}") from error

    def connect(self) -> None:
        """Open `connection`, and set what a statement relies on."""
        raise NotImplementedError

    def begin(self, timeout_s: float) -> None:
        """Make ready for a statement that has this long."""

    def ask(self, sql: str) -> Any:
        """Run a statement, and return a cursor with its description."""
        self.cursor = self.connection.cursor()
        self.cursor.execute(sql)  # without parameters, so that no % in it means anything
        return self.cursor

    def cost(self, _sql: str) -> ScanEstimate:
        """Return what the engine tells of a statement that is not run."""
        return ScanEstimate()

    def cancel(self) -> None:
        """End the running statement, from another thread."""
        raise NotImplementedError

    def drop(self) -> None:
        """Leave rows that were not fetched."""

    def end(self) -> None:
        """End the transaction; nothing that a statement did stays."""
        self.connection.rollback()

    def close(self) -> None:
        """Leave the server."""
        with contextlib.suppress(*self.errors):
            self.connection.close()

    def kind(self, column: Any) -> ColumnType | None:
        """Return the type of a column that the client described, None where its values are to tell."""
        return column_type(str(column[1]))

    def told(self, error: Exception) -> tuple[str, str]:
        """Return the code of an error, and what the server said."""
        raise NotImplementedError

    def fault(self, error: Exception) -> EngineFault:
        """Say an error in our words."""
        if isinstance(error, OSError):
            return EngineFault("unavailable", "the connection was lost")
        return fault_of(self.codes, *self.told(error))

    def run(self, *statements: str) -> None:
        """Run statements that set the session up."""
        with contextlib.closing(self.connection.cursor()) as cursor:
            for statement in statements:
                cursor.execute(statement)

    @property
    def tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.location.get("tls", "true").lower() not in _PLAIN

    @property
    def timezone(self) -> str:
        """The zone in which moments are told and days begin.

        Raises:
            EngineFault: it is written with what no name of a zone has.
        """
        zone = self.location.get("timezone", "UTC")
        if not all(part.isalnum() or part in "_+-/:" for part in zone):
            raise EngineFault("unavailable", f"there is no time zone {zone!r}: write one as Asia/Kolkata")
        return zone

    def _said(self, error: Exception) -> str:
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        secret = self.location["password"]
        return said.replace(secret, "***") if secret else said
