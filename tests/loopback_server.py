"""A real HTTP server on a free port of this machine, in a thread, for as long as a test needs it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import uvicorn


@contextmanager
def serving(app: Any, *, lifespan: Literal["on", "off"] = "off") -> Iterator[str]:
    """Serve an app and give its address; stopped at the end."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # else its answers wait for acknowledgements
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, lifespan=lifespan)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join(5)
        listener.close()
