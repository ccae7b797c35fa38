"""A way to a server on loopback that can be cut and made again, as a network does it."""

from __future__ import annotations

import contextlib
import socket
import threading


class Relay:
    """Passes bytes on between a port of its own and a server; without a way, nobody is let in."""

    def __init__(self, server: tuple[str, int]) -> None:
        self._server = server
        self._open: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.port = 0
        self.mend()

    def mend(self) -> None:
        """Let people through."""
        self._listener = listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        threading.Thread(target=self._let_in, args=(listener,), daemon=True).start()

    def cut(self) -> None:
        """End every connection, and refuse new ones."""
        for one in (*filter(None, [self._listener]), *self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._open.clear()

    def _let_in(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                ends = (listener.accept()[0], socket.create_connection(self._server))
                self._open += ends
                for one, other in (ends, ends[::-1]):
                    threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while content := one.recv(65_536):
            other.sendall(content)
        other.shutdown(socket.SHUT_RDWR)
