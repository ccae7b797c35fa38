"""A file dropped on the page, asked, described and removed in a real browser; nobody else sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.ai_engine.scripted_model import write_bank
from tests.pages.conftest import PATIENCE_MS, Server, served
from tests.pages.test_page import settled
from tests.pages.test_walk import BEYOND_THE_EDGE

CSV = "slip,Amount,branch\n10000001,₹ 500,QUAGGA\n10000002,₹ 700,OKAPI\n"


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("own")
    bank = {
        "BANK_DATABASE_URL": str(write_bank(folder / "core.duckdb")), "BANK_UPLOADS_DIR": str(folder / "uploads"),
        "BANK_CACHE_DIR": str(folder / "cache"), "BANK_STORE_URL": f"sqlite:///{folder}/store.sqlite",
        "BANK_USER_HEADER": "X-User", "BANK_ADMINISTRATORS": "asha", "BANK_UPLOADERS": "asha,ravi",
    }  # fmt: skip
    with served(lambda port: ["server.py", "page", "--port", str(port)], folder, **bank) as server:
        yield server


def visit(browser: Browser, url: str, who: str) -> Page:
    context = browser.new_context(extra_http_headers={"X-User": who}, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(url)
    return page


def test_what_is_dropped_is_shown_kept_asked_and_gone_when_removed(browser, own_server, tmp_path: Path):
    folder = Path(own_server.log).parent
    page = visit(browser, f"{own_server.url}/your_data", "asha")
    expect(page.get_by_text("You have brought nothing yet")).to_be_visible()
    page.set_input_files("input[type=file]", [{"name": "vouchers.csv", "mimeType": "text/csv", "buffer": CSV.encode()}])
    expect(page.get_by_text("2 rows, 3 columns. Read as UTF-8")).to_be_visible()
    page.get_by_role("button", name="Keep this table").click()
    expect(page.get_by_text("From vouchers.csv")).to_be_visible()
    expect(page.get_by_text("Is “slip” of voucher a number")).to_be_visible()
    page.get_by_text("a code", exact=True).click()
    page.get_by_role("button", name="That is right").click()
    expect(page.get_by_role("button", name="That is right")).to_have_count(0)

    other = visit(browser, f"{own_server.url}/your_data?source=own", "ravi")
    expect(other.get_by_text("You have brought nothing yet")).to_be_visible()
    other.goto(f"{own_server.url}/?source=own")
    expect(other.get_by_text("There is no data source named 'own' for you")).to_be_visible()
    assert "QUAGGA" not in other.content()
    other.context.close()
    nobody = visit(browser, f"{own_server.url}/your_data", "vikram")
    expect(nobody.get_by_text("You may not bring data of your own")).to_be_visible()
    nobody.context.close()

    page.get_by_role("button", name="Ask about it").click()
    page.get_by_test_id("stChatInputTextArea").fill("Total amount by branch")
    page.get_by_test_id("stChatInputTextArea").press("Enter")
    expect(page.get_by_text("QUAGGA").first).to_be_visible()
    assert "source=own" in page.url

    settled(page)  # the list closes when the page is drawn again
    page.locator(".st-key-chosen_source [role=combobox]").click()
    page.get_by_role("option").first.click()
    expect(page.get_by_role("button", name="Back to the conversation before")).to_be_visible()
    page.get_by_test_id("stChatInputTextArea").fill("How many accounts are there?")
    page.get_by_test_id("stChatInputTextArea").press("Enter")
    expect(page.locator(".ba-answer")).to_be_visible()
    expect(page.locator(".ba-question")).to_have_text(["How many accounts are there?"])
    page.get_by_test_id("stSidebar").get_by_role("button", name="Total amount by branch").click()
    expect(page.locator(".ba-question")).to_have_text(["Total amount by branch"])
    own = page.url
    page.goto(own.replace("source=own&", "").replace("&source=own", ""))
    expect(page.locator(".ba-question")).to_have_text(["Total amount by branch"])
    expect(page.locator(".st-key-chips_0 button").first).to_be_visible()
    expect(page.get_by_role("combobox", name="Data source")).to_have_value("Your own data")
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert page.evaluate(BEYOND_THE_EDGE) == []
    page.set_viewport_size({"width": 1280, "height": 900})

    page.get_by_role("link", name="Your data").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("You have brought nothing yet")).to_be_visible()
    assert not list((folder / "uploads").glob("*/data.duckdb"))
    page.context.close()


def test_settings_are_changed_by_those_who_may_and_looked_at_by_the_rest(browser, own_server):
    page = visit(browser, f"{own_server.url}/settings", "asha")
    page.get_by_role("button", name="Test the connection").first.click()
    expect(page.get_by_text("core.duckdb was reached; 5 tables can be read.")).to_be_visible()
    page.get_by_role("tab", name="Policy").click()
    page.get_by_role("textbox", name="BANK_MAX_ROWS").fill("many")
    page.get_by_role("tabpanel").get_by_role("button", name="Change").locator("visible=true").click()
    expect(page.get_by_text("BANK_MAX_ROWS: Input should be a valid integer")).to_be_visible()
    page.get_by_role("textbox", name="BANK_MAX_ROWS").fill("7")
    page.get_by_role("tabpanel").get_by_role("button", name="Change").locator("visible=true").click()
    expect(page.get_by_text("Changed. It counts from the next question on.")).to_be_visible()
    page.get_by_role("combobox", name="BANK_ALLOW_UNION").click()
    expect(page.get_by_role("option")).to_have_text(["false", "true"])
    page.keyboard.press("Escape")
    page.context.close()
    other = visit(browser, f"{own_server.url}/settings", "ravi")
    expect(other.get_by_text("those named in BANK_ADMINISTRATORS can change")).to_be_visible()
    assert other.get_by_role("button", name="Test the connection").count() == 0
    other.get_by_role("tab", name="Policy").click()
    expect(other.get_by_role("textbox", name="BANK_MAX_ROWS")).to_have_value("7")
    expect(other.get_by_role("textbox", name="BANK_MAX_ROWS")).to_be_disabled()
    other.context.close()
