"""A small app, served as page and API are: `python -m tests.small_process --port PORT [--workers N]`."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from backend.http.behind import Behind
from backend.http.connections import serve
from backend.http.edge import edge
from backend.http.life_cycle import LifeCycle
from backend.http.several import serve_by_several
from backend.logs import set_up_logging
from backend.settings import read_settings

HUNG_UP = asyncio.Event()


async def who(request: Request) -> Response:
    told = {name: request.headers.get(name) for name in ("x-bank-front-met", "mcp-session-id")}
    body = len(await request.body())
    here = {"process": os.getpid(), "client": request.client, "server": request.scope["server"], "body": body}
    return JSONResponse(here | told, headers={"Mcp-Session-Id": "seven"} if "begin" in request.query_params else {})


async def slow(request: Request) -> Response:
    """Answer in a while, unless the client hangs up."""
    for _ in range(int(float(request.query_params["s"]) * 20)):
        await asyncio.sleep(0.05)
        if await request.is_disconnected():
            HUNG_UP.set()
            break
    return PlainTextResponse(f"done by {os.getpid()}")


async def hung_up(_: Request) -> Response:
    return PlainTextResponse(str(HUNG_UP.is_set()))


async def large(_: Request) -> Response:
    async def pieces():
        for _ in range(64):
            yield b"x" * (1 << 18)

    return StreamingResponse(pieces())


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(f"{os.getpid()} {text}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--behind", type=Path)
    parser.add_argument("--fail", action="store_true")
    asked = parser.parse_args()
    settings = read_settings()
    if asked.workers > 1:
        set_up_logging(settings)
        command = ["-m", "tests.small_process", *(["--fail"] if asked.fail else [])]
        sys.exit(serve_by_several(command, asked.workers, ("127.0.0.1", asked.port), settings))
    if asked.fail:
        sys.exit(3)
    life = LifeCycle()
    behind = Behind.of(asked.behind)
    set_up_logging(settings, behind.number)
    app = Starlette(
        routes=[
            Route("/who", who, methods=["GET", "POST"]), Route("/slow", slow, methods=["GET", "POST"]),
            Route("/hung-up", hung_up), Route("/large", large), WebSocketRoute("/echo", echo),
        ],
        middleware=edge(settings, "127.0.0.1", "", life),
    )  # fmt: skip
    serve(app, "127.0.0.1", 0, settings, life, behind)


if __name__ == "__main__":
    main()
