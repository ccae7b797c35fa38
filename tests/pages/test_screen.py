"""The screen's logic, driven without a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ai_engine.errors import BadConfiguration
from ai_engine.types import Answer, OutputColumn, QueryResult
from pages import session
from pages.drawing.answer import said_html
from tests.pages.scripted import ANSWERS, HOSTILE, ScriptedAssistant

APP = str(Path(__file__).parents[2] / "app.py")


@pytest.fixture
def assistant(monkeypatch: pytest.MonkeyPatch) -> ScriptedAssistant:
    scripted = ScriptedAssistant()
    monkeypatch.setattr(session, "get_assistant", lambda: scripted)
    return scripted


@pytest.fixture
def screen(assistant: ScriptedAssistant) -> AppTest:
    return AppTest.from_file(APP, default_timeout=60).run()


def ask(screen: AppTest, question: str) -> AppTest:
    return screen.chat_input[0].set_value(question).run()


def words(screen: AppTest) -> str:
    return " ".join(element.proto.body for element in screen.get("html"))


def labels(screen: AppTest) -> list[str]:
    return [button.label for button in screen.button]


def test_the_empty_screen_offers_examples(screen):
    assert not screen.exception
    assert "What would you like to know?" in words(screen)
    assert labels(screen)[:2] == ["Total deposits by branch", "Deposits by month"]


def test_a_click_on_an_example_asks_it(screen, assistant):
    screen.button(key="example_1").click().run()
    assert assistant.asked == [("Deposits by month", 0)]
    assert "Deposits grew from" in words(screen)
    assert not any("example" in (button.key or "") for button in screen.button)


def test_a_question_of_nothing_but_blanks_is_none(screen, assistant):
    ask(screen, "  \n ")
    assert assistant.asked == []
    assert "What would you like to know?" in words(screen)


@pytest.mark.parametrize("question", [*ANSWERS, "anything else", "x" * 102_400])
def test_every_kind_of_answer_is_drawn_without_a_traceback(screen, question):
    ask(screen, question)
    assert not screen.exception


def test_an_answer_shows_reading_assumptions_table_chart_and_sql(screen):
    ask(screen, "Total deposits by branch")
    assert "Understood as: Total deposits by branch" in words(screen)
    assert "Assumed: Branch is taken as" in words(screen)
    assert len(screen.get("plotly_chart")) == 1
    assert len(screen.dataframe[0].value) == 12
    assert screen.code[0].value.startswith("SELECT")
    assert "12 rows" in words(screen)


def test_a_cut_result_says_that_there_is_more(screen):
    ask(screen, "List customers")
    assert "First 100 rows; there are more" in words(screen)


def test_a_refusal_offers_questions_that_ask_themselves(screen, assistant):
    ask(screen, "flibbertigibbet")
    assert "flibbertigibbet" in words(screen)
    screen.button(key="suggestion_0_0").click().run()
    assert assistant.asked[-1] == ("Total deposits by branch", 1)
    assert len(screen.dataframe) == 1


def test_a_question_back_offers_its_choices(screen, assistant):
    ask(screen, "Which branch?")
    screen.button(key="choice_0_0").click().run()
    assert assistant.asked[-1] == ("Total deposits by branch", 1)


def test_a_failure_says_what_was_tried_and_can_be_asked_again(screen, assistant):
    ask(screen, "fail")
    assert [expander.label for expander in screen.expander] == ["What was tried"]
    screen.button(key="again_0").click().run()
    assert [question for question, _ in assistant.asked] == ["fail", "fail"]


def test_earlier_turns_stay_and_follow_along(screen, assistant):
    ask(screen, "Total deposits by branch")
    ask(screen, "Deposits by month")
    assert len(screen.dataframe) == 2
    assert assistant.asked == [("Total deposits by branch", 0), ("Deposits by month", 1)]


def test_turns_long_past_are_shown_in_words_until_somebody_opens_them(screen):
    for _ in range(5):
        ask(screen, "Total deposits by branch")
    assert len(screen.dataframe) == 2
    assert words(screen).count("holds the largest deposits") == 5
    screen.button(key="draw_all_whole").click().run()
    assert len(screen.dataframe) == 5
    screen.button(key="forget").click().run()
    for _ in range(4):
        ask(screen, "Total deposits by branch")
    assert len(screen.dataframe) == 2


def test_a_long_conversation_that_is_opened_again_shows_its_last_turns_whole_and_the_others_once_asked_for(screen):
    for _ in range(4):
        ask(screen, "Total deposits by branch")
    again = AppTest.from_file(APP, default_timeout=60)
    again.query_params["c"] = screen.query_params["c"]
    again.run()
    assert not again.exception
    assert len(again.dataframe) == 2
    assert words(again).count("holds the largest deposits") == 4
    again.button(key="draw_all_whole").click().run()
    assert not again.exception
    assert len(again.dataframe) == 4


def test_a_new_conversation_forgets_the_turns(screen, assistant):
    ask(screen, "Total deposits by branch")
    screen.button(key="forget").click().run()
    assert "What would you like to know?" in words(screen)
    ask(screen, "Deposits by month")
    assert assistant.asked[-1] == ("Deposits by month", 0)


def test_outside_text_stands_escaped_in_every_html_element(screen):
    ask(screen, "hostile")
    assert "&lt;img src=https://evil.example" in words(screen)
    assert "<img" not in words(screen)
    assert HOSTILE not in labels(screen)


def test_a_database_that_cannot_be_opened_is_one_clear_sentence(monkeypatch):
    def fail():
        raise BadConfiguration("There is no file <b>bank.duckdb</b>. Check BANK_DATABASE_URL.")

    monkeypatch.setattr(session, "get_assistant", fail)
    screen = AppTest.from_file(APP, default_timeout=60).run()
    assert not screen.exception
    assert "There is no file &lt;b&gt;bank.duckdb&lt;/b&gt;. Check BANK_DATABASE_URL." in words(screen)
    assert labels(screen) == ["Try again"]


def test_any_other_fault_at_the_start_shows_no_traceback(monkeypatch):
    def fail():
        raise RuntimeError("secret detail")

    monkeypatch.setattr(session, "get_assistant", fail)
    screen = AppTest.from_file(APP, default_timeout=60).run()
    assert not screen.exception
    assert "secret detail" not in words(screen)
    assert labels(screen) == ["Try again"]


def test_a_wish_for_a_picture_redraws_the_answer_above_without_asking_again(screen, assistant):
    ask(screen, "Total deposits by branch")
    ask(screen, "show as a table")
    assert [question for question, _ in assistant.asked] == ["Total deposits by branch"]
    assert [tab.label for tab in screen.tabs] == ["Chart", "Table", "SQL", "Details"] * 2
    assert len(screen.dataframe) == 2
    ask(screen, "show as a pie")
    assert "What fits the answer above" in words(screen)
    screen.button(key="suggestion_2_0").click().run()
    assert [question for question, _ in assistant.asked] == ["Total deposits by branch"]
    assert "did not understand" not in words(screen)


def test_a_single_figure_that_the_sentence_says_whole_is_not_said_again(assistant):
    count = OutputColumn("customers", "Number of customers", "count", "measure")
    result = QueryResult(("customers",), ("integer",), ((12_000,),))
    whole = Answer("q", "answered", "scripted", result=result, columns=(count,), headline="There are 12,000 customers.")
    for answer, tables in ((whole, 0), (replace(whole, headline="There are 0.12 lakh customers."), 1)):
        screen = AppTest.from_function(drawn_alone, args=(answer,), default_timeout=60).run()
        assert not screen.exception
        assert len(screen.dataframe) == tables
        assert "1 row" in words(screen)


def drawn_alone(answer):
    from ai_engine.formats import Formats
    from pages.drawing.answer import draw_result

    draw_result(answer, Formats("INR"), "0")


def test_what_begins_an_answer_stands_large_and_the_rest_below_it():
    assert said_html("West leads. East is last.", "West leads.") == (
        '<p class="ba-answer">West leads.</p><p class="ba-more">East is last.</p>'
    )
    assert said_html("West leads. East is last.", "") == '<p class="ba-answer">West leads. East is last.</p>'
    assert said_html("x" * 90, "").startswith('<p class="ba-answer ba-long">')
