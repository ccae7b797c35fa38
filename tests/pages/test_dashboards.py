from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pages.conftest import PROJECT_ROOT, Server, served
from tests.pages.test_page import settled

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("dashboards")
    settings = {
        "BANK_DATABASE_URL": f"duckdb:///{small_bank}",
        "BANK_VOCABULARY_FILE": str(PROJECT_ROOT / "data" / "sample_bank.yaml"),
        "BANK_STORE_URL": f"sqlite:///{folder / 'store.sqlite'}",
        "BANK_SCHEDULERS": "*",
        "BANK_SCHEDULES_DIR": str(folder / "sent"),
        "BANK_SCHEDULE_POLL_S": "1",
        "BANK_EVALUATORS": "*",
        "BANK_QUESTION_SETS_DIR": str(folder),
    }
    line = '{"question": "How many customers are there?", "gold_sql": "SELECT COUNT(*) FROM customers"}'
    (folder / "one.jsonl").write_text(line)
    (folder / "odd.jsonl").write_text(line + "\n" + line.replace("customers", "branches", 1).replace("COUNT(*)", "1"))
    with served(lambda port: ["server.py", "page", "--port", str(port)], folder, **settings) as running:
        yield running


def pin(page: Page, question: str, place: int) -> None:
    page.get_by_test_id("stChatInputTextArea").fill(question)
    page.keyboard.press("Enter")
    page.locator(f".st-key-pin_{place} button").first.click()
    settled(page)  # or the dialog still says what was pinned last
    page.get_by_role("dialog").locator(f".st-key-pin_done_{place} button").click()
    expect(page.get_by_role("dialog").get_by_text("Pinned to")).to_be_visible()
    expect(page.get_by_role("dialog").get_by_label("Title of the tile")).to_have_count(0)


def test_an_answer_is_pinned_narrowed_edited_sent_and_taken_away(page: Page, server: Server):
    page.goto(server.url)
    pin(page, "How many customers are there?", 0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    pin(page, "Transaction value by channel last month", 1)
    page.get_by_role("dialog").get_by_role("link").click()
    titles = page.locator(".ba-tile-title")
    expect(titles).to_have_count(2)
    expect(page.locator(".ba-waiting")).to_have_count(0)
    expect(page.get_by_text("Transaction value (Rs.")).to_be_visible()
    expect(page.get_by_text("Number of customers")).to_have_count(1)
    address = page.url
    assert "d=" in address

    page.get_by_role("combobox", name="Period").click()
    page.get_by_role("option", name="Last year", exact=True).click()
    expect(page.locator(".ba-left-out")).to_have_count(1)
    expect(page.locator(".ba-left-out")).to_contain_text("as of now")

    page.get_by_text("Edit", exact=True).click()
    page.locator('[class*="st-key-remove_"] button').first.click()
    expect(titles).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(titles).to_have_count(2)
    page.locator('[class*="st-key-on_"] button').first.click()
    expect(titles.nth(1)).to_contain_text("Number of customers")

    with page.expect_download() as begun:
        page.get_by_role("button", name="HTML").click()
    assert begun.value.suggested_filename.endswith(".html")
    downloaded = Path(begun.value.path()).read_text(encoding="utf-8")
    assert "Number of customers" in downloaded

    page.get_by_text("Schedules", exact=False).first.click()
    add, mail_to = page.locator('[class*="st-key-schedule_"] button'), page.get_by_label("Mail to")
    mail_to.press_sequentially("asha@bank.example")
    add.click()
    expect(page.get_by_text("Mail is not set up here")).to_be_visible()
    mail_to.fill("")
    add.click()
    page.get_by_role("button", name="Run now").click()
    page.wait_for_timeout(2_500)
    page.goto(address)
    page.get_by_text("Schedules", exact=False).first.click()
    expect(page.get_by_text("Wrote 1 file")).to_be_visible()


def test_a_dashboard_that_is_not_there_and_no_dashboard_at_all_are_said(page: Page, server: Server):
    page.goto(f"{server.url}/dashboards?d=nobody")
    expect(page.get_by_text("Not for you")).to_be_visible()


def test_a_set_is_run_and_reported(page: Page, server: Server):
    page.goto(f"{server.url}/evaluation")
    page.get_by_role("combobox", name="Set of questions").click()
    page.get_by_role("option", name="one.jsonl").click()
    page.locator(".st-key-evaluate button").click()
    expect(page.get_by_text("Every question that was judged is right.")).to_be_visible()
    expect(page.get_by_text("100.0 %")).to_be_visible()


def test_each_failure_is_looked_into_and_a_second_run_is_held_against_the_first(page: Page, server: Server):
    page.goto(f"{server.url}/evaluation")
    page.get_by_role("combobox", name="Set of questions").click()
    page.get_by_role("option", name="odd.jsonl").click()
    page.locator(".st-key-evaluate button").click()
    expect(page.get_by_role("combobox", name="1 not right")).to_have_value("wrong: How many branches are there?")
    expect(page.get_by_text("50.0 %").first).to_be_visible()
    main = page.get_by_test_id("stMain")
    expect(main.get_by_text("Got", exact=True)).to_be_visible()
    expect(main.get_by_text("Expected", exact=True)).to_be_visible()
    expect(main.get_by_test_id("stCode").last).to_contain_text("1")
    page.locator(".st-key-evaluate button").click()
    expect(page.get_by_text("The same questions are right as in the run before.")).to_be_visible()
