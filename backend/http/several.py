"""Page or API as several processes behind one address, until a signal ends them."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Sequence

from ai_engine.errors import ProcessLost, ServerStopping
from backend.http.front import Front, FrontBounds
from backend.http.processes import Plan, Processes, end_at_once
from backend.settings import Settings

_log = logging.getLogger(__name__)
Written = Callable[[type[ProcessLost | ServerStopping]], tuple[str, bytes]]
"""Content type and text of a reply that says an error."""


def in_words(kind: type[ProcessLost | ServerStopping]) -> tuple[str, bytes]:
    """Write for people."""
    return "text/plain; charset=utf-8", kind.user_message.encode()


def serve_by_several(
    command: Sequence[str], count: int, address: tuple[str, int], settings: Settings, written: Written = in_words
) -> int:
    """Keep processes running, and answer by them; return the status to exit with.

    Args:
        command: starts one of them, followed by `--behind` and its socket.
        count: of processes.
        address: host and port.
        settings: of connections and of the end.
        written: makes the replies that no process gives.
    """
    plan = Plan(
        lambda place: [sys.executable, *command, "--behind", str(place)],
        count,
        settings.process_silent_s,
        settings.shutdown_timeout_s,
    )
    bounds = FrontBounds(
        settings.http_connections * count, settings.http_receive_timeout_s, settings.chat_send_timeout_s
    )
    return asyncio.run(_serve(plan, bounds, address, written))


async def _serve(plan: Plan, bounds: FrontBounds, address: tuple[str, int], written: Written) -> int:
    processes = Processes(plan)
    front = Front(bounds, processes.ready, lost=written(ProcessLost), absent=written(ServerStopping))
    over = asyncio.Event()

    def end(number: signal.Signals) -> None:
        if over.is_set():
            processes.signal(signal.SIGTERM)
            end_at_once(number)
        over.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    try:
        try:
            listening = await front.listen(*address)
        except OSError as fault:
            _log.error("%s", fault)
            return 1
        async with listening:
            processes.start()
            waiting = [asyncio.create_task(one.wait()) for one in (over, processes.failed)]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for one in waiting:
                one.cancel()
            over.set()
            await processes.stop()  # which go on answering, with refusals, while they end
    finally:
        await processes.stop()
    return 1 if processes.failed.is_set() else 0
