"""The Chat screen with the supervisor: what it decides, workflows, contents, questions in place, stop, history."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from pages import session
from tests.pages.conftest import SCREENSHOTS, Server
from tests.pages.scripted import ScriptedAssistant
from tests.pages.scripted_talk import desk_of, scripted_chats

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], AppTest]]:
    """Opens the page for a new visitor; all visitors of a test share the chats."""
    chats, desk = scripted_chats(), desk_of()
    monkeypatch.setattr(session, "get_chats", lambda: chats)
    monkeypatch.setattr(session, "get_front_desk", lambda: desk)
    monkeypatch.setattr(session, "get_assistant", ScriptedAssistant)

    def visit() -> AppTest:
        return AppTest.from_file(APP, default_timeout=60).run().switch_page("pages/chat.py").run()

    yield visit
    with ThreadPoolExecutor(1) as thread:  # the browser's driver has a loop in this one
        thread.submit(asyncio.run, chats.close()).result()


def say(screen: AppTest, message: str) -> AppTest:
    return screen.chat_input[0].set_value(message).run()


def text_of(screen: AppTest) -> str:
    """Everything that was drawn as HTML, without our own style and scripts."""
    bodies = [element.proto.body for element in screen.get("html")]
    return "\n".join(body for body in bodies if not re.match(r"\s*<(script|style)", body))


def test_who_comes_first_meets_the_supervisor_and_the_desks_are_one_choice_away(screen):
    page = screen()
    assert page.selectbox(key="assistant").value == "supervisor"
    assert page.chat_input[0].placeholder == "Ask, or say what should be done"
    page = page.selectbox(key="assistant").set_value("front-desk").run()
    assert "Who can help?" in text_of(page)
    assert page.chat_input[0].placeholder == "Ask the bank's desks"


def test_ones_own_templates_are_offered_first(screen):
    page = say(screen(), "Prepare the branch review for Pune")
    page = page.button(key="save_w1").click().run()
    page.text_input(key="title_w1").set_value("City look")
    next(one for one in page.button if one.label == "Save").click().run()
    assert screen().button(key="example_0").label == "Run City look"


def test_an_answer_says_how_it_came_about(screen):
    page = say(screen(), "Prepare the branch review for Pune")
    shown = text_of(page)
    assert not page.exception
    assert "<h2>Pune</h2>" in shown
    assert "<strong>Rs.431.25</strong>" in shown
    assert "It asks for a review, which takes several looks." in shown
    assert shown.count('class="ba-batch"') == 3
    assert 'ba-node ba-failed"' in shown
    assert "The server does not answer." in shown
    assert "● sql</b> Deposits by branch <small>120 ms</small>" in shown
    assert "<progress" not in shown
    assert "The policy note could not be read." in shown
    assert "Sources: NPA policy, paragraph 2" in shown
    assert page.dataframe[0].value.iloc[1, 0] == "Pune"
    assert page.expander[0].label == r"Run a workflow · 4 steps · sql\, rag\_search · 2\.3 s"


def test_nothing_that_a_tool_or_a_model_says_becomes_markup(screen):
    page = say(screen(), "Hostile")
    shown = text_of(page)
    assert not page.exception
    assert not re.search(r"<(script|a |img(?! class=\"ba-picture\"))", shown)
    assert "owned'</" not in shown
    assert "<h3>Kept</h3>" in shown
    assert "image/png of 300 KB is no longer kept." in shown
    assert shown.count('<img class="ba-picture"') == 2


def test_a_vague_message_is_asked_back_with_choices_that_answer_it(screen):
    page = say(screen(), "Vague")
    assert "Deposits or loans?" in text_of(page)
    page = page.button(key="choice_s0_0").click().run()
    assert "Good morning." in text_of(page)


def test_the_conversation_is_found_again_by_its_address(screen):
    page = say(screen(), "Prepare the branch review for Pune")
    address = page.query_params["c"]
    assert address
    again = AppTest.from_file(APP, default_timeout=60).switch_page("pages/chat.py")
    again.query_params["c"] = address
    again = again.run()
    shown = text_of(again)
    assert shown.count('class="ba-batch"') == 3
    assert 'ba-node ba-failed"' in shown
    assert "It asks for a review, which takes several looks." in shown
    assert again.selectbox(key="assistant").value == "supervisor"
    assert "<h2>Pune</h2>" in shown
    assert "The policy note could not be read." in shown
    assert again.dataframe[0].value.iloc[1, 0] == "Pune"
    fresh = again.button(key="forget").click().run()
    assert "<h2>Pune</h2>" not in text_of(fresh)


def test_a_workflow_is_saved_as_a_template_listed_and_deleted(screen):
    page = say(screen(), "Prepare the branch review for Pune")
    page = page.button(key="save_w1").click().run()
    chosen = page.multiselect(key="inputs_w1")
    assert chosen.options == ["Pune (city)", "Deposits in Pune by month (question)"]
    page.text_input(key="title_w1").set_value("City look")
    chosen.select("Pune (city)")
    page = next(one for one in page.button if one.label == "Save").click().run()
    assert not page.exception
    assert "say “City look” to run it again" in text_of(page)
    page = page.toggle(key="show_tools").set_value(True).run()
    assert "<b>City look</b>, your own. Asks for: city." in text_of(page)
    page = page.button(key="drop_city_look").click().run()
    assert "your own" not in text_of(page)


def test_a_template_without_a_name_is_refused_beside_its_form(screen):
    page = say(screen(), "Prepare the branch review for Pune")
    page = page.button(key="save_w1").click().run()
    page = next(one for one in page.button if one.label == "Save").click().run()
    assert "It cannot be kept as a template." in text_of(page)
    page = next(one for one in page.button if one.label == "Cancel").click().run()
    assert "It cannot be kept as a template." not in text_of(page)
    assert page.button(key="save_w1").label == "Save as template"


def test_tools_are_listed_with_the_health_of_their_servers(screen):
    page = screen()
    page = page.toggle(key="show_tools").set_value(True).run()
    shown = text_of(page)
    assert "Looks at the figures." in shown
    assert "documents <small>does not answer</small>" in shown


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_workflow_lights_up_and_its_answer_streams(page: Page, scripted_server: Server, width: int, theme: str):
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    open_supervisor(page, scripted_server)
    send(page, "Prepare the branch review for Pune")
    expect(page.locator(".ba-node.ba-running")).to_have_count(2)
    expect(page.locator(".ba-node.ba-running").first).to_be_visible()
    page.screenshot(path=SCREENSHOTS / f"supervised_running_{width}_{theme}.png")
    expect(page.get_by_text("Sources: NPA policy, paragraph 2")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    page.get_by_text("Run a workflow · 4 steps").click()
    expect(page.locator(".ba-node.ba-failed")).to_be_visible()
    page.screenshot(path=SCREENSHOTS / f"supervised_{width}_{theme}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_a_question_is_answered_in_place_and_the_work_goes_on(page: Page, scripted_server: Server):
    open_supervisor(page, scripted_server)
    send(page, "Which?")
    expect(page.get_by_text("The program notes, which is not part of this assistant, asks")).to_be_visible()
    field = page.get_by_label("branch")
    field.fill("Pune")
    page.screenshot(path=SCREENSHOTS / "supervised_question.png")
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.get_by_text("{'branch': 'Pune'}")).to_be_visible()


@pytest.mark.browser
def test_stop_ends_the_work(page: Page, scripted_server: Server):
    open_supervisor(page, scripted_server)
    send(page, "Work")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped. Nothing is running any more.")).to_be_visible()
    send(page, "Hello")
    expect(page.get_by_text("Good morning.")).to_be_visible()


def open_supervisor(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/chat")
    expect(page.get_by_text("What should be done?")).to_be_visible()


def send(page: Page, message: str) -> None:
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill(message)
    box.press("Enter")
