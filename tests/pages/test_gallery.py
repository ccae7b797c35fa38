"""Every kind of picture on the real page, from real questions, on three widths and both grounds."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.pages.conftest import PATIENCE_MS, Server
from tests.pages.test_page import ask, open_page, settled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1_200)]

NARROWEST_PX = 390
FURTHER_WIDTHS_PX = (768, 1280)
TALL_PX = 2_400
"""A turn is seen whole, without scrolling."""
SCHEMES = ("light", "dark")
MOST_LEGEND_ENTRIES = 12
QUESTIONS = {
    "ranking": "Top 40 branches by number of customers",
    "bar": "Number of customers by gender",
    "two units": "Average loan amount and average interest rate by loan type",
    "compared": "Number of transactions this year compared with last year by channel",
    "line": "Transactions by month",
    "lines": "Transaction amount by month and channel this year",
    "area": "Transaction amount by quarter and customer segment in 2025 as an area chart",
    "pie": "Share of deposits by account type",
    "scatter": "Number of customers and total deposits by branch",
    "histogram": "List loan amounts",
    "heatmap": "Transactions by weekday and hour",
    "grouped": "Loans by status and type",
    "metric": "Total deposits, number of accounts and average balance",
    "table": "Show NPA loans",
}
FAULTS = """place => {
  const turn = document.querySelector(`.st-key-turn_${place}`), faults = [];
  const main = document.querySelector('[data-testid="stMain"]');
  if (main.scrollWidth > main.clientWidth + 1) faults.push('the page scrolls sideways');
  for (const button of turn.querySelectorAll('button')) {
    const box = button.getBoundingClientRect();
    if (box.width && (box.right > innerWidth - 8 || box.left < 8)) faults.push(`beyond the edge: ${button.innerText}`);
  }
  const chart = turn.querySelector('.js-plotly-plot');
  if (!chart) return turn.querySelector('[data-testid="stDataFrame"]') ? faults : [...faults, 'nothing is drawn'];
  const frame = chart.getBoundingClientRect();
  const texts = [...chart.querySelectorAll('svg.main-svg text')].filter(t => t.textContent.trim() && t.getBBox().width)
    .filter(t => getComputedStyle(t).opacity > 0);
  const boxes = texts.map(t => [t.textContent, t.getBoundingClientRect()]);
  for (const [text, box] of boxes) {
    const beside = box.left < frame.left - 1 || box.right > frame.right + 1;
    if (beside || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) faults.push(`clipped: ${text}`);
  }
  boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
    if (a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
      faults.push(`over each other: ${one} / ${other}`);
  }));
  const light = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = light(getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor);
  for (const text of texts.filter(t => !t.closest('.slice, .heatmaplayer'))) {
    const [low, high] = [light(getComputedStyle(text).fill), ground].sort((a, b) => a - b);
    if ((high + 0.05) / (low + 0.05) < 4.5) faults.push(`too pale: ${text.textContent}`);
  }
  const entries = chart.querySelectorAll('.legend .traces').length;
  if (entries > MOST) faults.push(`${entries} legend entries`);
  return faults;
}""".replace("MOST", str(MOST_LEGEND_ENTRIES))
UNCOVERED = "div:has(> .st-key-ask) { position: static !important } .st-key-turn_0 { min-height: 0 !important }"
DRAWN = """() => {
  const turn = document.querySelector('.st-key-turn_0');
  return turn?.querySelector('.js-plotly-plot .ytick, .js-plotly-plot .slice, .js-plotly-plot .annotation')
    || turn?.querySelector('.ba-rows') && !turn.querySelector('[class*="st-key-chart_box_"]');
}"""


@pytest.fixture
def gallery(browser: Browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


def pictured(page: Page, name: str) -> None:
    """Leave a picture for people to look at, where a folder for them is named."""
    if folder := os.environ.get("GALLERY_FOLDER"):
        page.add_style_tag(content=UNCOVERED)
        page.locator(".st-key-turn_0").screenshot(path=Path(folder) / f"{name.replace(' ', '_')}.png")


def faults_of(page: Page, name: str, width: int, scheme: str) -> list[str]:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": TALL_PX})
    page.wait_for_function(
        "most => [...document.querySelectorAll('.js-plotly-plot svg.main-svg')].every("
        "drawn => drawn.getBoundingClientRect().width <= most)",
        arg=width,
    )
    page.wait_for_timeout(600)
    pictured(page, f"{name}_{width}_{scheme}")
    return [f"{name}, {width} px, {scheme}: {fault}" for fault in page.evaluate(FAULTS, 0)]


def faults_of_all(page: Page, server: Server, widths: tuple[int, ...], schemes: tuple[str, ...]) -> list[str]:
    open_page(page, server)
    faults = []
    for name, question in QUESTIONS.items():
        ask(page, question)
        page.wait_for_function(DRAWN)
        settled(page)
        faults += [fault for width in widths for scheme in schemes for fault in faults_of(page, name, width, scheme)]
        page.get_by_role("button", name="New conversation").click()
        page.wait_for_selector(".st-key-turn_0", state="detached")
    return faults


@pytest.mark.slow
def test_on_a_phone_no_picture_clips_its_text_crowds_its_labels_or_names_dozens(gallery, bank_server: Server):
    assert faults_of_all(gallery, bank_server, (NARROWEST_PX,), ("light",)) == []


@pytest.mark.slow
def test_nor_on_any_other_width_or_ground(gallery, bank_server: Server):
    assert faults_of_all(gallery, bank_server, (NARROWEST_PX, *FURTHER_WIDTHS_PX), SCHEMES) == []


def test_a_title_takes_the_lines_that_the_width_asks_for(gallery, bank_server: Server):
    open_page(gallery, bank_server)
    ask(gallery, "Number of transactions by month this year where the channel is UPI")
    gallery.wait_for_selector(".js-plotly-plot .scatterlayer .trace")
    settled(gallery)
    lines = {}
    for width in (NARROWEST_PX, 1280):
        gallery.set_viewport_size({"width": width, "height": TALL_PX})
        gallery.wait_for_timeout(600)
        title = gallery.locator(".ba-chart-title")
        lines[width] = round(title.evaluate("t => t.firstChild && (range => (range.selectNodeContents(t.firstChild), "
                                            "new Set([...range.getClientRects()].map(r => r.top)).size))"
                                            "(document.createRange())"))  # fmt: skip
        assert title.evaluate("t => t.scrollWidth <= t.clientWidth")
    assert lines[1280] == 1
    assert lines[NARROWEST_PX] > 1


@pytest.mark.parametrize(("scheme", "ground"), [("light", (255, 255, 255)), ("dark", (18, 23, 31))])
def test_a_chart_is_saved_as_a_picture_on_the_ground_of_the_page(browser, bank_server, scheme, ground):
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme, accept_downloads=True)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    open_page(page, bank_server)
    ask(page, "Number of loans by loan type this year")
    page.wait_for_selector(".js-plotly-plot .barlayer .trace")
    settled(page)
    saved = {}
    for kind in ("PNG", "SVG"):
        page.get_by_role("button", name="Export").last.click()
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        saved[kind] = Path(download.value.path()).read_bytes()
        assert download.value.suggested_filename.startswith("number-of-loans-by-loan-type")
        assert download.value.suggested_filename.endswith(f".{kind.lower()}")
    picture = Image.open(io.BytesIO(saved["PNG"]))
    plot = page.locator(".js-plotly-plot").bounding_box()
    title = page.locator(".ba-chart-title").bounding_box()  # the page writes it above, the picture in itself
    assert picture.size[0] == pytest.approx(2 * plot["width"], abs=2)
    assert picture.size[1] / 2 - plot["height"] == pytest.approx(title["height"], abs=20)
    assert picture.convert("RGBA").getpixel((1, 1)) == (*ground, 255)
    assert len(picture.convert("RGB").getcolors(1_000_000)) > 20
    assert b"<svg" in saved["SVG"]
    assert b"Number of loans" in saved["SVG"]
    context.close()
