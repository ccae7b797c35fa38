"""Why a call of another program's tool came to nothing, in our own words: what the SDK says may quote anything."""

from __future__ import annotations

from typing import Protocol

import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from ai_engine.tools import ErrorKind

TOO_MANY_PARTS = -32098
"""Stands in the place of a reply that was left."""
_PASSING_STATUS = frozenset({408, 425, 429, 502, 503, 504})


class CallFault(Exception):
    """One attempt failed.

    Attributes:
        transient: trying again may help.
        unsent: the server cannot have begun with the call.
        server: the fault is the server's as a whole, not that of one call.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        transient: bool = False,
        unsent: bool = False,
        server: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.transient = transient
        self.unsent = unsent
        self.server = server


class Wire(Protocol):
    """What is known of a connection besides what the SDK tells.

    Attributes:
        refused: why what came was not read on.
        status: of an HTTP reply that says "no"; 0 for none.
    """

    @property
    def refused(self) -> str | None: ...  # noqa: D102
    @property
    def status(self) -> int: ...  # noqa: D102


def fault_of(error: BaseException, wire: Wire | None, *, sent: bool) -> CallFault:
    """Translate whatever came out of a session.

    Args:
        error: may be a group of several.
        wire: None where there was no connection yet.
        sent: the call itself was handed over to the connection.
    """
    first = _first(error)
    if isinstance(first, CallFault):
        return first
    if wire is not None and wire.refused is not None:
        return CallFault("connection", wire.refused, server=True, unsent=not sent)
    if isinstance(first, httpx2.ConnectError | httpx2.ConnectTimeout | FileNotFoundError | PermissionError):
        return CallFault("connection", "the server cannot be reached", transient=True, unsent=True, server=True)
    status = wire.status if wire is not None else 0
    if status:
        passing = status in _PASSING_STATUS
        words = f"the server answers with HTTP {status}"
        return CallFault("connection", words, transient=passing, unsent=not sent, server=passing or not sent)
    if isinstance(first, MCPError) and first.code == TOO_MANY_PARTS:
        return CallFault("validation", "the server's reply has more parts than are read", unsent=not sent)
    if isinstance(first, MCPError) and first.code != CONNECTION_CLOSED:
        return CallFault("execution", f"the server refuses with code {first.code}", unsent=not sent)
    if isinstance(first, TimeoutError):
        return CallFault("timeout", "the server does not answer", transient=True, unsent=not sent, server=True)
    if isinstance(first, MCPError | httpx2.TransportError | OSError):
        words = "the connection to the server was lost"
        return CallFault("connection", words, transient=True, unsent=not sent, server=True)
    if isinstance(first, ValidationError | ValueError | RuntimeError):
        return CallFault("validation", "the server's reply has another shape than the protocol", unsent=not sent)
    return CallFault("execution", f"the call failed: {type(first).__name__}", unsent=not sent)


def _first(error: BaseException) -> BaseException:
    """Find the one that says most in a group of them."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    found = [_first(part) for part in error.exceptions]
    return next((part for part in found if isinstance(part, CallFault)), found[0])
