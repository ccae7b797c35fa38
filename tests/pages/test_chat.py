"""The Chat screen: the front desk or one desk, who answered and why, another desk, and what is escaped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from ai_engine.errors import BadConfiguration
from ai_engine.routing import ConversationMessage, ParticipantRole
from backend.front_desk import FrontDesk
from pages import session
from tests.ai_engine.routing.scripted import Told
from tests.pages.conftest import SCREENSHOTS, Server
from tests.pages.scripted import HOSTILE, ScriptedAssistant
from tests.pages.scripted_talk import desk_of

APP = str(Path(__file__).parents[2] / "app.py")
TABLE = {"columns": [HOSTILE, "deposits"], "rows": [["=cmd()", "Rs.1"]], "row_count": 60}
Open = Callable[..., AppTest]


def figures(*answers: object, **described: object) -> Told:
    return Told(
        "Figures", *answers, description="Counts customers and loans", examples=["How many customers?"], **described
    )


def policy(*answers: object) -> Told:
    return Told("Policy", *answers, description="Quotes rules and policies on loans", examples=["Who may approve?"])


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Open:
    def put(*agents: Told) -> AppTest:
        found = desk_of(*agents)
        monkeypatch.setattr(session, "get_front_desk", lambda: found)
        monkeypatch.setattr(session, "get_assistant", ScriptedAssistant)
        screen = AppTest.from_file(APP, default_timeout=60)
        screen.session_state["assistant"] = "front-desk"
        return screen.run().switch_page("pages/chat.py").run()

    return put


def say(screen: AppTest, message: str) -> AppTest:
    return screen.chat_input[0].set_value(message).run()


def text_of(screen: AppTest) -> str:
    return "\n".join(element.proto.body for element in screen.get("html"))


def test_the_front_desk_chooses_and_says_who_answers_how_sure_and_why(stage: Open):
    screen = say(stage(figures("12,000 customers."), policy()), "How many customers?")
    shown = text_of(screen)
    assert "12,000 customers." in shown
    assert '<span class="ba-agent">Figures <small>' in shown
    assert "closest to what Figures does" in shown
    assert not screen.exception


def test_one_desk_can_be_asked_directly(stage: Open):
    quoting = policy("Quoted.")
    screen = stage(figures(), quoting)
    screen = say(screen.selectbox(key="assistant").set_value("policy").run(), "How many customers?")
    assert "You chose Policy." in text_of(screen)
    assert quoting.given[0][0] == "How many customers?"


def test_another_desk_takes_the_message_over_and_stays_chosen_for_the_session(stage: Open):
    quoting = policy("First.", "Second.")
    screen = say(stage(figures("A figure."), quoting), "How many customers?")
    screen = screen.button(key="to_policy_c0").click().run()
    assert screen.selectbox(key="assistant").value == "policy"
    screen = say(screen, "and more?")
    assert [given[0] for given in quoting.given] == ["How many customers?", "and more?"]
    assert quoting.given[1][1] == ["How many customers?", "First."]
    screen = screen.button(key="forget").click().run()
    assert screen.selectbox(key="assistant").value == "supervisor"
    assert "First." not in text_of(screen)


def test_what_could_be_for_several_is_asked_back_with_a_button_for_each(stage: Open):
    quoting = policy("Quoted.")
    screen = say(stage(figures(), quoting), "loans")
    assert "I am not sure who should answer that" in text_of(screen)
    screen = screen.button(key="to_policy_c0").click().run()
    assert quoting.given[0][0] == "loans"


def test_a_failure_is_told_plainly(stage: Open):
    screen = say(stage(figures(RuntimeError("password=hunter2")), policy()), "How many customers?")
    shown = text_of(screen)
    assert "Something went wrong while answering." in shown
    assert "hunter2" not in shown
    screen = say(screen, "x" * 2_001)
    assert "at most 2,000 are read" in text_of(screen)
    assert not screen.exception


def test_a_stream_is_drawn_to_its_end(stage: Open):
    screen = say(stage(figures(("12,000 ", "customers."), streaming=True), policy()), "How many customers?")
    assert "12,000 customers." in text_of(screen)


def test_nothing_that_a_desk_says_becomes_markup(stage: Open):
    answer = ConversationMessage(role=ParticipantRole.ASSISTANT, content=[{"text": HOSTILE}, {"table": TABLE}])
    screen = say(stage(figures(answer), policy()), "How many customers?")
    shown = text_of(screen)
    assert "<img" not in shown.replace("&lt;img", "")
    assert "The first 1 of 60 rows" in shown
    assert screen.dataframe[0].value.iloc[0, 0] == "=cmd()"


def test_a_table_in_the_words_of_an_answer_is_drawn_as_one(stage: Open):
    answer = "Figures: here.\n\n| a\\|b | <b> |\n| --- | --- |\n| 1 | -2 |\n\nPolicy: none."
    shown = text_of(say(stage(figures(answer), policy()), "How many customers?"))
    assert "<th>a|b</th><th>&lt;b&gt;</th></tr><tr><td>1</td><td>-2</td></tr></table>" in shown
    assert "---" not in shown
    assert "Policy: none.</p>" in shown


def test_desks_that_cannot_be_opened_are_told(monkeypatch: pytest.MonkeyPatch):
    def broken() -> FrontDesk:
        raise BadConfiguration("BANK_DOCUMENTS_DIR is wrong.")

    monkeypatch.setattr(session, "get_front_desk", broken)
    screen = AppTest.from_file(APP, default_timeout=60).run().switch_page("pages/chat.py").run()
    assert "BANK_DOCUMENTS_DIR is wrong." in text_of(screen)


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_chat_page_works_in_a_browser(page: Page, bank_server: Server, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{bank_server.url}/chat")
    page.get_by_test_id("stSelectbox").locator("input").click()
    page.get_by_role("option", name="Front desk").click()
    expect(page.get_by_text("Who can help?")).to_be_visible()
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill("How many customers do we have?")
    box.press("Enter")
    expect(page.locator(".ba-agent")).to_contain_text("Figures")
    expect(page.get_by_text("Not the right one?")).to_be_visible()
    box.fill("and by state?")
    box.press("Enter")
    expect(page.locator(".ba-note", has_text="A follow-up stays with Figures")).to_be_visible()
    expect(page.get_by_test_id("stDataFrame").last).to_be_attached()
    page.get_by_text("Not the right one?").last.click()
    page.screenshot(path=SCREENSHOTS / f"chat_{width}.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
