"""How many connections a server keeps, and how long one may take to say what it wants.

uvicorn bounds neither: its keep-alive timeout begins with the first answer, and its limit on concurrency counts
connections that have asked nothing, so that whoever opens enough of them shuts everybody else out.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from backend.http.behind import Behind, OneOfSeveral, end_with_the_front
from backend.http.life_cycle import EndingServer, LifeCycle
from backend.settings import Settings

_MAX_HEADER_BYTES = 16 * 1024
_MAX_FRAME_BYTES = 1024 * 1024
_BACKLOG = 100  # this many are accepted at a stroke, before any of them can be closed again
_KEEP_ALIVE_S = 5
_GRACE_S = 2
_LINES_PER_S = 5


def serve(app: Any, host: str, port: int, settings: Settings, life: LifeCycle, behind: Behind | None = None) -> None:
    """Answer on a port until a signal ends it; page and API alike, each with the life cycle that it was made with.

    Args:
        app: the ASGI app.
        host: where to listen.
        port: where to listen.
        settings: of connections and of the end.
        life: of the app.
        behind: this process's place behind a front, which listens there instead.
    """
    if behind is not None:
        end_with_the_front()
    config = uvicorn.Config(
        app if behind is None else OneOfSeveral(app, behind.mark),
        host=host,
        port=port,
        uds=None if behind is None else str(behind.socket),
        http=bounded_connection(
            settings.http_connections, settings.http_receive_timeout_s, settings.chat_send_timeout_s
        ),
        ws="websockets-sansio",
        ws_max_size=_MAX_FRAME_BYTES,
        backlog=_BACKLOG,
        h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
        access_log=False,
        log_config=None,
        server_header=False,
    )
    logging.getLogger("uvicorn.error").addFilter(FewLines(_LINES_PER_S))
    EndingServer(config, life, settings.shutdown_timeout_s).run()


def bounded_connection(max_connections: int, receive_timeout_s: float, send_timeout_s: float) -> type[H11Protocol]:
    """Return uvicorn's protocol with three bounds.

    Args:
        max_connections: kept at a time, or half the process's file handles where those are fewer. For one beyond them
            the oldest goes that has not sent a whole request; where all have, the new one goes.
        receive_timeout_s: within which a request, header and body, must have arrived.
        send_timeout_s: a client that takes nothing of what waits for it for so long is left.
    """
    handles, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(max_connections, handles // 2)

    class BoundedConnection(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None
        _stalled: asyncio.TimerHandle | None = None
        _is_web_socket = False
        opened_at = 0.0

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.opened_at = self.loop.time()
            self._await_request()
            if len(self.connections) > most:
                waiting = [one for one in self.connections if isinstance(one, BoundedConnection) and one.is_waiting]
                min(waiting, key=lambda one: one.opened_at, default=self).transport.abort()

        @property
        def is_waiting(self) -> bool:
            """Whether no whole request has come that is still to be answered; a web socket has no more of them."""
            if self._is_web_socket or self.transport.is_closing():
                return False
            return self.conn.their_state in {h11.IDLE, h11.SEND_BODY}

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if not self.is_waiting:
                self._await_nothing()
            elif self._deadline is None:
                self._await_request()

        def handle_websocket_upgrade(self, event: h11.Request) -> None:
            self._is_web_socket = True
            self._await_nothing()
            self._await_no_reader()
            super().handle_websocket_upgrade(event)

        def on_response_complete(self) -> None:
            self._await_nothing()
            super().on_response_complete()

        def connection_lost(self, exc: Exception | None) -> None:
            self._await_nothing()
            self._await_no_reader()
            super().connection_lost(exc)

        def pause_writing(self) -> None:
            super().pause_writing()
            self._await_reader(self.transport.get_write_buffer_size())

        def resume_writing(self) -> None:
            self._await_no_reader()
            super().resume_writing()

        def _await_reader(self, left_bytes: int) -> None:
            """Look again in a while whether the client has taken anything."""
            self._await_no_reader()
            self._stalled = self.loop.call_later(send_timeout_s, self._look_at_reader, left_bytes)

        def _look_at_reader(self, left_bytes: int) -> None:
            now_left = self.transport.get_write_buffer_size()
            if now_left >= left_bytes:
                self.transport.abort()
            else:
                self._await_reader(now_left)

        def _await_no_reader(self) -> None:
            if self._stalled is not None:
                self._stalled.cancel()
                self._stalled = None

        def _await_request(self) -> None:
            self._deadline = self.loop.call_later(receive_timeout_s, self.transport.abort)

        def _await_nothing(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

    return BoundedConnection


class FewLines(logging.Filter):
    """Lets through so many lines a second: what a stranger sends must not fill the disk."""

    def __init__(self, lines_per_s: int) -> None:
        super().__init__()
        self._lines_per_s = lines_per_s
        self._second = 0
        self._lines = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Count the lines of this second; what stands in the log as an error always passes."""
        second = int(time.monotonic())
        if second != self._second:
            self._second, self._lines = second, 0
        self._lines += 1
        return record.levelno >= logging.ERROR or self._lines <= self._lines_per_s
