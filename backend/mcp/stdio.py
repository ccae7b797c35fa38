"""A server on standard input and output, as desktop clients start it: output carries the protocol and nothing else."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ai_engine.errors import BadConfiguration, DatabaseUnavailable
from backend.desk import Desk
from backend.logs import set_up_logging
from backend.service import Assistant
from backend.settings import Settings, read_settings

WRONG_SETTINGS = 2


def serve_on_stdio(
    make: Callable[[Settings, Desk], Server[Any]], assistant: Callable[[], Assistant] | None = None
) -> int:
    """Serve until the client closes our input; give the exit status.

    Args:
        make: builds the server.
        assistant: as `Desk` takes it; opened in the background, as clients wait a short while at the start. None where
            no tool needs one.
    """
    try:
        settings = read_settings()
    except BadConfiguration as fault:
        sys.stderr.write(f"{fault}\n")
        return WRONG_SETTINGS
    set_up_logging(settings)
    places = settings.api_threads + settings.api_queue_size
    with ThreadPoolExecutor(settings.api_threads, thread_name_prefix="mcp") as threads:
        desk = Desk(assistant or _no_database, threads, places, settings.api_timeout_s)
        with contextlib.suppress(KeyboardInterrupt):
            anyio.run(_serve, make(settings, desk), None if assistant is None else desk)
    return 0


def _no_database() -> Assistant:
    raise DatabaseUnavailable("this server has no database")


async def _serve(server: Server[Any], opened: Desk | None) -> None:
    async with stdio_server() as (reading, writing):  # from here on whoever prints writes to standard error
        if opened is not None:
            opened.threads.submit(opened.health)
        await server.run(reading, writing, server.create_initialization_options())
