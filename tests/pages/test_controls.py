"""Every control of every page, clicked or filled in: nothing breaks, nothing leaves the screen, no reader is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, ElementHandle, Page
from playwright.sync_api import Error as BrowserError

from tests.pages.conftest import PROJECT_ROOT, Server, served
from tests.pages.test_page import ask, settled
from tests.pages.test_walk import QUESTION, Watched, looked_at, paths_of, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1_800), pytest.mark.slow]

MOST_CONTROLS = 60
"""Of one page: lists that grow with what was clicked before would never end."""
ROLES = ("VERIFIERS", "AUDITORS", "EDITORS", "ADMINISTRATORS", "UPLOADERS", "EVALUATORS", "SCHEDULERS")
CONTROLS = """() => {
  const over = document.querySelectorAll('[role=dialog], [data-testid="stPopoverBody"]');
  const places = over.length ? [over[over.length - 1]] : document.querySelectorAll('[data-testid="stMain"]');
  return [...places].flatMap(place => [...place.querySelectorAll('button, summary, input, textarea, [role=tab]')])
    .filter(part => part.type === 'file' || (part.checkVisibility() && part.getBoundingClientRect().width))
    .filter(part => !part.disabled && (part.tabIndex >= 0 || part.getAttribute('role')))
    .filter(part => !part.closest('[data-testid="stDataFrame"], .js-plotly-plot, [aria-hidden="true"]'));
}"""
NAME = """part => [part.getAttribute('role') || part.type || part.tagName,
  part.getAttribute('aria-label') || part.innerText || part.labels?.[0]?.innerText || part.placeholder || part.id,
  part.closest('[class*="st-key-"]')?.className.match(/st-key-([a-z_]+)/)?.[1]].join(' ')"""
FEWEST_CONTROLS = 60
PATIENCE_S = 10
TYPED = ("text", "search", "number", "textarea", "password")


@pytest.fixture(scope="module")
def free_server(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A page on which everybody may do everything, as its store is thrown away."""
    folder = tmp_path_factory.mktemp("controls")
    own = {
        "BANK_DATABASE_URL": f"duckdb:///{small_bank}",
        "BANK_VOCABULARY_FILE": str(PROJECT_ROOT / "data" / "sample_bank.yaml"),
        "BANK_STORE_URL": f"sqlite:///{folder}/store.sqlite", "BANK_CACHE_DIR": str(folder),
        "BANK_UPLOADS_DIR": str(folder / "uploads"), **{f"BANK_{role}": "*" for role in ROLES},
    }  # fmt: skip
    with served(lambda port: ["server.py", "page", "--port", str(port)], folder, **own) as server:
        yield server


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_every_control_can_be_used_and_leaves_the_page_whole(browser: Browser, free_server: Server, width, scheme):
    watched = Watched(browser, free_server, width, scheme)
    faults: list[str] = []
    used: list[str] = []
    for path in paths_of(watched.page, free_server):
        found, names = _used_up(watched, path)
        faults += [f"{path} at {width} px, {scheme}: {fault}" for fault in found]
        used += names
    watched.context.close()
    assert not faults + watched.faults, "\n".join(faults + watched.faults)
    assert len(used) > FEWEST_CONTROLS


def _used_up(watched: Watched, path: str) -> tuple[list[str], list[str]]:
    """Use each control of a page that was not used before, also those that others bring; return faults and names."""
    faults: list[str] = []
    used: list[str] = []
    _open(watched, path)
    while len(used) < MOST_CONTROLS and (control := _next_control(watched.page, used)) is not None:
        before = len(_controls(watched.page))
        used.append(_name(control))
        try:
            _use(watched.page, control)
        except BrowserError as fault:
            if control.evaluate("part => part.isConnected && part.checkVisibility({opacityProperty: true})"):
                faults.append(f"{used[-1]}: {str(fault).splitlines()[0]}")
        faults += looked_at(watched, used[-1])
        if watched.page.locator('[data-testid="stException"]').count():
            faults.append(f"{used[-1]}: a traceback")
        if len(_controls(watched.page)) != before:
            faults += violations(watched.page)
        if urlparse(watched.page.url).path != path:
            _open(watched, path)
    return faults, used


def _open(watched: Watched, path: str) -> None:
    watched.page.goto(f"{watched.server.url}{path}")
    settled(watched.page)
    if path in ("/", "/ask"):
        ask(watched.page, QUESTION)
        settled(watched.page)


def _controls(page: Page) -> list[ElementHandle]:
    """Return what can be used now: within the dialog or list that lies over the page, where there is one."""
    found = page.evaluate_handle(CONTROLS)
    return [part.as_element() for part in found.get_properties().values()]  # type: ignore[misc]


def _next_control(page: Page, used: list[str]) -> ElementHandle | None:
    for _ in range(2):
        for control in _controls(page):
            if _name(control) not in used:
                return control
        page.keyboard.press("Escape")  # what lay over the page is used up
        settled(page)
    return None


def _name(control: ElementHandle) -> str:
    """Return a control's name without its figures: one of each kind of row is enough."""
    return re.sub(r"[0-9]+", "0", " ".join(str(control.evaluate(NAME)).split()))


def _use(page: Page, control: ElementHandle) -> None:
    control.scroll_into_view_if_needed(timeout=PATIENCE_S * 1_000)
    kind = control.evaluate("part => part.tagName === 'TEXTAREA' ? 'textarea' : part.type")
    if kind in TYPED and control.get_attribute("role") != "combobox":
        control.fill("12")
        control.press("Enter")
    elif kind == "file":
        control.set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"branch,amount\nPune,12\n"})
    elif kind in ("checkbox", "radio"):
        control.evaluate("part => part.click()")
    else:
        control.click(timeout=PATIENCE_S * 1_000)
        if control.get_attribute("role") == "combobox" and page.get_by_role("option").count():
            page.get_by_role("option").last.click()
