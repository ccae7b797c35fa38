"""The real page in a real browser; the pictures it leaves in tests/screenshots are for people to look at."""

from __future__ import annotations

import json
import re
import time
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from backend.answers.evidence_check import read_evidence
from pages.drawing.answer import LONG_HEADLINE_CHARS
from tests.pages.conftest import PATIENCE_MS, PROJECT_ROOT, SCREENSHOTS, Server

pytestmark = pytest.mark.browser

HEADLINES = PROJECT_ROOT / "tests" / "questions" / "headlines.jsonl"
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}


def open_page(page: Page, server: Server) -> None:
    page.goto(server.url)
    expect(page.get_by_text("What would you like to know?")).to_be_visible()


def ask(page: Page, question: str) -> None:
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled()
    box.fill(question)
    box.press("Enter")


def settled(page: Page) -> None:
    """Wait until the script is done, every chart and table is drawn, and nothing fades in or out any more."""
    page.wait_for_selector('[data-test-script-state="notRunning"]', timeout=PATIENCE_MS)
    page.wait_for_function(
        "() => document.querySelectorAll('[data-testid=stSkeleton]').length === 0"
        " && [...document.querySelectorAll('[data-testid=stPlotlyChart]')].every(c => c.querySelector('.main-svg'))",
        timeout=PATIENCE_MS,
    )
    page.wait_for_timeout(400)
    page.wait_for_function(
        "() => !document.getAnimations().some(one => one instanceof CSSTransition && one.playState === 'running')",
        timeout=PATIENCE_MS,
    )


def answer_of(page: Page, place: int = -1) -> str:
    answers = page.locator(".ba-answer")
    expect(answers.last).to_be_visible()
    return answers.all_inner_texts()[place]


def picture(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")


def whole_picture(page: Page, name: str) -> None:
    """Take the conversation in full, not only the part in the window."""
    size = page.viewport_size
    height = page.evaluate("document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": min(height, 5_000)})
    settled(page)
    picture(page, name)
    page.set_viewport_size(size)


WHOLE_TURNS = 2
"""Earlier turns stand as words."""


def scrolls_sideways(page: Page) -> bool:
    return page.evaluate(
        "['[data-testid=stMain]', 'html', '[data-testid=stMainBlockContainer]'].some("
        "s => { const e = document.querySelector(s); return e.scrollWidth > e.clientWidth + 1 })"
    )


def top_of(part: Locator) -> float:
    return part.evaluate("part => part.getBoundingClientRect().top")


def bottom_of(part: Locator) -> float:
    return part.evaluate("part => part.getBoundingClientRect().bottom")


def test_an_example_gives_summary_chart_table_sql_and_file(page, bank_server):
    open_page(page, bank_server)
    picture(page, "empty_1280")
    page.get_by_test_id("stMain").get_by_test_id("stButton").first.click()
    assert re.search(r"\d", answer_of(page))
    settled(page)
    expect(page.get_by_test_id("stPlotlyChart").locator(".main-svg").first).to_be_visible()
    page.get_by_role("tab", name="Table").click()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    page.get_by_role("tab", name="SQL").click()
    expect(page.get_by_test_id("stCode")).to_contain_text("SELECT")
    whole_picture(page, "answer_1280")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    lines = Path(download.value.path()).read_bytes().splitlines()
    assert lines[0].startswith(b"\xef\xbb\xbf")
    assert len(lines) == 1 + int(page.locator(".ba-rows").inner_text().split()[0])
    assert re.fullmatch(r"[a-z][a-z0-9-]+-\d{4}-\d\d-\d\d\.csv", download.value.suggested_filename)
    with page.expect_download() as workbook:
        page.get_by_role("button", name="Excel", exact=True).click()
    with zipfile.ZipFile(workbook.value.path()) as sheets:
        assert b'name="About"' in sheets.read("xl/workbook.xml")
    assert workbook.value.suggested_filename == download.value.suggested_filename.replace(".csv", ".xlsx")
    with page.expect_download() as pack:
        page.get_by_role("button", name="Evidence pack", exact=True).click()
    evidence = read_evidence(Path(pack.value.path()).read_bytes(), 32)
    asked, exported = evidence.facts["asked_by"], evidence.facts["exported_by"]
    assert (evidence.faults, asked, exported) == ((), "local", "local")
    with page.expect_download() as conversation:
        page.get_by_role("button", name="Conversation", exact=True).click()
    told = Path(conversation.value.path()).read_text("utf-8")
    assert "<svg" in told
    assert "<script" not in told


LINES_TAKEN = """texts => {
  const headline = document.querySelector('.ba-answer'), taken = {};
  for (const text of texts) {
    headline.className = text.length > LONG ? 'ba-answer ba-long' : 'ba-answer';
    headline.textContent = text;
    const box = headline.getBoundingClientRect(), style = getComputedStyle(headline);
    taken[text] = Math.round(box.height / parseFloat(style.lineHeight));
  }
  return taken;
}""".replace("LONG", str(LONG_HEADLINE_CHARS))


def test_headlines_fit_three_lines_of_a_phone(page, bank_server):
    page.set_viewport_size(PHONE)
    open_page(page, bank_server)
    ask(page, "Total loan amount disbursed this year against last year")
    said = page.locator(".ba-answer.ba-long").inner_text()
    settled(page)
    asserted = [json.loads(line)["headline"] for line in HEADLINES.read_text("utf-8").splitlines()]
    taken = page.evaluate(LINES_TAKEN, [said, *asserted])
    assert {text: lines for text, lines in taken.items() if lines > 3} == {}


def test_the_csv_holds_the_exact_figures_and_no_formula(page, scripted_server):
    open_page(page, scripted_server)
    ask(page, "List customers")
    expect(page.get_by_text("First 100 rows; there are more")).to_be_visible()
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    assert lines[0] == "customer_id,name,opened_on,balance,rate"
    assert lines[1] == "10000,Customer 0,,-500000,"
    assert lines[4].startswith("10003,\"'=HYPERLINK(")
    assert len(lines) == 101


def test_the_chart_can_be_switched(page, scripted_server):
    open_page(page, scripted_server)
    ask(page, "Transactions by month and segment")
    answer_of(page)
    settled(page)
    chart = page.get_by_test_id("stPlotlyChart")
    expect(chart.locator(".scatterlayer .trace")).to_have_count(5)
    for name, drawn in (
        ("Columns", ".barlayer .trace"),
        ("Area", ".scatterlayer .trace"),
        ("Heatmap", ".heatmaplayer"),
    ):
        page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name, exact=True)).first.click()
        expect(chart.locator(drawn).first).to_be_attached()
        settled(page)
        picture(page, f"chart_{name.lower()}")
    page.get_by_role("tab", name="Table").click()
    expect(chart).not_to_be_visible()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()


def test_a_refusal_offers_a_question_that_a_click_asks(page, scripted_server):
    open_page(page, scripted_server)
    ask(page, "flibbertigibbet")
    expect(page.get_by_role("alert")).to_contain_text("flibbertigibbet")
    settled(page)
    picture(page, "refused")
    page.get_by_test_id("stMainBlockContainer").get_by_role("button", name="Total deposits by branch").click()
    assert "Mumbai Fort" in answer_of(page)


def test_nothing_from_outside_becomes_markup_or_calls_another_host(page, scripted_server):
    hosts = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    open_page(page, scripted_server)
    for place, question in enumerate(["hostile", "List customers"]):
        ask(page, question)
        expect(page.locator(".ba-answer")).to_have_count(place + 1)
        settled(page)
    main = page.get_by_test_id("stMain")
    assert main.locator("img, a[href*=evil], a[href^=mailto], .katex, strong, h1:not(.ba-name)").count() == 0
    assert page.title() == "Banking Assistant"
    assert page.locator(".ba-answer").first.inner_text().startswith("<img src=https://evil.example/x.png")
    button = page.locator("[class*=st-key-suggestion_0_0]").inner_text().replace("\u2060", "")
    assert "![i](https://evil.example/i.png)" in button
    assert {host for host in hosts if not host.startswith("127.0.0.1")} == set()
    whole_picture(page, "hostile")


def test_a_question_of_a_hundred_kilobytes_is_refused_in_one_sentence(page, bank_server):
    open_page(page, bank_server)
    ask(page, "deposits " * 11_378)
    expect(page.get_by_role("alert")).to_contain_text("2,000")
    settled(page)
    assert not scrolls_sideways(page)
    picture(page, "long_question")


def stops(server: Server) -> int:
    return server.log.read_text().count("SLOW QUERY STOPPED")


def wait_for_stop(server: Server, before: int) -> None:
    deadline = time.monotonic() + 20
    while stops(server) == before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert stops(server) == before + 1, "the query ran on"


def test_stop_ends_the_query_and_the_turn_stays(page, scripted_server):
    before = stops(scripted_server)
    open_page(page, scripted_server)
    ask(page, "slow")
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_visible()
    expect(page.get_by_text(re.compile(r"Asking the database · \d+ s"))).to_be_visible()
    expect(page.get_by_text("Everything, slowly")).to_be_visible()
    picture(page, "working")
    stop.click()
    expect(page.get_by_role("alert")).to_contain_text("Stopped.")
    wait_for_stop(scripted_server, before)
    settled(page)
    picture(page, "stopped")
    ask(page, "Total deposits by branch")
    assert "Mumbai Fort" in answer_of(page)


def test_a_closed_tab_ends_the_query(browser, scripted_server):
    before = stops(scripted_server)
    page = browser.new_page()
    open_page(page, scripted_server)
    ask(page, "slow")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.close()
    wait_for_stop(scripted_server, before)


def test_two_turns_stay_and_the_new_one_is_in_sight(page, scripted_server):
    open_page(page, scripted_server)
    ask(page, "Total deposits by branch")
    assert "Mumbai Fort" in answer_of(page)
    ask(page, "Deposits by month")
    expect(page.locator(".ba-answer")).to_have_count(2)
    settled(page)
    assert page.locator(".ba-question").all_inner_texts() == ["Total deposits by branch", "Deposits by month"]
    expect(page.locator(".ba-answer").last).to_be_in_viewport()
    expect(page.get_by_test_id("stChatInput")).to_be_in_viewport()
    picture(page, "two_turns")


def test_repeated_failures_are_told_with_their_reasons(page, scripted_server):
    open_page(page, scripted_server)
    ask(page, "fail")
    expect(page.get_by_role("alert")).to_contain_text("no column b.nme")
    page.get_by_text("What was tried").click()
    expect(page.get_by_text("Checking the SQL did not succeed, attempt 3")).to_be_visible()
    picture(page, "failed")


@pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "light"), (DESK, "light"), (PHONE, "dark")], ids=["390", "1280", "390 dark"]
)
def test_no_width_needs_sideways_scrolling(browser, scripted_server, size, scheme):
    context = browser.new_context(viewport=size, color_scheme=scheme)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    open_page(page, scripted_server)
    assert not scrolls_sideways(page)
    picture(page, f"empty_{size['width']}_{scheme}")
    for place, question in enumerate(["Transactions by month and segment", "List customers", "hostile"]):
        ask(page, question)
        expect(page.locator(".ba-answer")).to_have_count(min(place + 1, WHOLE_TURNS))
        settled(page)
        picture(page, f"answer_{place}_{size['width']}_{scheme}")
        assert not scrolls_sideways(page)
        assert top_of(page.locator(".ba-question").last) >= bottom_of(page.locator(".st-key-heading"))
    context.close()
