"""An MCP server that lies, floods, hangs or leads astray costs one clear failure, and nothing of it reaches the log."""

from __future__ import annotations

import asyncio
import gzip
import threading
import time

import pytest
from starlette.responses import RedirectResponse, Response

from ai_engine.errors import DatabaseUnavailable, QueryFailed, QueryStopped, QueryTimedOut, ResultTooLarge
from backend.databases import DatabaseLimits, open_database
from tests.lying_mcp import QUERY_INPUT, SCHEMA, TOOLS, LyingServer, lying, streamed, told
from tests.patience import allowed_s

SMALL = DatabaseLimits(connections=1, max_result_mb=1, max_cell_kb=16, memory_mb=256, connect_timeout_s=30.0)
SOUND = {"success": True, "columns": ["n"], "data": [[1]], "row_count": 1, "error": None}
SOON_S = 1.0


@pytest.fixture(scope="module")
def server():
    return LyingServer()


@pytest.fixture(scope="module")
def opened(server):
    with lying(server) as url, open_database(url, SMALL) as database:
        yield database


@pytest.fixture
def ask(server, opened):
    """Runs one statement on the server, and at the end shows that the next one is answered."""
    server.trick, server.result, server.tools, server.query_input = None, SOUND, TOOLS, QUERY_INPUT

    def run(*, timeout_s=20.0, stop=None):
        return opened.runner.run(
            "SELECT account_id AS n FROM accounts", max_rows=10, timeout_s=timeout_s, stop=stop or threading.Event()
        )

    yield run
    server.trick, server.result, server.tools, server.query_input = None, SOUND, TOOLS, QUERY_INPUT
    assert run().rows == ((1,),)


WRONG_SHAPES = {
    "no object": [1, 2],
    "not JSON": "once upon a time",
    "nesting without end": "[" * 100_000,
    "no success": {"columns": ["n"], "data": [[1]]},
    "success in words": SOUND | {"success": "yes"},
    "no columns": SOUND | {"columns": []},
    "columns that are numbers": SOUND | {"columns": [1]},
    "a short row": SOUND | {"columns": ["n", "m"]},
    "a long row": SOUND | {"data": [[1, 2]]},
    "rows that are objects": SOUND | {"data": [{"n": 1}]},
    "another number of rows": SOUND | {"row_count": 2},
    "a number of rows in words": SOUND | {"row_count": "1"},
    "types for others": SOUND | {"types": ["integer", "text"]},
    "a type that is none": SOUND | {"types": ["money"]},
    "a decimal that is none": SOUND | {"types": ["decimal"], "data": [["1e999999999"]]},
    "a date that is none": SOUND | {"types": ["date"], "data": [["2026-13-45"]]},
}


@pytest.mark.parametrize("said", WRONG_SHAPES.values(), ids=WRONG_SHAPES)
def test_a_reply_of_another_shape_is_refused(ask, server, said):
    server.result = said
    with pytest.raises(DatabaseUnavailable, match="does not have the agreed shape"):
        ask()


def test_more_rows_than_asked_for_are_cut(ask, server):
    server.result = SOUND | {"data": [[n] for n in range(5_000)], "row_count": 5_000}
    result = ask()
    assert (result.row_count, result.truncated) == (10, True)


def test_a_cell_that_is_too_large_is_refused(ask, server):
    server.result = SOUND | {"data": [["x" * 20_000]]}
    with pytest.raises(ResultTooLarge):
        ask()


def test_what_is_nested_in_a_cell_is_text(ask, server):
    server.result = SOUND | {"data": [[{"a": [1, None]}]]}
    assert ask().rows == (('{"a": [1, null]}',),)


def test_an_error_that_quotes_data_is_told_in_our_words(ask, server):
    server.result = SOUND | {"success": False, "error": "column accounts holds PAN ABCDE1234F for Asha Rao"}
    with pytest.raises(QueryFailed) as told_fault:
        ask()
    assert str(told_fault.value) == "unknown column: accounts"


def test_silence_ends_at_the_deadline_and_on_a_stop(ask, server):
    async def silence(message):
        await asyncio.sleep(20)
        return told(message, SOUND)

    ask()  # so that the worker is there
    server.trick = silence
    with pytest.raises(QueryTimedOut):
        ask(timeout_s=0.5)
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(QueryStopped):
        ask(stop=stop)
    assert time.monotonic() - began < 0.3 + allowed_s(SOON_S)
    assert server.notified.count("notifications/cancelled") >= 2


async def endless():
    while True:
        yield b" " * 65_536
        await asyncio.sleep(0)


async def endless_events():
    number = 0
    while True:
        number += 1
        yield (
            b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%d"}}\n\n'
            % (number)
            * 100
        )
        await asyncio.sleep(0)


@pytest.mark.parametrize("flood", [endless, endless_events])
def test_a_flood_ends_at_the_bound_of_a_result(ask, server, flood):
    async def trick(_message):
        kind = {"content-type": "text/event-stream"} if flood is endless_events else {}
        return streamed(flood(), **kind)

    server.trick = trick
    with pytest.raises(ResultTooLarge, match="more than 1 MB"):
        ask()


def test_a_reply_that_breaks_off_is_a_lost_connection(ask, server):
    async def half():
        yield b'{"jsonrpc":"2.0","id":'
        raise ConnectionResetError

    async def trick(_message):
        return streamed(half())

    server.trick = trick
    with pytest.raises(DatabaseUnavailable):
        ask()


@pytest.mark.parametrize("target", ["/mcp?again", "http://127.0.0.1:9/elsewhere"])
def test_a_redirect_is_not_followed(ask, server, target):
    async def trick(_message):
        return RedirectResponse(target, 307)

    server.trick = trick
    count = len(server.calls)
    with pytest.raises(DatabaseUnavailable, match="another address"):
        ask()
    assert len(server.calls) == count + 1


def test_a_packed_reply_is_not_unpacked(ask, server):
    async def trick(_message):
        packed = gzip.compress(b" " * 50_000_000)
        return Response(packed, headers={"content-type": "application/json", "content-encoding": "gzip"})

    server.trick = trick
    with pytest.raises(DatabaseUnavailable, match="packs its reply"):
        ask()


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (401, "text/plain", b"no"),
        (500, "text/html", b"<p>"),
        (200, "text/html", b"<p>"),
        (200, "application/json", b"\xff"),
    ],
)
def test_what_is_no_reply_of_the_protocol_is_a_clear_failure(ask, server, status, kind, body):
    async def trick(_message):
        return Response(body, status, headers={"content-type": kind})

    server.trick = trick
    with pytest.raises(DatabaseUnavailable, match="MCP server"):
        ask()


def test_a_tool_that_is_gone_or_wants_other_arguments_is_not_called(ask, server):
    count = len(server.calls)
    server.tools = ("mcp_db_schema",)
    with pytest.raises(DatabaseUnavailable, match="does not offer the tool mcp_db_query"):
        ask()
    server.tools, server.query_input = (
        TOOLS,
        {"type": "object", "properties": {"query": {}, "password": {}}, "required": ["password"]},
    )
    with pytest.raises(DatabaseUnavailable, match="takes other arguments"):
        ask()
    assert len(server.calls) == count


def test_neither_what_a_server_sends_nor_its_key_reaches_the_log(server, capfd, caplog):
    async def trick(_message):
        return Response(b"CELL-OF-A-CUSTOMER", headers={"content-type": "application/json"})

    with caplog.at_level("DEBUG"), lying(server) as url:
        server.trick = trick
        address = url.replace("//", "//:TOKEN-SECRET@") + "?key=URL-SECRET"
        with open_database(address, SMALL) as database:
            with pytest.raises(DatabaseUnavailable) as fault:
                database.runner.run("SELECT 1", max_rows=1, timeout_s=20, stop=threading.Event())
            said = f"{database.url_shown} {database} {fault.value} {fault.value.user_message}"
    written = caplog.text + "".join(capfd.readouterr()) + said
    for secret in ("CELL-OF-A-CUSTOMER", "TOKEN-SECRET", "URL-SECRET"):
        assert secret not in written
    assert "Bearer TOKEN-SECRET" in server.keys


WRONG_SCHEMAS = {
    "no tables": SCHEMA | {"tables": []},
    "no dialect": SCHEMA | {"dialect": "klingon"},
    "refused": SCHEMA | {"success": False},
    "a table without columns": SCHEMA | {"tables": [{"name": "t", "columns": []}]},
    "a table twice": SCHEMA | {"tables": SCHEMA["tables"] * 2},
    "a column twice": SCHEMA | {"tables": [{"name": "t", "columns": [{"name": "a"}, {"name": "A"}]}]},
    "a name that is none": SCHEMA | {"tables": [{"name": "t\x1b[2J", "columns": [{"name": "a"}]}]},
    "a table that is too large": SCHEMA | {"tables": [{"name": "t", "comment": "x" * 20_000}]},
    "no object": "tables: many",
}


@pytest.mark.parametrize("schema", WRONG_SCHEMAS.values(), ids=WRONG_SCHEMAS)
def test_a_schema_that_cannot_be_right_opens_no_database(schema):
    with lying(LyingServer(schema=schema)) as url, pytest.raises(DatabaseUnavailable, match=r"MCP server|cell"):
        open_database(url, SMALL)


def test_a_server_that_is_not_there_opens_no_database():
    with pytest.raises(DatabaseUnavailable, match="cannot be reached"):
        open_database("mcp+http://127.0.0.1:9/mcp", SMALL)


def test_a_server_that_never_answers_opens_no_database():
    import socket

    with (
        socket.create_server(("127.0.0.1", 0)) as mute,
        pytest.raises(DatabaseUnavailable, match="no connection within"),
    ):
        open_database(
            f"mcp+http://127.0.0.1:{mute.getsockname()[1]}/mcp", DatabaseLimits(connections=1, connect_timeout_s=2.0)
        )
