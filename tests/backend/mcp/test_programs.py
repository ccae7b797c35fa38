"""MCP servers on standard input and output: started clean, kept between calls, ended with all that they left."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ai_engine.errors import BadConfiguration
from ai_engine.tools import ElicitationRequest, ElicitationResponse, ToolCallbacks, ToolNotFound, ToolResultStatus
from backend.mcp.client import SharedTools
from tests.backend.mcp.tool_servers import bank_server, is_running, opened, stdio_entry
from tests.patience import allowed_s


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedTools]:
    with opened(tmp_path_factory.mktemp("programs"), [stdio_entry("south")], mcp_max_reply_kb=256) as tools:
        yield tools


def test_a_program_is_asked_like_a_server_at_an_address_and_kept_for_the_next_call(tmp_path: Path):
    with opened(tmp_path, [stdio_entry("south")]) as tools:
        view = tools.view()
        first = asyncio.run(view.call("surroundings", {})).structured
        assert asyncio.run(view.call("balance", {"branch": "Pune"})).structured == {
            "branch": "Pune by south", "total": 12.5,
        }  # fmt: skip
        second = asyncio.run(view.call("surroundings", {})).structured
        assert first and second and first["pid"] == second["pid"]


def test_a_program_is_given_only_the_variables_that_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BANK_TOLD", "yes")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with opened(tmp_path, [stdio_entry("south") | {"env": ["BANK_TOLD"]}]) as tools:
        given = asyncio.run(tools.view().call("surroundings", {})).structured
    assert given is not None and given["told"] == "yes"
    assert set(given["names"]) <= {"PATH", "BANK_TOLD", "LC_CTYPE"}, given["names"]


def test_closing_ends_a_program_and_the_children_it_left(tmp_path: Path):
    with opened(tmp_path, [stdio_entry("south")]) as tools:
        given = asyncio.run(tools.view().call("surroundings", {})).structured
        assert given is not None and is_running(given["pid"]) and is_running(given["child"])
        tools.close()
        assert not is_running(given["pid"])
        time.sleep(0.1)
        assert not is_running(given["child"])


def test_what_a_program_complains_of_is_counted_in_the_log_and_not_quoted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    with caplog.at_level(logging.DEBUG), opened(tmp_path, [stdio_entry("south")]) as tools:
        asyncio.run(tools.view().call("surroundings", {}))
        tools.close()
    assert "the MCP server south wrote" in caplog.text
    assert "complaint" not in caplog.text and "surroundings" not in caplog.text


def test_a_program_that_ends_in_a_call_is_started_again_for_the_next(programs: SharedTools):
    lost = asyncio.run(programs.view().call("leave", {}))
    assert lost.error == "the connection to the server was lost"
    assert not programs.view().health()[0].healthy
    assert asyncio.run(programs.view().call("only_south", {"text": "again"})).combined_text == "again"
    assert programs.view().health()[0].healthy


def test_a_question_of_a_program_reaches_whoever_called_and_nobody_else(programs: SharedTools):
    def answering(approve: bool) -> ToolCallbacks:
        async def answer(server: str, tool: str, request: ElicitationRequest) -> ElicitationResponse:
            await asyncio.sleep(0.1)
            return ElicitationResponse("accept", {"approve": approve})

        return ToolCallbacks(on_elicitation=answer)

    async def both() -> list[Any]:
        calls = [programs.view(answering(approve)).call("approve", {}) for approve in (True, False, True)]
        return [result.structured["data"]["approve"] for result in await asyncio.gather(*calls)]

    assert asyncio.run(both()) == [True, False, True]


def test_a_few_stray_lines_are_passed_over_and_endless_ones_end_the_program(tmp_path: Path):
    babbler = stdio_entry("babbler", "tests.backend.mcp.babbling_tools")
    with opened(tmp_path, [babbler], mcp_max_reply_kb=1_024) as tools:
        call = tools.view().call
        assert asyncio.run(call("babble", {"lines": 3, "length": 10})).combined_text == "babbled"
        many = asyncio.run(call("babble", {"lines": 500, "length": 10}))
        assert many.error == "the server writes what is no message of the protocol"
        long = asyncio.run(call("babble", {"lines": 1, "length": 3 * 2**20}))
        assert long.error == "the server sends more than 1 MB"
        assert asyncio.run(call("babble", {"lines": 0, "length": 0})).combined_text == "babbled"


def test_an_older_program_that_says_its_tools_changed_is_listed_anew(tmp_path: Path):
    with opened(tmp_path, [stdio_entry("babbler", "tests.backend.mcp.babbling_tools")]) as tools:
        view = tools.view()
        assert {summary.name for summary in asyncio.run(view.summaries())} == {"babble", "grow"}
        asyncio.run(view.call("grow", {}))
        assert {summary.name for summary in asyncio.run(view.summaries())} == {"babble", "grow", "grown"}


def test_a_cancelled_call_of_a_program_is_cancelled_there(programs: SharedTools, tmp_path: Path):
    log = tmp_path / "log"

    async def run() -> None:
        begun = asyncio.Event()

        async def progressed(*_: object) -> None:
            begun.set()

        view = programs.view(ToolCallbacks(on_progress=progressed))
        call = asyncio.ensure_future(view.call("slow", {"seconds": 30, "log": str(log)}))
        await begun.wait()
        call.cancel()
        await asyncio.wait({call})

    asyncio.run(run())
    until = time.monotonic() + 20
    while not (log.exists() and log.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    assert log.read_text() == "cancelled"


def test_a_program_whose_tools_change_is_listed_anew_before_its_time(tmp_path: Path):
    with opened(tmp_path, [stdio_entry("south")]) as tools:
        view = tools.view()
        assert "grown" not in {summary.name for summary in asyncio.run(view.summaries())}
        assert asyncio.run(view.call("grow", {})).combined_text == "said"
        until = time.monotonic() + 2
        while time.monotonic() < until:
            if "grown" in {summary.name for summary in asyncio.run(view.summaries())}:
                return
            time.sleep(0.05)
        pytest.fail("it was not listed anew")


def test_a_program_that_is_not_there_is_unhealthy_and_the_others_go_on(tmp_path: Path):
    missing = stdio_entry("missing") | {"command": "/nowhere/to/be/found"}
    with opened(tmp_path, [stdio_entry("south"), missing]) as tools:
        names = {summary.name for summary in asyncio.run(tools.view().summaries())}
        assert "balance" in names
        health = {seen.server_id: seen.error for seen in tools.view().health()}
        assert health == {"south": None, "missing": "the server cannot be reached"}


def test_a_program_that_does_not_speak_is_given_up_in_time(tmp_path: Path):
    silent = stdio_entry("silent") | {"command": "/bin/sleep", "args": ["600"]}
    with opened(tmp_path, [silent], mcp_connect_timeout_s=1) as tools:
        started = time.monotonic()
        assert asyncio.run(tools.view().summaries()) == []
        assert time.monotonic() - started < allowed_s(3)
    assert os.system("pgrep -x sleep -P " + str(os.getpid()) + " >/dev/null") != 0


def test_a_program_that_is_not_used_for_long_is_ended(tmp_path: Path):
    with opened(tmp_path, [stdio_entry("south")], mcp_idle_close_s=0.3) as tools:
        given = asyncio.run(tools.view().call("surroundings", {})).structured
        assert given is not None
        until = time.monotonic() + 5
        while is_running(given["pid"]) and time.monotonic() < until:
            time.sleep(0.05)
        assert not is_running(given["pid"])


def test_a_name_of_two_servers_is_called_with_the_server_and_never_guessed(tmp_path: Path):
    with bank_server("north") as north, opened(tmp_path, [north, stdio_entry("south")]) as tools:
        view = tools.view()
        names = {summary.name for summary in asyncio.run(view.summaries())}
        assert {"north.balance", "south.balance", "only_north", "only_south"} <= names
        assert "balance" not in names
        with pytest.raises(ToolNotFound, match=r"say which: north\.balance, south\.balance"):
            asyncio.run(view.schema("balance"))
        assert asyncio.run(view.call("balance", {"branch": "Pune"})).status is ToolResultStatus.ERROR
        found = [
            asyncio.run(view.call(f"{name}.balance", {"branch": "Pune"})).structured for name in ("north", "south")
        ]
        assert [value and value["branch"] for value in found] == ["Pune by north", "Pune by south"]
        assert asyncio.run(view.schema("north.balance")).name == "north.balance"


def test_a_name_stays_shared_while_one_of_its_servers_is_away(tmp_path: Path):
    with opened(tmp_path, [stdio_entry("north"), stdio_entry("south")], mcp_recovery_s=30) as tools:
        asyncio.run(tools.view().summaries())
        asyncio.run(tools.view().call("north.leave", {}))
        assert {seen.server_id: seen.healthy for seen in tools.view().health()} == {"north": False, "south": True}
        assert "south.balance" in {summary.name for summary in asyncio.run(tools.view().summaries())}
        assert "several servers" in (asyncio.run(tools.view().call("balance", {"branch": "Pune"})).error or "")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"id": "a.b", "transport": "stdio", "command": "x"}, "should match pattern"),
        ({"id": "a", "transport": "stdio", "command": "x", "password": "hunter2"}, "not permitted"),
        ({"id": "a", "transport": "http", "url": "http://me:hunter2@host/mcp"}, "user information"),
        ({"id": "a", "transport": "http", "url": "file:///etc/passwd"}, "only http and https"),
        ({"id": "a", "transport": "http", "url": "http://h/mcp", "headers": {"Host": "HOME"}}, "cannot be set"),
    ],
)
def test_a_wrong_entry_is_told_without_its_values(tmp_path: Path, entry: dict[str, Any], reason: str):
    with opened(tmp_path, [entry]) as tools, pytest.raises(BadConfiguration, match=reason) as told:
        tools.view()
    assert "hunter2" not in str(told.value)


def test_a_variable_that_is_not_set_is_named(tmp_path: Path):
    entry = {"id": "a", "transport": "http", "url": "http://127.0.0.1:9/mcp", "headers": {"X-Key": "BANK_NOT_SET"}}
    with opened(tmp_path, [entry]) as tools, pytest.raises(BadConfiguration, match="BANK_NOT_SET"):
        tools.view()


def test_closing_while_a_list_is_asked_for_leaves_nothing_behind(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    slow = stdio_entry("slow", "tests.backend.mcp.babbling_tools", "slow")
    with opened(tmp_path, [slow], mcp_cache_s=0.2) as tools:
        asyncio.run(tools.view().summaries())
        time.sleep(0.3)
        asyncio.run(tools.view().summaries())
        started = time.monotonic()
        tools.close()
        assert time.monotonic() - started < allowed_s(4)
    gc.collect()
    assert "pending" not in caplog.text
