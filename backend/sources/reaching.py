"""Says whether a data source can be asked, and exactly what stands in the way where it cannot."""

from __future__ import annotations

import socket
import ssl
import time
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ai_engine.errors import AssistantError, BadConfiguration
from backend.configuration.database_limits import database_limits
from backend.databases import open_database
from backend.databases.address import FileAddress, ServerAddress, parse_address
from backend.databases.server_kinds import SERVER_KINDS
from backend.settings import Settings

Finding: TypeAlias = Literal[
    "reached", "address wrong", "file missing", "file of another kind", "file unreadable", "driver missing",
    "name not resolved", "port refused", "no answer", "TLS", "password", "database missing", "no right to read",
    "nothing to read", "failed",
]  # fmt: skip
_TLS_WORDS = ("ssl", "tls", "certificate")
_PASSWORD_WORDS = (
    "password authentication failed",
    "no password supplied",
    "access denied for user",
    "pg_hba.conf",
    "role ",
)
_MISSING_WORDS = ("unknown database",)
_DENIED_WORDS = ("permission denied", "command denied", "access denied")


@dataclass(frozen=True, slots=True)
class Tested:
    """What came of it.

    Attributes:
        said: a sentence for people, without password.
        tables: that can be read.
    """

    finding: Finding
    said: str
    elapsed_ms: float
    tables: int = 0


def try_source(settings: Settings, url: str) -> Tested:
    """Go the way to a database step by step, within the time for a connection; never raises, changes nothing."""
    began = time.perf_counter()
    finding, said, tables = _steps(settings, url)
    return Tested(finding, said, (time.perf_counter() - began) * 1_000, tables)


def _steps(settings: Settings, url: str) -> tuple[Finding, str, int]:
    try:
        address = parse_address(url)
    except BadConfiguration as fault:
        return _of_address(str(fault)), f"{str(fault)[:1].upper()}{str(fault)[1:]}.", 0
    if isinstance(address, ServerAddress):
        met = _met(address, min(settings.database_connect_timeout_s, 5.0))
        if met is not None:
            return *met, 0
    try:
        with open_database(url, database_limits(settings)) as database:
            count = len(database.catalogue.tables)
    except AssistantError as fault:
        return *_of_fault(str(fault), address), 0
    except Exception as fault:  # noqa: BLE001 - a test of a connection says what is wrong, whatever it is
        return "failed", f"It failed ({type(fault).__name__}).", 0
    if not count:
        return "nothing to read", "It was reached, but there is no table that this role may read.", 0
    shown = address.path.name if isinstance(address, FileAddress) else address.shown
    return "reached", f"{shown} was reached; {count:,} table{'s' * (count != 1)} can be read.", count


def _of_address(said: str) -> Finding:
    if "no database file" in said:
        return "file missing"
    if "cannot be read:" in said and "file" in said:
        return "file unreadable"
    return "file of another kind" if "neither a SQLite" in said or " is a " in said else "address wrong"


def _met(address: ServerAddress, timeout_s: float) -> tuple[Finding, str] | None:
    """Look for the driver, the name and the port, before any password is sent; None where all are there."""
    kind = SERVER_KINDS[address.dialect]
    if not kind.is_installed:
        return "driver missing", f"The package {kind.package} is not installed, which speaks to this kind of server."
    if not address.port:
        return None
    if dict(address.options).get("unix_socket") or address.host.startswith("/"):
        return None
    try:
        places = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError:
        return "name not resolved", f"The name {address.host} is known to no name server. Is it spelled right?"
    try:
        socket.create_connection((str(places[0][4][0]), address.port), timeout=timeout_s).close()
    except ConnectionRefusedError:
        return "port refused", f"{address.host} refuses connections at port {address.port}. Is the server running?"
    except OSError:
        return (
            "no answer",
            f"{address.host} gave no answer at port {address.port} in {timeout_s:g} s (a firewall?).",
        )
    return None


def _of_fault(said: str, address: object) -> tuple[Finding, str]:
    """Tell from what the server said; its own sentence follows, which never has the password."""
    low = said.lower()
    reason = said.partition(": ")[2] or said
    database = address.database if isinstance(address, ServerAddress) else ""
    user = address.user if isinstance(address, ServerAddress) else ""
    if ("database" in low and "does not exist" in low) or any(words in low for words in _MISSING_WORDS):
        return "database missing", f"The server has no database {database!r}."
    if ("to database" in low and "access denied" in low) or "permission denied for database" in low:
        return "no right to read", f"The role {user!r} may not read the database {database!r}."
    if any(words in low for words in _PASSWORD_WORDS):
        return "password", f"The server does not let {user!r} in: name or password is wrong."
    if any(words in low for words in _TLS_WORDS) or isinstance(address, ssl.SSLError):
        return "TLS", f"The connection could not be secured: {reason}."
    if any(words in low for words in _DENIED_WORDS):
        return "no right to read", f"The role {user!r} may not read it: {reason}."
    return "failed", f"{reason[:300]}."
