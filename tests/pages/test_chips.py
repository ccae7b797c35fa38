"""A click on a chip, a bar or a next question changes the question, runs it anew and says what it was made of."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.pages.conftest import Server
from tests.pages.test_page import bottom_of, settled, top_of

pytestmark = pytest.mark.browser


def ask(page: Page, question: str) -> None:
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill(question)
    box.press("Enter")
    expect(page.locator(".st-key-turn_0 .ba-answer")).to_be_visible()


def chip(page: Page, turn: int, label: str) -> Locator:
    return page.locator(f".st-key-chips_{turn} [aria-haspopup]", has_text=label)


def test_chips_bars_and_next_questions_each_make_a_turn_of_their_own(bank_server: Server, page: Page):
    page.goto(bank_server.url)
    ask(page, "number of accounts opened in 2025 by account type")
    chip(page, 0, "by account type").click()
    page.get_by_role("button", name="By account status", exact=True).click()
    changed = page.locator(".st-key-turn_1")
    expect(changed.locator(".ba-question")).to_have_text("Accounts opened by account status, 2025")
    expect(changed.locator(".ba-origin")).to_contain_text("Changed from “number of accounts opened in 2025")
    expect(changed.locator(".ba-note", has_text="Understood as")).to_contain_text("by account status")

    expect(page.get_by_role("button", name="By account status", exact=True)).to_have_count(0)
    cross = page.locator(".st-key-chips_1").get_by_role("button", name="Leave out 2025")
    size = cross.bounding_box()
    assert size is not None
    assert min(size["width"], size["height"]) >= 24, "smaller ones are missed by fingers"
    cross.press("Enter")
    expect(page.locator(".st-key-turn_2 .ba-note", has_text="Understood as")).not_to_contain_text("2025")

    bar = page.locator(".st-key-turn_2 .js-plotly-plot .point").first
    bar.scroll_into_view_if_needed()
    place = bar.bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + 20, place["y"] + place["height"] / 2)
    its_rows = page.locator(".st-key-drill_2").get_by_role("button", name="Its rows")
    expect(its_rows).to_be_visible()
    settled(page)
    assert bottom_of(its_rows) <= top_of(page.locator(".st-key-ask")), "what a click brings is in sight"
    its_rows.click()
    expect(page.locator(".st-key-turn_3 .ba-note", has_text="Understood as")).to_contain_text("List of accounts")
    expect(page.locator(".st-key-turn_3 .ba-question")).to_contain_text("Accounts where account status is")

    page.locator(".st-key-next_2 button").first.click()
    expect(page.locator(".st-key-turn_4 .ba-answer")).to_be_visible()
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill("only in Mumbai")
    box.press("Enter")
    expect(page.locator(".st-key-turn_5 .ba-note", has_text="Understood as")).to_contain_text("Mumbai")


def test_a_number_in_a_chip_is_changed_where_it_stands(bank_server: Server, page: Page):
    page.goto(bank_server.url)
    ask(page, "top 5 branches by deposits")
    chip(page, 0, "Top 5").click()
    box = page.get_by_role("spinbutton", name="Another number")
    box.fill("7")
    box.press("Enter")
    expect(page.locator(".st-key-turn_1 .ba-note.ba-rows")).to_have_text("7 rows")


def test_a_marked_row_leads_on_as_a_bar_does(bank_server: Server, page: Page):
    page.goto(bank_server.url)
    ask(page, "number of accounts by account type")
    turn = page.locator(".st-key-turn_0")
    turn.get_by_role("tab", name="Table").click()
    grid = turn.get_by_test_id("stDataFrame")
    place = grid.bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + 15, place["y"] + 52)
    page.locator(".st-key-drill_row_0").get_by_role("button", name="Its rows").click()
    expect(page.locator(".st-key-turn_1 .ba-question")).to_contain_text("Accounts where account type is")
