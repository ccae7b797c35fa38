"""Names of the guard's own making."""

from __future__ import annotations

from ai_engine.catalogue import Catalogue

_FIRST = "q_"


def unused_prefix(sql: str, catalogue: Catalogue) -> str:
    """How the guard's own names begin: letters that occur neither in the statement nor in a name of the catalogue."""
    written = sql.lower()
    prefix = _FIRST
    while prefix in written or prefix in catalogue.names:
        prefix = f"q{prefix}"
    return prefix
