"""The Investigate screen: who may work, the plan, the answer with its table, every agent's work, and the trace."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from ai_engine.agent import AgentError, TabularResult
from ai_engine.errors import BadConfiguration
from ai_engine.orchestrator import Setting
from backend.orchestration import Orchestrator
from pages import session
from tests.ai_engine.scripted_agents import ScriptedAgent
from tests.pages.conftest import SCREENSHOTS, Server
from tests.pages.scripted import HOSTILE, ScriptedAssistant

APP = str(Path(__file__).parents[2] / "app.py")
TABLE = TabularResult.of_rows(["branch", "balance"], [("Pune", Decimal("175206.50")), ("Goa", Decimal(12))])
WRITE = AgentError(message="This would send POST /x.", type="ConfirmationNeeded", details={"context": {"ok": "yes"}})


class Staged(Orchestrator):
    """Scripted agents alone, without a database."""

    @property
    def setting(self) -> Setting:
        return Setting(self.agents)


def agents(**answers: str | AgentError) -> tuple[ScriptedAgent, ...]:
    given: dict[str, str | AgentError] = {
        "sql": "Pune has Rs.1,75,206.50.",
        "api_docs": "The rate is 8.75%.",
        **answers,
    }
    units = {"units": {"balance": "INR"}, "query": "SELECT 1"}
    return tuple(
        ScriptedAgent(name, answer, table=TABLE if name == "sql" else None, described=units)
        for name, answer in given.items()
    )


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch):
    def put(*workers: ScriptedAgent) -> AppTest:
        found = Staged(ScriptedAssistant(), {}, workers or agents())  # type: ignore[arg-type]
        monkeypatch.setattr(session, "get_orchestrator", lambda: found)
        monkeypatch.setattr(session, "get_assistant", lambda: found.assistant)
        screen = AppTest.from_file(APP, default_timeout=60).run()
        return screen.switch_page("pages/investigate.py").run()

    return put


def ask(screen: AppTest, question: str = "List the API") -> AppTest:
    return screen.chat_input[0].set_value(question).run()


def words(screen: AppTest) -> str:
    return " ".join(element.proto.body for element in screen.get("html"))


def test_the_empty_screen_says_what_it_is_for_and_who_is_there(stage):
    screen = stage()
    assert not screen.exception
    assert "What would you like to find out?" in words(screen)
    assert [pills.options for pills in screen.get("button_group")] == [["sql", "api_docs"], ["sql", "api_docs"]]


def test_an_answer_shows_plan_reason_table_work_and_trace(stage):
    screen = ask(stage())
    assert not screen.exception
    text = words(screen)
    assert "The rate is 8.75%. Pune has Rs.1,75,206.50." in text
    assert text.index("api_docs <small>succeeded") < text.index("sql <small>succeeded")
    assert "Confidence 40%." in text
    assert len(screen.dataframe) == 1
    labels = [expander.label for expander in screen.expander]
    assert labels[0].startswith("● api_docs · succeeded")
    assert labels[1].startswith("● sql · succeeded")
    assert labels[2].startswith("Trace · ")
    assert "Planner produced execution order" in text


def test_whoever_is_switched_off_does_not_work_and_whoever_is_preferred_is_first(stage):
    workers = agents()
    screen = stage(*workers)
    screen.get("button_group")[0].set_value(["sql"]).run()
    ask(screen)
    assert [len(worker.asked) for worker in workers] == [1, 0]
    request = workers[0].asked[0][0]
    assert request.disable_agents == ("api_docs",)


def test_a_call_that_changes_something_runs_once_it_is_confirmed(stage):
    workers = agents(api_docs=WRITE)
    screen = ask(stage(*workers))
    assert "This would send POST /x." in words(screen)
    screen.button(key="confirm_i0_0").click().run()
    assert [request.context.get("ok") for request, _ in workers[1].asked] == [None, "yes"]


def test_choices_of_an_agent_can_be_picked(stage):
    back = AgentError(
        message="Which?", type="ClarificationNeeded", details={"choices": ["List deposits", "List loans"]}
    )
    workers = agents(sql=back)
    screen = ask(stage(*workers), "List")
    screen.button(key="choice_i0_0_1").click().run()
    assert workers[0].questions == ["List", "List loans"]


def test_outside_text_stands_escaped(stage):
    screen = ask(stage(*agents(sql=HOSTILE, api_docs=AgentError(message=HOSTILE))))
    assert not screen.exception
    assert "<img" not in words(screen)


def test_earlier_investigations_stay_and_can_be_left_behind(stage):
    screen = ask(ask(stage()), "List more of the API")
    assert sum(expander.label.startswith("Trace") for expander in screen.expander) == 2
    screen.button(key="forget").click().run()
    assert "What would you like to find out?" in words(screen)


def test_agents_that_cannot_be_opened_are_one_clear_sentence(stage, monkeypatch):
    screen = stage()

    def fail() -> None:
        raise BadConfiguration("There is no file <b>services.yaml</b>.")

    monkeypatch.setattr(session, "get_orchestrator", fail)
    screen.run()
    assert not screen.exception
    assert "There is no file &lt;b&gt;services.yaml&lt;/b&gt;." in words(screen)


# the real page on the small bank


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_person_watches_two_agents_and_gets_one_answer(page: Page, bank_server: Server, scheme: str, width: int):
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{bank_server.url}/investigate")
    expect(page.get_by_text("What would you like to find out?")).to_be_visible()
    box = page.get_by_placeholder("Ask what needs more than one source")
    box.fill("How many customers are there by state, and what is the EMI on 25 lakh at 8.75 % for 20 years?")
    box.press("Enter")
    expect(page.get_by_text("Trace ·")).to_be_visible()
    expect(page.locator(".ba-answer")).to_contain_text("22,092")
    expect(page.locator(".ba-strip")).to_contain_text("computation")
    expect(page.get_by_role("tab", name="Table").first).to_be_visible()
    page.get_by_text("Trace ·").click()
    expect(page.get_by_text("Planner produced execution order")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"investigate_{scheme}_{width}.png", full_page=True)
