"""A language model's summary on the page: the rows do not wait for it, and it can be stopped."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.ai_engine.llm.server import Answer, ChatServer, says, streams
from tests.backend.test_summary_follows import QUESTION, READ, SENTENCES, TOLD
from tests.pages.conftest import PROJECT_ROOT, Server, served
from tests.pages.test_page import ask, open_page, picture, settled

pytestmark = pytest.mark.browser

WRONG = {"summary": f"{SENTENCES[0]} It grew by 12.3% over the years that the bank has had customers.", "chart": "pie"}


def held(told: object) -> Answer:
    """A summary whose end waits until a test lets it go."""
    return streams(told, pause_s=0.02, last=threading.Event())


def let_go(telling: Answer) -> None:
    assert telling.last is not None
    telling.last.set()


class TellingServer(ChatServer):
    """Understands the one question, and tells its result as a test wants."""

    def __init__(self) -> None:
        super().__init__(())
        self.telling = held(TOLD)

    def next_answer(self, request: dict[str, Any], key: str | None) -> Answer:
        return self.telling if "InsightReply" in str(request.get("response_format")) else says(READ)


@contextmanager
def running() -> Iterator[TellingServer]:
    server = TellingServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def language_model() -> Iterator[TellingServer]:
    with running() as server:
        yield server


@pytest.fixture(scope="module")
def model_page(
    small_bank: Path, language_model: TellingServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("model_page")
    settings = {
        "BANK_DATABASE_URL": f"duckdb:///{small_bank}",
        "BANK_VOCABULARY_FILE": str(PROJECT_ROOT / "data" / "sample_bank.yaml"),
        "BANK_STORE_URL": f"sqlite:///{folder / 'store.sqlite'}",
        "OPENAI_BASE_URL": language_model.base_url,
    }
    with served(lambda port: ["server.py", "page", "--port", str(port)], folder, **settings) as server:
        yield server


@pytest.fixture
def asked(page: Page, model_page: Server, language_model: TellingServer) -> Any:
    def begin(telling: Answer) -> Page:
        language_model.telling = telling
        language_model.hung_up.clear()
        open_page(page, model_page)
        ask(page, QUESTION)
        expect(page.get_by_role("tab", name="Table")).to_be_visible()
        return page

    return begin


def can_ask(page: Page) -> None:
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_enabled()


def headline(page: Page) -> str:
    return page.locator(".ba-answer").last.inner_text()


def test_rows_and_chart_are_there_while_the_summary_comes_and_then_it_takes_the_place(asked):
    telling = held(TOLD)
    page = asked(telling)
    by_rule = headline(page)
    assert re.search(r"\d", by_rule)
    expect(page.get_by_test_id("stPlotlyChart").locator(".main-svg").first).to_be_visible()
    expect(page.get_by_role("button", name="Stop the summary")).to_be_visible()
    can_ask(page)
    expect(page.get_by_role("status").filter(has_text=SENTENCES[0])).to_be_visible()
    assert headline(page) == by_rule
    picture(page, "telling")
    let_go(telling)
    expect(page.locator(".ba-answer")).to_have_text(TOLD["summary"])
    expect(page.get_by_role("button", name="Stop the summary")).to_have_count(0)
    settled(page)
    can_ask(page)
    page.get_by_role("tab", name="Details").click()
    expect(page.get_by_text("Telling the result")).to_be_visible()


def test_a_stopped_summary_leaves_the_rule_made_one_and_the_model_is_left(asked, language_model):
    page = asked(held(TOLD))
    by_rule = headline(page)
    page.get_by_role("button", name="Stop the summary").click()
    expect(page.get_by_role("button", name="Stop the summary")).to_have_count(0)
    assert language_model.hung_up.wait(10)
    settled(page)
    can_ask(page)
    assert headline(page) == by_rule
    expect(page.get_by_test_id("stPlotlyChart")).to_be_visible()


def test_a_click_beside_it_does_not_end_the_summary(asked):
    telling = held(TOLD)
    page = asked(telling)
    page.get_by_role("radio", name="Pie").or_(page.get_by_role("button", name="Pie", exact=True)).first.click()
    expect(page.locator(".pielayer .slice").first).to_be_attached()
    let_go(telling)
    expect(page.locator(".ba-answer")).to_have_text(TOLD["summary"])
    settled(page)
    expect(page.locator(".pielayer .slice").first).to_be_attached()


def test_the_next_question_need_not_wait_and_ends_the_summary(asked, language_model):
    page = asked(held(TOLD))
    by_rule = headline(page)
    language_model.telling = streams(TOLD)
    ask(page, QUESTION)
    expect(page.locator(".ba-question")).to_have_count(2)
    assert language_model.hung_up.wait(10)
    expect(page.locator(".ba-answer").last).to_have_text(TOLD["summary"])
    assert page.locator(".ba-answer").first.inner_text() == by_rule


def test_a_sentence_with_a_figure_from_nowhere_is_never_on_the_screen(asked):
    telling = held(WRONG)
    page = asked(telling)
    by_rule = headline(page)
    expect(page.get_by_role("status").filter(has_text=SENTENCES[0])).to_be_visible()
    let_go(telling)
    expect(page.get_by_role("button", name="Stop the summary")).to_have_count(0)
    settled(page)
    can_ask(page)
    assert headline(page) == by_rule
    expect(page.get_by_text("12.3%")).to_have_count(0)
    expect(page.get_by_text(SENTENCES[0])).to_have_count(0)


def test_a_summary_that_ends_at_once_leaves_the_page_ready_for_the_next_question(asked):
    page = asked(streams(TOLD))
    expect(page.locator(".ba-answer")).to_have_text(TOLD["summary"])
    settled(page)
    can_ask(page)
