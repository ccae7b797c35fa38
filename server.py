"""The servers: `python server.py page` and `python server.py api`, as `make app` and `make api` start them, and `mcp`.

`python /anywhere/server.py mcp` is `python -m backend.mcp` for programs that cannot choose the folder they start in.
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route

from ai_engine.errors import ProcessLost, ServerStopping
from backend.http.behind import Behind
from backend.http.connections import serve
from backend.http.edge import edge
from backend.http.life_cycle import LifeCycle, shared_page_work
from backend.http.security_headers import PAGE_CONTENT_POLICY
from backend.logs import set_up_logging
from backend.metrics import metrics_endpoint
from backend.settings import Settings, read_settings
from pages.screens import FIRST, SCREENS

PAGE = Path(__file__).with_name("app.py")
_TELL_ROOT = 'window.__streamlit = {BACKEND_BASE_URL: new URL(".", location.href).href}'


def page(settings: Settings, bound_host: str, life: LifeCycle, script: Path = PAGE) -> Any:
    """Return the page that a script draws."""
    import streamlit as st
    from streamlit.runtime.pages_manager import PagesManager

    log_as_all_others()

    from backend.chat.thread import shared_chat_thread
    from backend.dashboards.tile_results import shared_tile_results
    from backend.evaluation.runs import shared_evaluations
    from backend.opening import default_assistant

    life.drain(shared_chat_thread)
    life.drain(shared_page_work)
    life.drain(shared_tile_results())
    life.drain(shared_evaluations())
    PagesManager.uses_pages_directory = False  # else the first visitor is shown every file of pages/ as a screen
    return st.App(
        script,
        routes=[Route("/metrics", metrics_endpoint(lambda: default_assistant().metrics)), *addresses_of_pages()],
        middleware=edge(settings, bound_host, PAGE_CONTENT_POLICY, life, takes_files=True),
    )


def log_as_all_others() -> None:
    """Take Streamlit's own handlers away, which write addresses of requests whole and texts of exceptions.

    It gives one to each logger of its own and of uvicorn, to those that it has already and, when its settings are read
    again or a further part of it is loaded, to others.
    """
    from streamlit import logger as theirs

    for one in theirs._loggers.values():
        one.handlers.clear()
        one.propagate = True
        one.setLevel(logging.NOTSET)
    theirs._loggers.clear()
    theirs.get_logger = logging.getLogger


def addresses_of_pages() -> list[Route]:
    """Return routes at which a browser is told with the page where the server is.

    Without, it asks every folder of a page's address for one first, and complains of each that has none.
    """
    from streamlit.file_util import get_static_dir

    sent = Path(get_static_dir(), "index.html").read_text()
    told = sent.replace("<head>", f"<head><script>{_TELL_ROOT}</script>", 1)

    async def page_at_its_address(_: Request) -> HTMLResponse:
        return HTMLResponse(told, headers={"Cache-Control": "no-cache"})

    async def first_page(request: Request) -> RedirectResponse:
        return RedirectResponse(f"./?{request.url.query}".removesuffix("?"))

    screens = [screen for section in SCREENS.values() for screen in section]
    return [Route(f"/{screen.name}", first_page if screen is FIRST else page_at_its_address) for screen in screens]


def api(settings: Settings, bound_host: str, life: LifeCycle) -> Any:
    """Return the HTTP API."""
    from backend.main import create_app

    return create_app(settings=settings, bound_host=bound_host, life=life)


def run_by_the_clock(settings: Settings, life: LifeCycle) -> None:
    """Look for schedules that are due, for as long as the server lives."""
    from backend.dashboards.tile_results import shared_tile_results
    from backend.schedules.clock import ScheduleClock
    from backend.store import shared_store

    clock = ScheduleClock(settings, shared_store.get, shared_tile_results)
    life.drain(clock)
    clock.start()


def several(asked: argparse.Namespace, settings: Settings) -> int:
    """Serve by several processes; say what is missing where they would not be one server to whoever asks."""
    from backend.api.models import failed_response
    from backend.http.several import in_words, serve_by_several

    if asked.what == "api" and settings.redis_url is None:
        sys.exit(
            "The API by several processes (WORKERS) needs BANK_REDIS_URL, by which a chat is read on, stopped and "
            "responded to at any of them. Set it to redis://HOST:PORT/NUMBER, or use one process."
        )

    def in_json(kind: type[ProcessLost | ServerStopping]) -> tuple[str, bytes]:
        body = failed_response("", kind.user_message, kind.__name__)
        return "application/json", body.model_dump_json().encode()

    command = [__file__, asked.what, "--host", asked.host, "--port", str(asked.port)]
    written = in_words if asked.what == "page" else in_json
    return serve_by_several(command, asked.workers, (asked.host, asked.port), settings, written)


def main() -> None:
    """Read the command line and serve until a signal comes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["page", "api", "mcp"])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, help="of page and api")
    parser.add_argument("--workers", type=int, default=1, help="processes that answer on the port together")
    parser.add_argument("--behind", type=Path, help=argparse.SUPPRESS)  # the socket of one of them
    asked = parser.parse_args()
    if asked.what == "mcp":
        from backend.mcp.bank import serve_bank

        sys.exit(serve_bank())
    if asked.port is None:
        parser.error("page and api need a --port")
    settings = read_settings()
    if asked.workers > 1:
        set_up_logging(settings)
        sys.exit(several(asked, settings))
    behind = None if asked.behind is None else Behind.of(asked.behind)
    set_up_logging(settings, None if behind is None else behind.number)
    life = LifeCycle()
    if settings.schedulers is not None:
        run_by_the_clock(settings, life)
    from backend.opening import shared_sources

    app = page(settings, asked.host, life) if asked.what == "page" else api(settings, asked.host, life)
    try:
        serve(app, asked.host, asked.port, settings, life, behind)
    finally:
        shared_sources.close()  # or the audit trail would tell of this process as killed


if __name__ == "__main__":
    main()
