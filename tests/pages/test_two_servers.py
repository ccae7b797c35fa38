"""Two servers on one PostgreSQL store, which goes away in the middle and comes back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.backend.databases.servers.small_bank import own_postgres
from tests.conftest import POSTGRES
from tests.pages.conftest import Server, served
from tests.pages.relay import Relay
from tests.pages.test_page import ask, open_page

pytestmark = [pytest.mark.browser, pytest.mark.server, pytest.mark.slow]


@dataclass(frozen=True)
class Pair:
    """Two servers, and their way to the store."""

    one: Server
    other: Server
    way: Relay


@pytest.fixture
def pair(postgres_url: str, tmp_path: Path) -> Iterator[Pair]:
    with ExitStack() as open_ones:
        name = open_ones.enter_context(own_postgres(postgres_url, "pages"))
        way = Relay(POSTGRES)
        open_ones.callback(way.cut)
        settings = {
            "BANK_STORE_URL": f"postgresql://postgres@127.0.0.1:{way.port}/{name}", "BANK_STORE_TIMEOUT_S": "2",
        }  # fmt: skip
        servers = []
        for place in ("one", "other"):
            (tmp_path / place).mkdir()
            servers.append(open_ones.enter_context(served(command, tmp_path / place, **settings)))
        yield Pair(servers[0], servers[1], way)


def command(port: int) -> list[str]:
    return ["-m", "tests.pages.scripted_server", str(port)]


def test_a_conversation_goes_on_on_another_server_and_outlives_a_store_that_goes_away(page: Page, pair: Pair):
    grew, totals = page.get_by_text("Deposits grew from").first, page.get_by_text("Total deposits are").first
    side, kept = page.get_by_test_id("stSidebar"), page.get_by_role("button", name="Share or edit")
    open_page(page, pair.one)
    ask(page, "Deposits by month")
    expect(kept).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?c=[0-9a-f]{32}"))
    named = page.url.partition("?")[2]

    page.goto(f"{pair.other.url}/?{named}")
    expect(grew).to_be_visible()
    ask(page, "What are the total deposits?")
    expect(kept).to_have_count(2)
    side.locator(".st-key-conversation_open button").click()
    page.get_by_label("Name").fill("Board pack")
    page.get_by_label("Name").press("Enter")
    expect(side.locator(".ba-side-open")).to_have_text("Board pack")

    page.goto(f"{pair.one.url}/?{named}")
    expect(grew).to_be_visible()
    expect(totals).to_be_visible()
    expect(side.locator(".ba-side-open")).to_have_text("Board pack")

    pair.way.cut()
    ask(page, "Total deposits by branch")
    expect(page.get_by_text("holds the largest deposits").first).to_be_visible()
    expect(page.get_by_role("status").get_by_text("lasts as long as this page is open")).to_be_visible()
    pair.way.mend()
    page.wait_for_timeout(15_500)  # a store that failed is left alone for so long
    ask(page, "Which branch?")
    expect(page.get_by_text("Which branch do you mean").first).to_be_visible()
    expect(page.get_by_text("lasts as long as this page is open")).to_have_count(0)

    page.goto(f"{pair.other.url}/?{named}")
    expect(page.get_by_text("Which branch do you mean").first).to_be_visible()
    expect(page.locator(".ba-question")).to_have_text(
        ["Deposits by month", "What are the total deposits?", "Total deposits by branch", "Which branch?"]
    )
