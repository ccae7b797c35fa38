"""The page by two processes behind one address: what a person sees when theirs is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.backend.chat.test_api import wait_until
from tests.backend.databases.servers.small_bank import own_postgres
from tests.conftest import POSTGRES
from tests.pages.conftest import Server, served
from tests.pages.test_page import ask, open_page

pytestmark = [pytest.mark.browser, pytest.mark.server, pytest.mark.slow]


@pytest.fixture(scope="module")
def started(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with ExitStack() as open_ones:
        name = open_ones.enter_context(own_postgres(postgres_url, "processes"))
        store = f"postgresql://postgres@{POSTGRES[0]}:{POSTGRES[1]}/{name}"
        server = open_ones.enter_context(served(command, tmp_path_factory.mktemp("pair"), BANK_STORE_URL=store))
        yield server


@pytest.fixture
def pair(started: Server) -> Server:
    """Two processes on one PostgreSQL store, both ready."""

    def are_ready() -> bool:
        log = started.log.read_text()
        return log.count("is ready") - log.count("ended with status") == 2

    wait_until(are_ready, 90)
    return started


def command(port: int) -> list[str]:
    return ["-m", "tests.pages.scripted_server", str(port), "--workers", "2"]


def process_of(page: Page, server: Server) -> int | None:
    """The process that has this browser's session; None where that has ended."""
    (cookie,) = [one["value"] for one in page.context.cookies() if one["name"] == "bank_process"]
    mark = cookie.partition(".")[0]
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return next((int(one) for one in children if mark in Path(f"/proc/{one}/cmdline").read_text()), None)


def reconnected(page: Page, server: Server, killed: int) -> None:
    """Wait until the browser has found the other process, which the page shows by taking questions again."""
    wait_until(lambda: process_of(page, server) not in {killed, None}, 30)
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_enabled()


def test_who_sat_at_a_killed_process_goes_on_at_the_other_and_nobody_else_notices(
    page: Page, browser: Browser, pair: Server
):
    with browser.new_context() as other_browser:
        other = other_browser.new_page()
        open_page(page, pair)
        open_page(other, pair)
        killed = process_of(page, pair)
        assert process_of(other, pair) != killed
        for one in (page, other):
            ask(one, "Deposits by month")
            expect(one.get_by_text("Deposits grew from").first).to_be_visible()
        expect(page.get_by_role("button", name="Share or edit")).to_have_count(1)
        named = page.url
        box = page.get_by_test_id("stChatInputTextArea")
        box.fill("What are the total")

        os.kill(killed, signal.SIGKILL)
        reconnected(page, pair, killed)
        expect(page.get_by_text("Deposits grew from").first).to_be_visible()
        expect(box).to_have_value("What are the total")
        box.press_sequentially(" deposits?")
        box.press("Enter")
        expect(page.get_by_text("Total deposits are").first).to_be_visible()
        expect(page.locator(".ba-question")).to_have_text(["Deposits by month", "What are the total deposits?"])
        assert page.url == named
        assert process_of(page, pair) == process_of(other, pair)

        ask(other, "Total deposits by branch")
        expect(other.get_by_text("holds the largest deposits").first).to_be_visible()
        expect(other.locator(".ba-question")).to_have_text(["Deposits by month", "Total deposits by branch"])


def test_a_question_under_way_at_a_killed_process_says_so(page: Page, pair: Server):
    open_page(page, pair)
    ask(page, "slow: everything")
    expect(page.get_by_text("Understood:")).to_be_visible()
    killed = process_of(page, pair)
    os.kill(killed, signal.SIGKILL)
    reconnected(page, pair, killed)
    expect(page.locator(".ba-question")).to_have_text(["slow: everything"])
    expect(page.get_by_text("the process that worked on it has ended")).to_be_visible()
    ask(page, "Deposits by month")
    expect(page.get_by_text("Deposits grew from").first).to_be_visible()
    expect(page.locator(".ba-question")).to_have_text(["slow: everything", "Deposits by month"])
