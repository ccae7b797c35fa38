"""The catalogue in a browser, from a word that was not understood to one that is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pages.conftest import PROJECT_ROOT, Server, served
from tests.pages.test_page import settled


@pytest.fixture(scope="module")
def editors_server(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("catalogue")
    settings = {
        "BANK_DATABASE_URL": f"duckdb:///{small_bank}",
        "BANK_VOCABULARY_FILE": str(PROJECT_ROOT / "data" / "sample_bank.yaml"),
        "BANK_STORE_URL": f"sqlite:///{folder}/store.sqlite",
        "BANK_EDITORS": "*",
        "BANK_VOCABULARY_CHECK_S": "0",
    }
    with served(lambda port: ["server.py", "page", "--port", str(port)], folder, **settings) as server:
        yield server


def test_a_word_is_taught_on_its_card_published_in_the_catalogue_and_understood(page: Page, editors_server: Server):
    page.goto(editors_server.url)
    page.get_by_placeholder("Ask about the bank's data").fill("How many NTB by branch?")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Teach “NTB”").click()
    page.get_by_label("“NTB” means").fill("customers who joined this month")
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_text("It is understood once an editor has published it")).to_be_visible()
    page.goto(f"{editors_server.url}/catalogue?section=changes")
    expect(page.get_by_role("cell", name="customers who joined this month")).to_be_visible()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Published, and in force.")).to_be_visible()
    page.goto(editors_server.url)
    page.get_by_placeholder("Ask about the bank's data").fill("How many NTB by branch?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("“NTB” was read as customers who joined this month").first).to_be_visible()


def test_a_table_is_found_opened_and_shows_what_is_wrong_at_the_field(page: Page, editors_server: Server):
    page.goto(f"{editors_server.url}/catalogue")
    page.get_by_label("Search the catalogue").fill("home branch")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="home branch").first.click()
    expect(page.get_by_text("600 rows")).to_be_visible()
    settled(page)
    page.get_by_text("Propose a change of this column").click()
    page.get_by_label("Unit").fill("bananas")
    page.get_by_role("button", name="Propose", exact=True).last.click()
    expect(page.get_by_text("bananas").last).to_be_visible()
