"""Tools of other programs, on real servers in processes of their own."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ai_engine.tools import (
    ElicitationRequest,
    ElicitationResponse,
    ToolCallbacks,
    ToolNotFound,
    ToolRequest,
    ToolResultStatus,
)
from backend.mcp.client import SharedTools
from tests.backend.mcp.tool_servers import bank_server, is_running, opened, stdio_entry
from tests.conftest import PROJECT_ROOT
from tests.patience import allowed_s


@pytest.fixture(scope="module")
def north() -> Iterator[dict[str, Any]]:
    with bank_server("north") as entry:
        yield entry


@pytest.fixture
def tools(north: dict[str, Any], tmp_path: Path) -> Iterator[SharedTools]:
    with opened(tmp_path, [north]) as shared:
        yield shared


def test_summaries_tell_name_and_description_and_nothing_of_the_schema(tools: SharedTools):
    summaries = {summary.name: summary for summary in asyncio.run(tools.view().summaries())}
    assert {"balance", "only_north", "slow", "approve"} <= set(summaries)
    balance = summaries["balance"]
    assert (balance.description, balance.server_id) == ("Total of all accounts of a branch.", "north")
    assert balance.read_only and balance.idempotent
    assert not summaries["slow"].idempotent


def test_a_schema_is_fetched_when_it_is_asked_for(tools: SharedTools):
    schema = asyncio.run(tools.view().schema("balance"))
    assert schema.input_schema["required"] == ["branch"]
    assert schema.output_schema is not None and set(schema.output_schema["required"]) == {"branch", "total"}


def test_a_call_gives_contents_and_the_checked_structure(tools: SharedTools):
    result = asyncio.run(tools.view().call("balance", {"branch": "Pune"}))
    assert result.status is ToolResultStatus.SUCCESS, result.error
    assert result.structured == {"branch": "Pune by north", "total": 12.5}
    assert "Pune by north" in result.combined_text


def test_arguments_that_do_not_fit_are_not_sent(tools: SharedTools):
    told: list[tuple[str, ...]] = []

    async def failed(*said: str) -> None:
        told.append(said)

    result = asyncio.run(tools.view(ToolCallbacks(on_error=failed)).call("balance", {"branch": 5}))
    assert result.status is ToolResultStatus.ERROR
    assert result.error == 'the arguments do not fit the tool: branch: does not fit type "string"'
    assert told == [("north", "balance", result.error, "validation")]


def test_an_unknown_tool_is_refused_with_the_nearest_name(tools: SharedTools):
    with pytest.raises(ToolNotFound, match="the nearest is balance"):
        asyncio.run(tools.view().schema("balanse"))
    assert asyncio.run(tools.view().call("balanse", {})).status is ToolResultStatus.ERROR


def test_progress_comes_in_the_loop_of_the_caller_before_the_result(tools: SharedTools, tmp_path: Path):
    told: list[tuple[float | None, str, int]] = []

    async def progressed(server: str, tool: str, share: float | None, message: str) -> None:
        assert (server, tool) == ("north", "slow")
        told.append((share, message, threading.get_ident()))

    callbacks = ToolCallbacks(on_progress=progressed)
    call = tools.view(callbacks).call("slow", {"seconds": 1, "log": str(tmp_path / "log")})
    assert asyncio.run(call).combined_text == "done"
    assert told[-1] == (1.0, "step 10", threading.get_ident())
    assert [share for share, *_ in told] == sorted(share for share, *_ in told if share is not None)


def test_calls_beside_each_other_fail_apart(tools: SharedTools, tmp_path: Path):
    slow = ToolRequest("slow", {"seconds": 0.6, "log": str(tmp_path / "log")})
    told: list[str] = []

    async def progressed(server: str, tool: str, share: float | None, message: str) -> None:
        told.append(message)

    view = tools.view(ToolCallbacks(on_progress=progressed))
    results = asyncio.run(view.call_parallel([slow, ToolRequest("balance", {}), slow, ToolRequest("nothing", {})]))
    assert [result.status.value for result in results] == ["success", "error", "success", "error"]
    assert told[: told.index("step 10")].count("step 1") == 2, "one after the other"


@pytest.mark.parametrize("way", ["cancel", "stop", "deadline"])
def test_a_call_that_is_given_up_is_cancelled_at_the_server(north: dict[str, Any], tmp_path: Path, way: str):
    log, stop = tmp_path / "log", threading.Event()
    settings = {"mcp_call_timeout_s": allowed_s(1)} if way == "deadline" else {}

    async def run(shared: SharedTools) -> str:
        begun = asyncio.Event()

        async def progressed(*_: object) -> None:
            begun.set()

        view = shared.view(ToolCallbacks(on_progress=progressed))
        await view.summaries()
        call = asyncio.ensure_future(view.call("slow", {"seconds": 20, "log": str(log)}, stop=stop))
        if way == "deadline":
            return (await call).status.value
        await begun.wait()
        if way == "cancel":
            call.cancel()
            await asyncio.wait({call})
            return "cancelled"
        stop.set()
        return (await call).status.value

    started = time.monotonic()
    with opened(tmp_path, [north], **settings) as shared:
        assert asyncio.run(run(shared)) == ("timeout" if way == "deadline" else "cancelled")
        assert time.monotonic() - started < allowed_s(3)
        until = time.monotonic() + 20
        while not (log.exists() and log.read_text()) and time.monotonic() < until:
            time.sleep(0.02)
        assert log.read_text() == "cancelled"


def test_a_question_of_a_tool_reaches_the_person_and_the_answer_the_tool(tools: SharedTools):
    asked: list[ElicitationRequest] = []

    async def answer(server: str, tool: str, request: ElicitationRequest) -> ElicitationResponse:
        asked.append(request)
        return ElicitationResponse("accept", {"approve": True})

    result = asyncio.run(tools.view(ToolCallbacks(on_elicitation=answer)).call("approve", {}))
    assert result.structured == {"action": "accept", "data": {"approve": True}}, result
    assert asked[0].message == "Approve the transfer?"
    assert asyncio.run(tools.view().call("approve", {})).structured == {"action": "decline", "data": None}


def test_threads_with_loops_of_their_own_use_the_same_connections(tools: SharedTools):
    found: list[Any] = []

    def ask(branch: str) -> None:
        found.append(asyncio.run(tools.view().call("balance", {"branch": branch})).structured)

    threads = [threading.Thread(target=ask, args=(f"B{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert {value["branch"] for value in found} == {f"B{number} by north" for number in range(8)}


def test_no_server_is_listed_so_no_thread_begins_and_the_protocol_is_not_imported():
    script = (
        "import sys, threading\n"
        "from backend.settings import Settings\n"
        "from backend.mcp.client import open_tools\n"
        "import backend.chat.opening\n"
        "assert open_tools(Settings()).enabled() is None\n"
        "assert threading.active_count() == 1 and 'mcp' not in sys.modules, sorted(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr[-2_000:]


def test_a_process_that_ends_ends_its_programs(tmp_path: Path):
    file = tmp_path / "servers.json"
    file.write_text(json.dumps([stdio_entry("south")]))
    script = (
        "import asyncio\n"
        "from backend.mcp.client import shared_tools\n"
        "print(asyncio.run(shared_tools.view().call('surroundings', {})).structured['child'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], check=False, cwd=PROJECT_ROOT, capture_output=True, text=True,
        timeout=60, env={**os.environ, "BANK_MCP_SERVERS": str(file)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2_000:]
    assert not is_running(int(done.stdout))


def test_a_server_that_became_slow_keeps_no_request_waiting_for_its_list(tmp_path: Path):
    slow = stdio_entry("slow", "tests.backend.mcp.babbling_tools", "slow")
    with opened(tmp_path, [slow], mcp_cache_s=0.2) as tools:
        assert asyncio.run(tools.view().summaries())
        time.sleep(0.3)
        started = time.monotonic()
        assert asyncio.run(tools.view().summaries())
        assert time.monotonic() - started < allowed_s(0.2)
