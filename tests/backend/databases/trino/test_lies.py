"""A Trino server that lies, is slow or never ends: nothing false is shown, nothing runs on, the next is answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ai_engine.errors import DatabaseUnavailable, QueryTimedOut, ResultTooLarge
from backend.databases import Database
from tests.backend.databases.trino.conftest import PAGE_ROWS
from tests.backend.databases.trino.test_statements import GONE_WITHIN_S, cell, eventually, run
from tests.patience import allowed_s
from tests.trino_server import Behaviour, Coordinator

pytestmark = pytest.mark.server
ASKED = "SELECT n, text FROM many"


@contextmanager
def behaving(coordinator: Coordinator, behaviour: Behaviour) -> Iterator[None]:
    usual, coordinator.behaviour = coordinator.behaviour, behaviour
    try:
        yield
    finally:
        coordinator.behaviour = usual


def with_row(row: object) -> Callable[[dict[str, Any]], Any]:
    return lambda reply: {**reply, "data": [*reply["data"], row]}


def with_column(**told: object) -> Callable[[dict[str, Any]], Any]:
    return lambda reply: {**reply, "columns": [{**reply["columns"][0], **told}, *reply["columns"][1:]]}


def elsewhere(reply: dict[str, Any]) -> Any:
    return {**reply, "nextUri": "http://127.0.0.1:9/v1/statement/executing/1/x/2"}


def turned(reply: dict[str, Any]) -> Any:
    """Every second reply tells the columns from behind."""
    return {**reply, "columns": reply["columns"][:: 1 if int(reply["nextUri"][-1]) % 2 else -1]}


LIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a row is too short": with_row([1]),
    "a row is too long": with_row([1, "x", "y"]),
    "a row is none": with_row({"n": 1, "text": "x"}),
    "a number is a text": with_row(["12", "x"]),
    "a number is half": with_row([0.5, "x"]),
    "a number is true": with_row([True, "x"]),
    "rows are a text": lambda reply: {**reply, "data": "rows"},
    "rows are a number": lambda reply: {**reply, "data": 7},
    "a column has no type": with_column(typeSignature=None),
    "a column is of a type in pieces": with_column(typeSignature={"rawType": "array", "arguments": []}),
    "columns are none": lambda reply: {**reply, "columns": []},
    "columns change their places": turned,
    "columns are a number": lambda reply: {**reply, "columns": 5},
    "the next page is elsewhere": elsewhere,
    "the next page is no address": lambda reply: {**reply, "nextUri": 5},
    "the reply is a list": lambda reply: [reply],
    "the reply is null": lambda _: None,
    "the reply is empty": lambda _: b"",
    "the reply is a page of a proxy": lambda _: b"<html>Sign in</html>",
    "the reply ends early": lambda _: b'{"id": "1", "stats": {"state": "RUN',
    "the reply is nested without end": lambda _: b'{"data": ' + b"[" * 200_000,
    "the reply is no text": lambda _: b"\xff\xfe\x00",
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_what_is_not_of_the_protocol_is_told_and_never_shown(
    bank: Database, coordinator: Coordinator, lie: Callable[[dict[str, Any]], Any]
):
    with (
        behaving(coordinator, Behaviour(page_rows=PAGE_ROWS, lie=lie)),
        pytest.raises(DatabaseUnavailable, match="Trino server") as told,
    ):
        run(bank, ASKED, max_rows=1_000)
    assert "Sign in" not in str(told.value)
    assert cell(bank, "2") == 2
    assert eventually(lambda: not coordinator.running(), GONE_WITHIN_S)


def test_a_reply_without_end_is_cut_at_the_size_of_a_result(bank: Database, coordinator: Coordinator):
    huge = Behaviour(page_rows=PAGE_ROWS, lie=lambda reply: {**reply, "data": [[1, "x" * 20_000_000]]})
    with behaving(coordinator, huge), pytest.raises(ResultTooLarge):
        run(bank, ASKED)
    assert cell(bank, "2") == 2


def test_pages_that_never_bring_the_end_are_left_at_the_deadline(bank: Database, coordinator: Coordinator):
    def again(reply: dict[str, Any]) -> Any:
        token = int(reply["nextUri"].rpartition("/")[2]) - 1
        return {**reply, "data": [], "nextUri": f"{reply['nextUri'].rpartition('/')[0]}/{token}"}

    cell(bank, "1")
    limit_s = allowed_s(0.8)
    began = time.monotonic()
    with behaving(coordinator, Behaviour(page_rows=PAGE_ROWS, lie=again)), pytest.raises(QueryTimedOut):
        run(bank, ASKED, timeout_s=limit_s)
    assert time.monotonic() - began < limit_s + allowed_s(GONE_WITHIN_S)
    assert eventually(lambda: not coordinator.running(), GONE_WITHIN_S)
    assert cell(bank, "2") == 2


@pytest.mark.parametrize("requests", [0.5, 1.5, 2.5, 3.5, 4.5, 8.5])
def test_a_slow_server_is_left_at_the_deadline_and_ends_what_it_began(
    bank: Database, coordinator: Coordinator, requests: float
):
    """The deadline comes while the transaction begins, while the statement is sent, or later."""
    cell(bank, "1")
    latency_s = 0.4
    with behaving(coordinator, Behaviour(page_rows=1, latency_s=latency_s)), pytest.raises(QueryTimedOut):
        run(bank, ASKED, timeout_s=requests * latency_s)
    assert eventually(lambda: not coordinator.running(), GONE_WITHIN_S)
    assert cell(bank, "2") == 2
