"""The HTTP under a Trino statement: one server, no redirect, no more bytes than a result may have."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase, HTTPBasicAuth

from backend.databases.engine import EngineFault
from backend.databases.limits import MEGABYTE

_PIECE_BYTES = 1 << 16
_TLS_PORTS = frozenset({443, 8443})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class BoundedAdapter(HTTPAdapter):
    """Passes requests on to one server, and ends a reply that is not to be read.

    Attributes:
        given_up: once set, nothing is asked any more.
        asked: the page that was asked for last, by which its statement is cancelled whatever came in reply.
    """

    def __init__(self, address: str, max_bytes: int) -> None:
        super().__init__()
        self._place = urlsplit(address)[:2]
        self._max_bytes = max_bytes
        self.given_up = threading.Event()
        self.asked = ""

    def send(self, request: requests.PreparedRequest, *args: Any, **settings: Any) -> requests.Response:
        """Ask, and read the whole reply within its bound; one that leads elsewhere, or is asked for there, is an error.

        Raises:
            EngineFault: the server leads to another place, sends too much, or nobody waits for it any more.
        """
        if self.given_up.is_set() and request.method != "DELETE":
            raise EngineFault("interrupted", "the statement was interrupted")
        if urlsplit(str(request.url))[:2] != self._place:
            raise EngineFault("unavailable", "the Trino server leads to another address, which is not followed")
        if request.method == "GET":
            self.asked = str(request.url)
        response = super().send(request, *args, **{**settings, "stream": True})
        if response.is_redirect:
            response.close()
            raise EngineFault("unavailable", "the Trino server leads to another address, which is not followed")
        content = bytearray()
        for piece in response.iter_content(_PIECE_BYTES):
            content += piece
            if len(content) > self._max_bytes:
                response.close()
                raise EngineFault("too_large", f"the Trino server sends more than {self._max_bytes / MEGABYTE:.0f} MB")
        response._content = bytes(content)  # where `requests` itself keeps what it has read
        return response


class _Bearer(AuthBase):
    """Shows a JSON web token with each request."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def server_address(location: dict[str, str]) -> str:
    """Say under which URL a location is reached; TLS where it is asked for, else at the ports that are known for it.

    Raises:
        EngineFault: a password would travel in plain text to another machine.
    """
    host, port = location["host"], int(location["port"])
    default = "true" if port in _TLS_PORTS else "false"
    tls = location.get("tls", default).lower() in ("true", "1", "yes", "on")
    if location["password"] and not tls and host not in _LOOPBACK:
        raise EngineFault("unavailable", "a password is sent over TLS only: add ?tls=true to the address")
    return f"{'https' if tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def open_session(location: dict[str, str], adapter: BoundedAdapter) -> requests.Session:
    """Open a session that asks as this user, by the given adapter and with nothing from the environment."""
    session = requests.Session()
    session.trust_env = False
    session.verify = location.get("tls_ca") or True
    for scheme in ("http://", "https://"):
        session.mount(scheme, adapter)
    if location["password"]:
        is_token = location.get("auth", "basic").lower() == "jwt"
        session.auth = (
            _Bearer(location["password"]) if is_token else HTTPBasicAuth(location["user"], location["password"])
        )
    return session
