"""The bank's databases: opened for reading only, asked within limits.

The names are loaded when they are first used: every worker process passes through here, and starts in half the time
without what only its owner needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backend.databases.database import Database as Database
    from backend.databases.limits import DatabaseLimits as DatabaseLimits
    from backend.databases.opening import open_database as open_database
    from backend.databases.role_check import excess_rights as excess_rights

_HOMES = {
    "Database": "database",
    "DatabaseLimits": "limits",
    "open_database": "opening",
    "excess_rights": "role_check",
}

__all__ = ["Database", "DatabaseLimits", "excess_rights", "open_database"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
