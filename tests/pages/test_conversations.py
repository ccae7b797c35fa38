"""Conversations that survive, in a real browser and across servers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.pages.conftest import Server
from tests.pages.test_page import DESK, ask, bottom_of, open_page, picture, settled, top_of

pytestmark = pytest.mark.browser


def asked(page: Page) -> list[str]:
    return page.locator(".ba-question").all_inner_texts()


def test_a_conversation_survives_a_reload_and_is_found_renamed_deleted_and_taken_back(page, scripted_server):
    open_page(page, scripted_server)
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_focused()
    box.press("Enter")
    expect(page.locator(".ba-question")).to_have_count(0)
    ask(page, "Deposits by month")
    expect(page).to_have_url(re.compile(r"\?c=[0-9a-f]{32}"))
    expect(page.get_by_text("Deposits grew from").first).to_be_visible()
    settled(page)
    page.reload()
    expect(page.get_by_text("Deposits grew from").first).to_be_visible()
    settled(page)
    picture(page, "conversations_1280")
    side = page.get_by_test_id("stSidebar")
    expect(side.locator(".ba-side-open")).to_have_text("Deposits by month")
    side.locator(".st-key-conversation_open button").click()
    name = page.get_by_label("Name")
    name.fill("Board pack")
    name.press("Enter")
    expect(side.locator(".ba-side-open")).to_have_text("Board pack")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_text("What would you like to know?")).to_be_visible()
    expect(side.get_by_role("button", name="Board pack")).to_be_visible()
    page.get_by_role("button", name="Back to the conversation before").click()
    expect(page.get_by_text("Deposits grew from").first).to_be_visible()
    settled(page)
    expect(side.locator(".st-key-conversation_open")).to_have_count(1)
    side.locator(".st-key-conversation_open button").click()
    page.get_by_role("button", name="Delete").click()
    expect(side.get_by_text("Deleted: Board pack")).to_be_visible()
    side.get_by_role("button", name="Undo").click()
    expect(side.locator(".ba-side-open")).to_have_text("Board pack")
    expect(page.get_by_text("Deposits grew from").first).to_be_visible()


def test_what_is_typed_while_an_answer_is_made_is_kept_and_asked_next(page, scripted_server):
    open_page(page, scripted_server)
    ask(page, "unhurried question")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    box = page.get_by_test_id("stChatInputTextArea")
    box.press_sequentially("What are the total ")
    box.press_sequentially("deposits?")
    box.press("Enter")
    expect(page.get_by_text("Total deposits are").first).to_be_visible()
    settled(page)
    assert asked(page) == ["Deposits by month", "What are the total deposits?"]
    expect(page.get_by_text("Deposits grew from").first).to_be_visible()
    box.press("ArrowUp")
    expect(box).to_have_value("What are the total deposits?")
    box.press("ArrowUp")
    expect(box).to_have_value("Deposits by month")
    box.press("ArrowDown")
    expect(box).to_have_value("What are the total deposits?")
    box.fill("  ")
    box.press("Enter")
    settled(page)
    expect(box).to_have_value("  ")
    assert len(asked(page)) == 2


def replace_the_first(page, question):
    page.get_by_role("button", name="Share or edit").first.click()
    page.get_by_label("Ask this instead").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("2 turns were replaced.")).to_be_visible()
    settled(page)


def test_an_edited_question_replaces_what_followed_and_can_be_taken_back(page, scripted_server):
    open_page(page, scripted_server)
    for question, told in (("Deposits by month", "Deposits grew"), ("What are the total deposits?", "Total deposits")):
        ask(page, question)
        expect(page.get_by_text(told).first).to_be_visible()
        settled(page)
    replace_the_first(page, "Total deposits by branch")
    assert asked(page) == ["Total deposits by branch"]
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Total deposits are").first).to_be_visible()
    assert asked(page) == ["Deposits by month", "What are the total deposits?"]
    settled(page)
    page.reload()
    expect(page.get_by_text("Total deposits are").first).to_be_visible()
    assert asked(page) == ["Deposits by month", "What are the total deposits?"]


def test_a_question_put_in_the_place_of_a_later_one_is_in_sight_though_those_before_are_drawn_whole_again(
    page, scripted_server
):
    open_page(page, scripted_server)
    for _ in range(3):
        ask(page, "Total deposits by branch")
        settled(page)
    replace_the_first(page, "Deposits by month")
    last = page.locator(".ba-question").last
    expect(last).to_have_text("Deposits by month")
    assert bottom_of(page.locator(".st-key-heading")) <= top_of(last) < 200


def test_an_answer_opens_by_its_link_for_its_owner_and_for_others_once_it_is_shared(
    page: Page, browser: Browser, scripted_server: Server
):
    open_page(page, scripted_server)
    ask(page, "Deposits by month")
    expect(page.get_by_text("Deposits grew from").first).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Share or edit").click()
    link = page.get_by_test_id("stCode").filter(has_text="?a=").inner_text().strip()
    assert link.startswith(f"{scripted_server.url}/?a=")
    page.goto(link)
    expect(page.get_by_text("kept since, not asked again")).to_be_visible()
    expect(page.get_by_text("As of 30 September 2025")).to_be_visible()
    expect(page.get_by_text("Deposits grew from").first).to_be_visible()
    settled(page)
    picture(page, "kept_answer_1280")
    other = browser.new_context(viewport=DESK)
    strange = other.new_page()
    strange.goto(link.replace("a=", "a=0"))
    expect(strange.get_by_text("it is not yours to open")).to_be_visible()
    other.close()
