"""What one person chooses on the settings page, on all they see and at once; and the list of all settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.pages.conftest import PROJECT_ROOT, Server, served
from tests.pages.test_your_data import visit

OTHER_GROUPING = re.compile(r"lakh|crore|\d,\d\d,\d")


@pytest.fixture(scope="module")
def formats_server(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("formats_page")
    settings = {
        "BANK_DATABASE_URL": f"duckdb:///{small_bank}", "BANK_USER_HEADER": "X-User",
        "BANK_VOCABULARY_FILE": str(PROJECT_ROOT / "data" / "sample_bank.yaml"),
        "BANK_STORE_URL": f"sqlite:///{folder}/store.sqlite", "BANK_CACHE_DIR": str(folder / "cache"),
        "BANK_ADMINISTRATORS": "asha", "BANK_SMTP_PASSWORD": "hunter2-of-the-bank", "BANK_VERIFIERS": "vikram",
    }  # fmt: skip
    with served(lambda port: ["server.py", "page", "--port", str(port)], folder, **settings) as server:
        yield server


def test_a_choice_counts_at_once_on_a_card_that_is_there_already_and_for_nobody_else(browser, formats_server):
    page = visit(browser, formats_server.url, "asha")
    page.get_by_test_id("stChatInputTextArea").fill("Total deposits by branch")
    page.get_by_test_id("stChatInputTextArea").press("Enter")
    card = page.locator(".st-key-turn_0")
    expect(card.locator(".ba-answer")).to_contain_text("crore")
    expect(card.locator(".ba-ties")).to_contain_text("Ties out")

    page.get_by_role("link", name="Settings").click()
    page.get_by_role("tab", name="Your formats").click()
    page.get_by_text("12,345,678 with million and billion").click()
    expect(page.get_by_text("So: Rs.12.35 million in a sentence")).to_be_visible()
    page.get_by_text("2026-11-23", exact=True).click()
    expect(page.get_by_text("on 2026-11-23.")).to_be_visible()

    page.get_by_role("tab", name="All settings").click()
    page.get_by_role("textbox", name="Search settings").fill("smtp password")
    page.get_by_role("textbox", name="Search settings").press("Enter")
    expect(page.get_by_text("1 setting", exact=True)).to_be_visible()
    expect(page.get_by_text("set, not shown")).to_be_visible()
    assert "hunter2" not in page.content()

    page.get_by_role("link", name="Ask", exact=True).click()
    expect(card.locator(".ba-answer")).to_contain_text("million")
    expect(card.locator(".ba-ties")).to_contain_text("Ties out")
    expect(card.locator(".js-plotly-plot").first).to_be_visible()
    assert not OTHER_GROUPING.search(card.inner_text())
    page.context.close()

    other = visit(browser, f"{formats_server.url}/settings", "ravi")
    other.get_by_role("tab", name="Your formats").click()
    expect(other.get_by_role("radio", name="As the currency has it")).to_be_checked()
    other.get_by_role("tab", name="All settings").click()
    expect(other.get_by_text("shown to administrators").first).to_be_visible()
    assert "vikram" not in other.content()
    other.context.close()
