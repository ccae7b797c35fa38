"""One opened database: what it holds, and how to ask it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ai_engine.catalogue import Catalogue, Dialect
from backend.databases.address import without_person
from backend.databases.file_state import DataVersion
from backend.databases.hidden_columns import HiddenColumns

if TYPE_CHECKING:
    from ai_engine.ports import QueryRunner  # loads the guard and its parser, which no worker needs
    from backend.databases.runner import Load


@dataclass(frozen=True)
class Database:
    """Open until closed; safe to share between threads.

    Attributes:
        url_shown: the address for people, its password masked.
        identity: what tells it from every other database, and from itself as others see it; holds no secret.
        dialect: what its SQL is written in.
        catalogue: the tables as they were when it was opened.
        runner: runs reads.
    """

    url_shown: str
    identity: str
    dialect: Dialect
    catalogue: Catalogue
    runner: QueryRunner
    _without: Callable[[HiddenColumns], QueryRunner] = field(repr=False)
    _fingerprint: Callable[[], str] = field(repr=False)
    _outdated: Callable[[], bool] = field(repr=False)
    _close: Callable[[], None] = field(repr=False)
    _load: Callable[[], Load] = field(repr=False)
    own_role: bool = True
    """Its rights are those of a role that is ours; behind an MCP server there is one that nobody can be asked about."""

    _version: Callable[[], DataVersion | None] = field(default=lambda: None, repr=False)

    @property
    def data_version(self) -> DataVersion | None:
        """What changes with every write to the data, cheap enough for every statement; None where nothing tells it.

        A server does not, nor does a file that is gone.
        """
        return self._version()

    @property
    def place(self) -> str:
        """The address without the role that asks there."""
        return without_person(self.url_shown)

    def without(self, hidden: HiddenColumns) -> QueryRunner:
        """Return a runner that the engine itself keeps from these columns: SQLite's authorizer, DuckDB's views.

        A server's role has rights of its own; PostgreSQL is kept from telling of these columns by the order of rows.
        """
        return self._without(hidden)

    @property
    def fingerprint(self) -> str:
        """Text that is the same for the same content only, as far as that can be told.

        For a file the digest of its bytes, wherever it lies, and for one too large for that its path, size and times of
        change; for a server its address and the schema as it was opened, which know nothing of its rows.
        """
        return self._fingerprint()

    @property
    def outdated(self) -> bool:
        """True when what was read at the opening no longer holds, and the database is to be opened anew.

        That is a file with other tables, another file in its place, or a DuckDB file with other content, as it has one
        writer at a time and is loaded as a whole. It is never true for a server, which is asked for its tables once.
        """
        return self._outdated()

    @property
    def load(self) -> Load:
        """How many statements wait now, and how many workers had to be replaced."""
        return self._load()

    def close(self) -> None:
        """End the worker processes; statements that still run come to their end."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
