"""A loopback server that speaks Trino's statement protocol in front of DuckDB: no Trino can be started here.

What is faithful is the protocol (pages behind `nextUri`, states, cancellation, sessions, transactions, errors by name)
and the description of tables; what a statement means is what DuckDB makes of its translation.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.loopback_server import serving
from tests.trino_server.coordinator import CATALOG, SCHEMA, Behaviour, Coordinator
from tests.trino_server.protocol import application

__all__ = ["Behaviour", "Coordinator", "serving_trino", "url_of"]

_PLAIN = Behaviour()


@contextmanager
def serving_trino(
    file: Path, behaviour: Behaviour = _PLAIN, *, partitions: dict[str, str] | None = None
) -> Iterator[tuple[str, Coordinator]]:
    """Serve a DuckDB file as `lake.bank`, and give the address and what can be asked of the server itself."""
    coordinator = Coordinator(file, behaviour, partitions or {})
    try:
        with serving(application(coordinator)) as address:
            yield url_of(address), coordinator
    finally:
        coordinator.close()


def url_of(address: str, person: str = "analyst") -> str:
    """The database URL of a server at this HTTP address."""
    return f"trino://{person}@{address.removeprefix('http://')}/{CATALOG}/{SCHEMA}"
