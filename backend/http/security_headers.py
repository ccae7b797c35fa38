"""The headers that page and API are sent with: nothing of them may be framed, sniffed, or load from another host."""

from __future__ import annotations

from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_NEVER_EMBEDDED = "frame-ancestors 'none'; base-uri 'self'; form-action 'self'; object-src 'none'"
API_CONTENT_POLICY = _NEVER_EMBEDDED
PAGE_CONTENT_POLICY = (
    "default-src 'self'; "
    "script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "  # Streamlit's own are inline
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; " + _NEVER_EMBEDDED
)


class SecurityHeaders:
    """ASGI middleware that adds them to every HTTP response; a header that is set already stays.

    What is raised before a reply has begun is answered here, as whatever is outside answers without them.

    Args:
        content_policy: the Content-Security-Policy.
    """

    def __init__(self, app: ASGIApp, *, content_policy: str) -> None:
        self._app = app
        self._headers = {**ALWAYS, "Content-Security-Policy": content_policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; responses get the headers on their way out."""

        has_begun = scope["type"] != "http"

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
        except Exception:
            if not has_begun:
                failed = PlainTextResponse("Internal Server Error", HTTPStatus.INTERNAL_SERVER_ERROR)
                await failed(scope, receive, send_with_headers)
            raise
