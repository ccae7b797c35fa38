"""The README's pictures, made by clicking through the app on the sample bank.

Needs Chromium and the packages of requirements-dev.txt. Run with `make screenshots`: the store and the cache
are in a folder of their own, and settings of this shell do not count.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect, sync_playwright

from backend.settings import SAMPLE_BANK_FILE
from tests.pages.conftest import CHROMIUM_SWITCHES, PATIENCE_MS, PROJECT_ROOT, served
from tests.pages.test_page import ask, settled

PICTURES = PROJECT_ROOT / "docs"
WIDTH_PX = 1_280
MOST_KB = 250
ASKED = "Amount of loans disbursed by loan type in the west region last year"
PINNED = (
    "Number of transactions by month this year",
    "How many customers are there?",
    "Total deposits by region",
    "Number of loans by loan type",
)
WIDE = (0, 3)
"""Tiles of two columns, so that both rows are full."""
BOARD = "Branches and lending"
TABLE = "account"


def main() -> None:
    """Make every picture anew."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed; the pictures were not made.")
    for name in [name for name in os.environ if name.startswith(("BANK_", "OPENAI_"))]:
        del os.environ[name]
    expect.set_options(timeout=PATIENCE_MS)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        own = {
            "BANK_DATABASE_URL": f"duckdb:///{SAMPLE_BANK_FILE}",
            "BANK_STORE_URL": f"sqlite:///{folder}/store.sqlite",
            "BANK_CACHE_DIR": folder,
        }
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_SWITCHES)
        with served(lambda port: ["server.py", "page", "--port", str(port)], Path(folder), **own) as server:
            _take_ask(browser, server.url)
            _take_dashboard(browser, server.url)
            _take_catalogue(browser, server.url)
        browser.close()


def _take_ask(browser: Browser, url: str) -> None:
    page = _opened(browser, url)
    ask(page, ASKED)
    expect(page.locator(".ba-ties")).to_be_visible()
    _keep(page, "ask", 1_170)


def _take_dashboard(browser: Browser, url: str) -> None:
    page = _opened(browser, url)
    for place, question in enumerate(PINNED):
        page.keyboard.press("Escape")
        ask(page, question)
        page.locator(f".st-key-pin_{place} button").first.click()
        dialog = page.get_by_role("dialog")
        if place == 0:
            dialog.get_by_label("Its name").fill(BOARD)
            page.keyboard.press("Tab")
        settled(page)
        dialog.locator(f".st-key-pin_done_{place} button").click()
        expect(dialog.get_by_text(f"Pinned to {BOARD}")).to_be_visible()
    page.get_by_role("dialog").get_by_role("link").click()
    expect(page.locator(".ba-tile-title")).to_have_count(len(PINNED))
    expect(page.locator(".ba-waiting")).to_have_count(0)
    page.get_by_text("Edit", exact=True).click()
    for place in WIDE:
        page.locator('[class*="st-key-width_"]').nth(place).locator("button").first.click()
        settled(page)
    page.get_by_text("Edit", exact=True).click()
    expect(page.locator('[class*="st-key-width_"]')).to_have_count(0)
    _keep(page, "dashboard", 1_150)


def _take_catalogue(browser: Browser, url: str) -> None:
    page = _opened(browser, f"{url}/catalogue")
    page.get_by_role("button", name=TABLE, exact=True).click()
    expect(page.get_by_text(re.compile(r"^[\d,]+ rows$"))).to_be_visible()
    _keep(page, "catalogue", 900)


def _opened(browser: Browser, url: str) -> Page:
    page = browser.new_page(viewport={"width": WIDTH_PX, "height": 900}, color_scheme="light")
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    settled(page)
    return page


def _keep(page: Page, name: str, height: int) -> None:
    page.set_viewport_size({"width": WIDTH_PX, "height": height})
    settled(page)
    page.mouse.move(0, 0)
    file = PICTURES / f"{name}.png"
    page.screenshot(path=file)
    page.context.close()
    if file.stat().st_size > MOST_KB * 1_000:
        sys.exit(f"{file} is larger than {MOST_KB} KB.")


if __name__ == "__main__":
    main()
