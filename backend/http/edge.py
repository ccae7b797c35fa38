"""What every request passes before the page or the API sees it: its names, its length, and the headers of the reply."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ai_engine.errors import ServerStopping
from ai_engine.json_parts import TooManyParts, read_json
from backend.http.life_cycle import LifeCycle
from backend.http.security_headers import SecurityHeaders
from backend.settings import Settings

Refuse = Callable[[int, str], Response]

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_KILOBYTE = 1024
_RETRY_AFTER_S = "5"
_MOST_PARTS = 5_000
"""Of a body: names, values, lists and objects."""
_MARKS = (b",", b"[", b"{")
_MOST_LEVELS = 64
"""Of lists and objects in each other; what is written of a thousand fails in the middle of a reply."""
_PART_OF_WHAT_RUNS = re.compile(r"/chat/[^/]+/(respond|events)|/(static|media|component)/.*")
_MCP_PATH = "/mcp"
_UPLOAD_PATH = "/_stcore/upload_file/"
_WRONG_NAME = (
    "This server does not answer under the name of the Host header. If it should, list the name in BANK_ALLOWED_HOSTS."
)
LONGEST_NAME_CHARS = 200
"""Of the name of who asks."""
_HOST = re.compile(r"([\w.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_TWO_ASKERS = (
    f"The header that says who asks has to stand once, with at most {LONGEST_NAME_CHARS} characters and no control "
    "characters."
)
_WRONG_ORIGIN = (
    "This server does not answer requests from pages of another origin. If it should, list its name in "
    "BANK_ALLOWED_HOSTS."
)


def in_words(status: int, sentence: str) -> Response:
    """Refuse in plain text."""
    return PlainTextResponse(sentence, status)


def edge(
    settings: Settings, bound_host: str, content_policy: str, life: LifeCycle, refuse: Refuse = in_words,
    *, takes_files: bool = False,
) -> list[Middleware]:  # fmt: skip
    """Return the middleware of page and API, outermost first.

    Args:
        settings: `allowed_hosts`, `user_header` and `http_max_body_kb`.
        bound_host: the name or address that was asked to listen on.
        content_policy: the Content-Security-Policy of every reply.
        life: says whether the server is ending.
        refuse: makes the reply of a status and a sentence.
        takes_files: files of `upload_max_file_mb` are taken, as the page does.
    """
    listed = frozenset(name.strip().lower() for name in (settings.allowed_hosts or "").split(",") if name.strip())
    return [
        Middleware(SecurityHeaders, content_policy=content_policy),
        Middleware(Draining, life=life, refuse=refuse),
        Middleware(KnownNames, names=_LOOPBACK | {bound_host.lower()} | listed, listed=listed, refuse=refuse),
        Middleware(OneAsker, header=settings.user_header or "", refuse=refuse),
        Middleware(
            BoundedBody,
            max_kb=settings.http_max_body_kb,
            refuse=refuse,
            max_upload_mb=settings.upload_max_file_mb if takes_files else None,
        ),
    ]


class Draining:
    """ASGI middleware that counts requests, and refuses new ones while the server ends.

    What belongs to a request under way is still let in: a response to its question, a reader who comes back, scripts
    and pictures of an answer that a page is being sent. A web socket is not waited for, since a page keeps its own for
    as long as it is open.
    """

    def __init__(self, app: ASGIApp, *, life: LifeCycle, refuse: Refuse) -> None:
        self._app = app
        self._life = life
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, or refuse with the time after which another server may answer."""
        if scope["type"] != "http":
            if scope["type"] == "websocket" and self._life.is_stopping:
                await send({"type": "websocket.close", "code": 1012, "reason": ""})
                return
            await self._app(scope, receive, send)
            return
        if self._life.is_stopping and not _PART_OF_WHAT_RUNS.fullmatch(scope["path"]):
            refusal = self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, ServerStopping.user_message)
            refusal.headers["Retry-After"] = _RETRY_AFTER_S
            await refusal(scope, receive, send)
            return
        if scope["method"] == "GET" and scope["path"] == _MCP_PATH:  # stands open for as long as the client does
            await self._app(scope, receive, send)
            return
        self._life.requests += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._life.requests -= 1


class KnownNames:
    """ASGI middleware against DNS rebinding and pages of other origins: answers only under names it knows.

    Known are `names` and the address that the connection came in on, which no name server can give away. A request
    that says its origin must come from where it goes, or from a name of `listed`: behind a proxy the two differ.
    """

    def __init__(self, app: ASGIApp, *, names: frozenset[str], listed: frozenset[str], refuse: Refuse) -> None:
        self._app = app
        self._names = names
        self._listed = listed
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is addressed to us, refuse the rest; a web socket is closed before it opens."""
        refusal = self._fault(scope) if scope["type"] in {"http", "websocket"} else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            await self._refuse(*refusal)(scope, receive, send)

    def _fault(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        here = str((scope.get("server") or ("",))[0]).lower()
        if _name_in(host) not in self._names | ({here} if here else set()):
            return HTTPStatus.MISDIRECTED_REQUEST, _WRONG_NAME
        if not all(self._is_own(origin, host) for origin in headers.getlist("origin")):
            return HTTPStatus.FORBIDDEN, _WRONG_ORIGIN
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        try:
            told = urlsplit(origin)
            return told.netloc.lower() == host.lower() or (told.hostname or "") in self._listed
        except ValueError:
            return False


class OneAsker:
    """ASGI middleware that refuses a request whose header of who asks stands twice, is too long or cannot be seen."""

    def __init__(self, app: ASGIApp, *, header: str, refuse: Refuse) -> None:
        self._app = app
        self._header = header
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what says once who asks, or not at all."""
        told = Headers(scope=scope).getlist(self._header) if self._header and "headers" in scope else []
        if len(told) <= 1 and all(len(name) <= LONGEST_NAME_CHARS and not _CONTROL.search(name) for name in told):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            await self._refuse(HTTPStatus.BAD_REQUEST, _TWO_ASKERS)(scope, receive, send)


class BoundedBody:
    """ASGI middleware that refuses a body beyond `max_kb` before anybody reads it, or as soon as it grows beyond.

    One of very many parts is refused too: each would be judged, and what is wrong with it told, while all others wait.
    A file that is dropped on the page may have `max_upload_mb`, and what its form adds; it says its length and is
    passed on as it comes, so that it takes no memory here.
    """

    def __init__(self, app: ASGIApp, *, max_kb: int, refuse: Refuse, max_upload_mb: int | None = None) -> None:
        self._app = app
        self._max_bytes = max_kb * _KILOBYTE
        self._max_upload_bytes = None if max_upload_mb is None else max_upload_mb * _KILOBYTE**2 + self._max_bytes
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its whole body, which is short."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        length = headers.get("content-length", "")
        if not length and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        most, body = self._max_bytes, None
        if self._max_upload_bytes is not None and scope["path"].startswith(_UPLOAD_PATH):
            most = self._max_upload_bytes
            if length.isdecimal() and int(length) <= most:
                await self._app(scope, receive, send)
                return
        elif not length.isdecimal() or int(length) <= most:
            body = await self._read(receive, most)
        if body is None:
            sentence = f"The body of a request may have {most // _KILOBYTE} KB (BANK_HTTP_MAX_BODY_KB)."
            refusal = self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence)
            refusal.headers["Connection"] = "close"  # the rest of it is not waited for
            await refusal(scope, receive, send)
            return
        fault = _fault_in(body)
        if fault is not None:
            await self._refuse(*fault)(scope, receive, send)
            return
        await self._app(scope, _replaying(body, receive), send)

    async def _read(self, receive: Receive, most: int) -> list[Message] | None:
        """Return the messages that carry the body, None when it is too long."""
        messages: list[Message] = []
        left = most
        while not messages or (messages[-1]["type"] == "http.request" and messages[-1].get("more_body")):
            messages.append(await receive())
            left -= len(messages[-1].get("body", b""))
            if left < 0:
                return None
        return messages


def _fault_in(messages: list[Message]) -> tuple[int, str] | None:
    """Say why a body cannot be passed on; one with few commas and brackets is short whatever it is."""
    body = b"".join(message.get("body", b"") for message in messages)
    if sum(map(body.count, _MARKS)) <= _MOST_PARTS and sum(map(body.count, _MARKS[1:])) <= _MOST_LEVELS:
        return None
    try:
        if _levels(read_json(body, _MOST_PARTS)) > _MOST_LEVELS:
            return HTTPStatus.BAD_REQUEST, f"The body of a request may have {_MOST_LEVELS} levels."
    except TooManyParts:
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body of a request may have {_MOST_PARTS:,} parts."
    except ValueError:
        return HTTPStatus.BAD_REQUEST, "The body of a request has to be JSON in UTF-8."
    return None


def _levels(said: object) -> int:
    """Count how many lists and objects stand in each other."""
    levels, here = 0, [said]
    while here := [part for part in here if isinstance(part, (dict, list))]:
        levels += 1
        here = [inner for part in here for inner in (part.values() if isinstance(part, dict) else part)]
    return levels


def _replaying(messages: list[Message], receive: Receive) -> Receive:
    """Give the messages that were read, then those that come after them: that the client has gone."""

    async def replay() -> Message:
        return messages.pop(0) if messages else await receive()

    return replay


def _name_in(host: str) -> str:
    """Return a Host header's name without its port, "" where it is malformed or has more in it."""
    told = _HOST.fullmatch(host)
    return told[1].strip("[]").lower() if told else ""
