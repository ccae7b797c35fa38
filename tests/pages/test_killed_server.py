"""A server that is killed loses nothing that was shown; another on the same store shows it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pages.conftest import served
from tests.pages.test_page import ask, open_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def command(port: int) -> list[str]:
    return ["-m", "tests.pages.scripted_server", str(port)]


def test_what_was_shown_survives_a_kill_and_a_locked_store_holds_no_answer_up(page: Page, tmp_path: Path):
    file = tmp_path / "store.sqlite"
    settings = {"BANK_STORE_URL": f"sqlite:///{file}", "BANK_STORE_TIMEOUT_S": "0.5"}
    with served(command, tmp_path, **settings) as first:
        open_page(page, first)
        ask(page, "Deposits by month")
        expect(page.get_by_text("Deposits grew from").first).to_be_visible()
        expect(page.get_by_role("button", name="Share or edit")).to_be_visible()
        named = page.url.partition("?")[2]
        first.process.kill()
    with served(command, tmp_path, **settings) as second:
        page.goto(f"{second.url}/?{named}")
        expect(page.get_by_text("Deposits grew from").first).to_be_visible()
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            ask(page, "What are the total deposits?")
            expect(page.get_by_text("Total deposits are").first).to_be_visible()
            expect(page.get_by_role("status").get_by_text("by another program for too long")).to_be_visible()
            expect(page.get_by_text("lasts as long as this page is open")).to_be_visible()
