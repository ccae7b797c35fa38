"""Every page as people find it: on three widths and both grounds, by its edges and by a screen reader's rules."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.pages.conftest import PATIENCE_MS, Server
from tests.pages.test_page import ask, scrolls_sideways, settled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

QUESTION = "Total deposits by branch"
FEWEST_PAGES = 3
SERIOUS = ("serious", "critical")
BEYOND_THE_EDGE = """() => [...document.querySelectorAll('[data-testid="stMain"] button, [data-testid="stMain"] input')]
  .filter(part => part.checkVisibility() && part.getBoundingClientRect().width)
  .filter(part => !part.closest('[aria-hidden="true"], [data-testid="stDataFrame"], [class*="scroll"]'))
  .filter(part => part.getBoundingClientRect().right > innerWidth || part.getBoundingClientRect().left < 0)
  .map(part => `beyond the edge: ${part.innerText || part.ariaLabel || part.type}`)"""


class Watched:
    """A page of its own context, with whatever its browser complained of and asked other hosts for."""

    def __init__(self, browser: Browser, server: Server, width: int, scheme: str) -> None:
        size = {"width": width, "height": 1_000}
        self.context = browser.new_context(viewport=size, color_scheme=scheme, accept_downloads=True)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.server = server
        self.faults: list[str] = []
        self.page.on("pageerror", lambda fault: self.faults.append(f"{self.page.url}: {fault}"))
        self.page.on("console", self._hear)
        self.page.on("request", self._see)

    def _hear(self, line) -> None:
        if line.type == "error":
            self.faults.append(f"{self.page.url}: {line.text}")

    def _see(self, request) -> None:
        if request.url.startswith(("http", "ws")) and "//127.0.0.1:" not in request.url:
            self.faults.append(f"{self.page.url} asks {request.url}")


def paths_of(page: Page, server: Server) -> list[str]:
    page.goto(server.url)
    settled(page)
    links = page.get_by_test_id("stSidebarNavLink")
    paths = sorted(set(links.evaluate_all("links => links.map(link => new URL(link.href).pathname)")))
    assert len(paths) > FEWEST_PAGES
    return paths


def violations(page: Page) -> list[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{page.url}: {one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in SERIOUS
    ]


def looked_at(watched: Watched, name: str) -> list[str]:
    page = watched.page
    settled(page)
    faults = [f"{name}: scrolls sideways"] if scrolls_sideways(page) else []
    faults += [f"{name}: {fault}" for fault in page.evaluate(BEYOND_THE_EDGE)]
    if folder := os.environ.get("GALLERY_FOLDER"):
        page.screenshot(path=Path(folder) / f"{name}.png")
    return faults


def walk(browser: Browser, server: Server, width: int, scheme: str) -> list[str]:
    """Open every page by its address, with an answer on the first; return what is wrong."""
    watched = Watched(browser, server, width, scheme)
    faults = []
    for path in paths_of(watched.page, server):
        watched.page.goto(f"{server.url}{path}")
        settled(watched.page)
        if path in ("/", "/ask"):
            ask(watched.page, QUESTION)
            watched.page.wait_for_selector(".js-plotly-plot .barlayer .trace")
        name = f"{path.strip('/') or 'ask'}_{width}_{scheme}"
        faults += looked_at(watched, name) + violations(watched.page)
    faults += watched.faults
    watched.context.close()
    return faults


def test_every_page_holds_on_a_phone_in_the_dark_without_a_serious_fault(browser, bank_server):
    assert walk(browser, bank_server, 390, "dark") == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "light"), (1280, "dark"), (1920, "light")])
def test_nor_has_it_one_on_any_other_screen(browser, bank_server, width, scheme):
    assert walk(browser, bank_server, width, scheme) == []
