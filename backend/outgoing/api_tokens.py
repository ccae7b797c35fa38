"""Bearer tokens of the services that the API agent calls: given, remembered, read from a file, or asked for.

In this order: a token in the request's context; one remembered until two minutes before it expires; the token file;
e-mail and password at the identity endpoint, in the form that Firebase gave it. A token is never logged or told, and
goes to no host but its own: what settings provide serves the services of the settings, what a request provides goes
where the request leads.
"""

from __future__ import annotations

import asyncio
import base64
import concurrent.futures
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ai_engine.errors import ApiCallFailed, ApiCallRefused, QueryStopped
from ai_engine.specialists.api_docs.outside import HttpCalls, HttpRequest
from backend.outgoing.http_calls import Origin, origin_of

GRACE_S = 120.0
_UNKNOWN_LIFETIME_S = 300.0
_IDENTITY_TIMEOUT_S = 30.0
_LARGEST_FILE = 16_384
_MOST_REMEMBERED = 256
_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")
_GIVEN = ("api_bearer_token", "firebase_id_token")
_TOKEN_KEYS = ("token", "idToken", "id_token", "access_token")
_OK = 200


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who asks the identity endpoint for a token; `web_key` goes into its address, as Firebase has it."""

    identity_url: str
    email: str
    password: str = field(repr=False)
    web_key: str = field(default="", repr=False)

    def key(self) -> str:
        """Tell these from others without keeping the password."""
        text = "\0".join((self.identity_url, self.email, self.password, self.web_key))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Token:
    value: str = field(repr=False)
    expires_at: float
    """By `now`, in seconds."""


class ApiTokenStore:
    """Finds tokens; safe to share between threads and event loops. Of many who need one at once, one asks for it."""

    def __init__(
        self,
        calls: HttpCalls,
        own: frozenset[Origin],
        *,
        identity_url: str | None = None,
        email: str | None = None,
        password: str | None = None,
        web_key: str | None = None,
        token_file: Path | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Set where tokens come from.

        Args:
            calls: for the identity endpoint, which must be permitted there.
            own: the services of the settings; the file and the credentials of the settings serve these alone.
            identity_url: where e-mail and password become a token.
            email: of the settings.
            password: of the settings.
            web_key: of the settings.
            token_file: a token, or JSON with one and its `expires_at`; a request may name another file of its folder.
            now: the clock, in seconds since 1970.
        """
        self._calls, self._own, self._now = calls, own, now
        self._identity_url, self._file = identity_url, token_file
        self._settings = (email, password, web_key)
        self._remembered: dict[str, _Token] = {}
        self._asked: dict[str, concurrent.futures.Future[_Token | None]] = {}
        self._lock = threading.Lock()

    async def bearer(
        self, url: str, context: Mapping[str, Any], *, rejected: str | None, stop: threading.Event
    ) -> str | None:
        """See `ai_engine.specialists.api_docs.outside.ApiTokens.bearer`."""
        given = next((str(context[key]) for key in _GIVEN if context.get(key)), None)
        if given and given != rejected:
            return _sound(given)
        credentials = self._credentials(url, context)
        remembered = self._still_good(credentials.key(), rejected) if credentials else None
        if remembered is not None:
            return remembered.value
        from_file = self._from_file(url, context)
        if from_file is not None and from_file.value != rejected and self._lasts(from_file):
            return from_file.value
        if credentials is None:
            return None
        return (await self._asked_for(credentials, rejected, stop)).value

    def _credentials(self, url: str, context: Mapping[str, Any]) -> Credentials | None:
        """Those of the request, else those of the settings where the call goes to one of its services."""
        if self._identity_url is None:
            return None
        keys = ("firebase_email", "firebase_password", "firebase_web_api_key")
        given = tuple(str(context[key]) if context.get(key) else None for key in keys)
        if given[0] and given[1]:
            return Credentials(self._identity_url, given[0], given[1], given[2] or self._settings[2] or "")
        email, password, web_key = self._settings
        if email and password and origin_of(url) in self._own:
            return Credentials(self._identity_url, email, password, web_key or "")
        return None

    def _still_good(self, key: str, rejected: str | None) -> _Token | None:
        with self._lock:
            found = self._remembered.get(key)
            if found is not None and (found.value == rejected or not self._lasts(found)):
                del self._remembered[key]
                return None
            return found

    def _lasts(self, token: _Token) -> bool:
        return self._now() < token.expires_at - GRACE_S

    def _from_file(self, url: str, context: Mapping[str, Any]) -> _Token | None:
        """Read the token file of the settings, or another one of its folder that the request names.

        Raises:
            ApiCallRefused: the request names a file elsewhere.
        """
        if self._file is None or origin_of(url) not in self._own:
            if context.get("api_token_file"):
                raise ApiCallRefused("a request may name a token file only beside that of the settings")
            return None
        path = self._file
        if context.get("api_token_file"):
            path = Path(str(context["api_token_file"])).resolve()
            if path.parent != self._file.resolve().parent:
                raise ApiCallRefused("a request may name a token file only beside that of the settings")
        try:
            with path.open("rb") as file:
                text = file.read(_LARGEST_FILE).decode("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return self._read(text)

    def _read(self, text: str) -> _Token | None:
        value, expires_at = text, None
        if text.startswith("{"):
            try:
                found = json.loads(text)
            except ValueError:
                return None
            value = next((str(found[key]) for key in _TOKEN_KEYS if found.get(key)), "")
            expires_at = _moment(found.get("expires_at"))
        if not _TOKEN.fullmatch(value):
            return None
        expires_at = expires_at or _expiry_of(value)
        return _Token(value, expires_at if expires_at is not None else self._now() + _UNKNOWN_LIFETIME_S)

    async def _asked_for(self, credentials: Credentials, rejected: str | None, stop: threading.Event) -> _Token:
        """Ask the identity endpoint, or wait for somebody who does; whoever was stopped leaves it to the next one."""
        key = credentials.key()
        while True:
            with self._lock:
                found = self._remembered.get(key)
                if found is not None and found.value != rejected and self._lasts(found):
                    return found
                waiting = self._asked.get(key)
                if waiting is None:
                    own = self._asked[key] = concurrent.futures.Future()
                    own.set_running_or_notify_cancel()  # nobody who waits can cancel it for the others
            if waiting is None:
                return await self._ask(credentials, key, own, stop)
            token = await _first_of(waiting, stop)
            if token is not None and token.value != rejected:
                return token

    async def _ask(
        self,
        credentials: Credentials,
        key: str,
        told: concurrent.futures.Future[_Token | None],
        stop: threading.Event,
    ) -> _Token:
        token: _Token | None = None
        refused: ApiCallFailed | None = None
        try:
            token = await self._from_identity(credentials, stop)
        except ApiCallFailed as fault:
            refused = fault
            raise
        finally:
            with self._lock:
                self._asked.pop(key, None)
                if token is not None:
                    while len(self._remembered) >= _MOST_REMEMBERED:
                        del self._remembered[next(iter(self._remembered))]
                    self._remembered[key] = token
            if refused is not None:
                told.set_exception(refused)
            else:
                told.set_result(token)
        return token

    async def _from_identity(self, credentials: Credentials, stop: threading.Event) -> _Token:
        request = HttpRequest(
            "POST",
            credentials.identity_url,
            (("key", credentials.web_key),) if credentials.web_key else (),
            {"Accept": "application/json"},
            {"email": credentials.email, "password": credentials.password, "returnSecureToken": True},
        )
        response = await self._calls.send(request, stop=stop, deadline=time.monotonic() + _IDENTITY_TIMEOUT_S)
        if response.status != _OK:
            raise ApiCallFailed(f"the identity service answered with status {response.status}", _NO_TOKEN)
        try:
            found = json.loads(response.body)
            value, lifetime_s = str(found["idToken"]), float(found.get("expiresIn", _UNKNOWN_LIFETIME_S))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ApiCallFailed("the identity service's answer holds no token", _NO_TOKEN) from error
        return _Token(_sound(value), self._now() + lifetime_s)


_NO_TOKEN = "No token could be had for this service. Check the credentials that are set."  # noqa: S105 - a text


async def _first_of(waiting: concurrent.futures.Future[_Token | None], stop: threading.Event) -> _Token | None:
    future = asyncio.wrap_future(waiting)
    while not future.done():
        if stop.is_set():
            raise QueryStopped
        await asyncio.wait({future}, timeout=0.05)
    return future.result()


def _sound(token: str) -> str:
    """Let through what a header may carry.

    Raises:
        ApiCallRefused: it has other characters, such as line breaks.
    """
    if not _TOKEN.fullmatch(token.strip()):
        raise ApiCallRefused("the token has characters that no token has")
    return token.strip()


def _moment(value: object) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    try:
        return datetime.fromisoformat(str(value)).timestamp() if value else None
    except ValueError:
        return None


def _expiry_of(token: str) -> float | None:
    """Read when a JSON web token says that it expires; its signature is for the service to judge."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        return float(claims["exp"])
    except (ValueError, KeyError, TypeError):
        return None
