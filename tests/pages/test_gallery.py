"""Every kind of chart on the real page, from real questions, on three widths and both grounds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.pages.conftest import PATIENCE_MS, Server
from tests.pages.test_page import ask, open_page, settled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

WIDTHS_PX = (390, 768, 1280)
MOST_LEGEND_ENTRIES = 12
QUESTIONS = {
    "ranking": "Top 40 branches by number of customers",
    "bar": "Number of customers by gender",
    "two units": "Average loan amount and average interest rate by loan type",
    "compared": "Number of transactions this year compared with last year by channel",
    "line": "Transactions by month",
    "lines": "Transaction amount by month and channel this year",
    "pie": "Share of deposits by account type",
    "scatter": "Number of customers and total deposits by branch",
    "heatmap": "Transactions by weekday and hour",
    "grouped": "Loans by status and type",
}
FAULTS = """place => {
  const chart = document.querySelector(`.st-key-turn_${place} .js-plotly-plot`);
  if (!chart) return ['no chart'];
  const faults = [], frame = chart.getBoundingClientRect();
  const texts = [...chart.querySelectorAll('svg.main-svg text')].filter(t => t.textContent.trim() && t.getBBox().width);
  for (const text of texts) {
    const box = text.getBoundingClientRect();
    const beside = box.left < frame.left - 1 || box.right > frame.right + 1;
    if (beside || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      faults.push(`clipped: ${text.textContent}`);
  }
  for (const axis of ['xtick', 'ytick']) {
    const boxes = [...chart.querySelectorAll(`.${axis} text`)].map(t => [t.textContent, t.getBoundingClientRect()]);
    boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
        faults.push(`labels over each other: ${one} / ${other}`);
    }));
  }
  const entries = chart.querySelectorAll('.legend .traces').length;
  if (entries > MOST) faults.push(`${entries} legend entries`);
  return faults;
}""".replace("MOST", str(MOST_LEGEND_ENTRIES))


@pytest.fixture(params=["light", "dark"])
def gallery(request: pytest.FixtureRequest, browser: Browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=request.param)
    context.set_default_timeout(PATIENCE_MS)
    yield request.param, context.new_page()
    context.close()


def pictured(page: Page, name: str) -> None:
    """Leave a picture for people to look at, where a folder for them is named."""
    if folder := os.environ.get("GALLERY_FOLDER"):
        page.locator(".js-plotly-plot").first.screenshot(path=Path(folder) / f"{name}.png")


def test_no_chart_clips_its_text_crowds_its_labels_or_names_dozens(gallery, bank_server: Server):
    theme, page = gallery
    open_page(page, bank_server)
    found = {}
    for name, question in QUESTIONS.items():
        ask(page, question)
        page.wait_for_selector(
            ".st-key-turn_0 .js-plotly-plot .ytick, .st-key-turn_0 .js-plotly-plot .slice", state="attached"
        )
        for width in WIDTHS_PX:
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function(
                "most => document.querySelector('.js-plotly-plot svg.main-svg').getBoundingClientRect().width <= most",
                arg=width,
            )
            page.wait_for_timeout(600)
            found[f"{name}, {width} px"] = page.evaluate(FAULTS, 0)
            pictured(page, f"{name}_{theme}_{width}".replace(" ", "_"))
        page.set_viewport_size({"width": 1280, "height": 900})
        settled(page)
        page.get_by_role("button", name="New conversation").click()
        page.wait_for_selector(".st-key-turn_0", state="detached")
    assert {place: faults for place, faults in found.items() if faults} == {}
