"""What the agent needs from outside: HTTP calls, and the tokens that go with them."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ai_engine.specialists.api_docs.catalogue import ApiCatalogue


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One call; `url` is whole, without a query. `headers` may hold a secret and are told to nobody."""

    method: str
    url: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json_body: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What came back; `url` is what was asked for, query included, and `body` is text."""

    status: int
    url: str
    content_type: str
    body: str
    elapsed_ms: float


class HttpCalls(Protocol):
    """Makes calls to permitted services, and to none beside them."""

    async def send(self, request: HttpRequest, *, stop: threading.Event, deadline: float) -> HttpResponse:
        """Return what the service said, whatever its status; within a second once `stop` is set.

        Args:
            request: the call.
            stop: ends it.
            deadline: the latest moment, as `time.monotonic` counts.

        Raises:
            ApiCallRefused: the address is not permitted, also once its name is resolved, or it redirects.
            ApiCallFailed: unreachable, too slow, or more bytes than allowed.
            QueryStopped: `stop` was set.
        """
        ...


class ApiTokens(Protocol):
    """Knows the bearer token of a service."""

    async def bearer(
        self, url: str, context: Mapping[str, Any], *, rejected: str | None, stop: threading.Event
    ) -> str | None:
        """Return the token for calls of `url`; None where there is none for it.

        Args:
            url: where the call goes; a token never goes to a host that it does not belong to.
            context: the request's; may name a token or the credentials for one.
            rejected: the token that the service has just refused; another one is wanted.
            stop: ends it.

        Raises:
            ApiCallFailed: the identity service gave none.
            QueryStopped: `stop` was set.
        """
        ...


@dataclass(frozen=True, slots=True)
class ApiServices:
    """What the API agent reaches outside.

    Attributes:
        catalogue: the services that it knows.
        base_url: where they live, by setting; a request's context may name another permitted place.
        timeout_s: longest call.
    """

    catalogue: ApiCatalogue
    calls: HttpCalls
    tokens: ApiTokens
    base_url: str | None = None
    timeout_s: float = 30.0
