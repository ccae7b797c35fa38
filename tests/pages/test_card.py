"""The answer card: its SQL changed and run, told in words, its totals, its tie-out, what people say of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ai_engine.errors import SqlRejected
from ai_engine.formats import Formats
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.tie_out import TieOut
from ai_engine.types import Answer, OutputColumn, QueryResult
from backend.configuration.database_rights import runner_under
from backend.kept_results import runner as kept_runner
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import read_settings
from pages import session
from pages.drawing.sql import place_of
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank
from tests.pages import scripted
from tests.pages.test_screen import APP, ask, labels, words

QUESTION = "Number of customers by segment"


@pytest.fixture
def assistant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Assistant]:
    file = write_bank(tmp_path / "bank.sqlite")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    opened = open_assistant(
        read_settings(
            database_url=str(file), store_url=f"sqlite:///{tmp_path / 'store.sqlite'}", cache_dir=tmp_path,
            database_workers=1, as_of=date(2026, 11, 21), verifiers="*",
        )
    )  # fmt: skip
    monkeypatch.setattr(session, "get_assistant", lambda: opened)
    yield opened
    opened.close()


@pytest.fixture
def screen(assistant: Assistant) -> AppTest:
    return AppTest.from_file(APP, default_timeout=60).run()


def test_figures_by_group_are_held_against_their_total_once_they_are_shown(screen: AppTest):
    ask(screen, QUESTION)
    assert not screen.exception
    assert "Ties out with the total computed without groups: " in words(screen)
    assert '<p class="ba-totals"><span>Total</span>' in words(screen)


def test_a_statement_is_changed_and_run_as_a_turn_of_its_own(screen: AppTest):
    ask(screen, QUESTION)
    screen.button(key="edit_sql_0").click().run()
    screen.text_area(key="own_sql_0").set_value("SELECT COUNT(*) AS people FROM customers WHERE customer_id > 1").run()
    screen.button(key="run_sql_0").click().run()
    assert not screen.exception
    assert '<div class="ba-question">Your own SQL</div>' in words(screen)
    assert "Changed from “Number of customers by segment”" in words(screen)
    assert "Given SQL: this statement ran as it was given." in words(screen)
    assert any("people" in code.value for code in screen.code)
    keys = [button.key for button in screen.button]
    assert "verify_0" in keys
    assert "verify_1" not in keys, "nobody would ask for it by its name"


def test_a_statement_that_was_being_changed_is_not_shown_as_that_of_the_question_put_in_its_place(screen: AppTest):
    ask(screen, QUESTION)
    screen.button(key="edit_sql_0").click().run()
    screen.text_area(key="own_sql_0").set_value("SELECT 1").run()
    turn = screen.session_state["exchanges"][0].id
    screen.text_area(key=f"edit_{turn}").set_value("How many customers are there?")
    screen.button(key=f"ask_{turn}").click().run()
    assert not screen.exception
    assert [area.value for area in screen.text_area] == ["How many customers are there?"]


def test_the_guard_says_at_the_place_why_a_statement_may_not_run(screen: AppTest):
    ask(screen, QUESTION)
    screen.button(key="edit_sql_0").click().run()
    screen.text_area(key="own_sql_0").set_value("SELECT COUNT(*)\nFROM customres").run()
    screen.button(key="run_sql_0").click().run()
    assert "The query was not run: " in words(screen)
    assert "Line 2, column 6" in words(screen)
    drawn = [node.proto for node in screen.main if hasattr(node, "proto")]
    told = next(place for place, one in enumerate(drawn) if "The query was not run" in getattr(one, "body", ""))
    field = next(place for place, one in enumerate(drawn) if "own_sql_0" in getattr(one, "id", ""))
    assert told < field, "below a tall field it would be out of sight"
    assert "FROM <mark>customres</mark>" in words(screen)
    assert words(screen).count('<div class="ba-question">') == 1
    screen.button(key="leave_sql_0").click().run()
    assert "own_sql_0" not in [area.key for area in screen.text_area]


def test_below_the_statement_stands_what_the_database_expected_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = write_bank(tmp_path / "bank.duckdb")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    for bound, told in ((None, "Reads about"), (1e-12, "it would read about")):
        opened = open_assistant(
            read_settings(
                database_url=str(file), store_url=f"sqlite:///{tmp_path / 'store.sqlite'}", cache_dir=tmp_path,
                database_workers=1, as_of=date(2026, 11, 21), max_scan_gb=bound,
            )
        )  # fmt: skip
        monkeypatch.setattr(session, "get_assistant", lambda opened=opened: opened)
        screen = AppTest.from_file(APP, default_timeout=60).run()
        ask(screen, QUESTION)
        opened.close()
        assert not screen.exception
        assert told in words(screen)
        assert any("FROM customers" in code.value for code in screen.code)


def test_rows_of_an_earlier_run_say_so_and_run_again_at_a_click(
    screen: AppTest, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(kept_runner, "_SETTLED_S", 0.0)
    known = assistant.settings.model_copy(update={"result_cache_mb": 8})
    keeping = replace(assistant, runner=runner_under(assistant.database, assistant.policy, known))
    monkeypatch.setattr(session, "get_assistant", lambda: keeping)
    ask(screen, QUESTION)
    assert "rows of an earlier run" not in words(screen)
    ask(screen, QUESTION)
    assert words(screen).count("rows of an earlier run") == 1
    screen.button(key="anew_1").click().run()
    assert not screen.exception
    assert words(screen).count("rows of an earlier run") == 1, "of the turn before"
    assert words(screen).count(f'<div class="ba-question">{QUESTION}</div>') == 3


def test_a_statement_is_told_in_words(screen: AppTest):
    ask(screen, QUESTION)
    assert "Groups them by" not in words(screen)
    screen.toggle(key="explain_sql_0").set_value(True).run()
    assert "<li>Reads customers.</li>" in words(screen)
    assert "<li>Groups them by segment.</li>" in words(screen)


def test_what_a_person_says_of_an_answer_is_kept_with_its_reason(screen: AppTest, assistant: Assistant):
    ask(screen, QUESTION)
    screen.button(key="wrong_0").click().run()
    assert "What is wrong with it?" in words(screen)
    screen.text_input(key="why_0").set_value("closed ones are in it")
    next(button for button in screen.button if button.label == "Send").click().run()
    assert not screen.exception
    assert "Noted. Those who look after the answers will read it." in words(screen)
    (kept,) = assistant.feedback.listed("asha")
    assert (kept.verdict, kept.reason, kept.question) == ("wrong", "closed ones are in it", QUESTION)


def test_a_difference_is_told_escaped(monkeypatch: pytest.MonkeyPatch):
    question = "Total deposits by branch"
    found = TieOut("differs", "Does not tie out. 3 <b>accounts</b> whose branch is not known.")
    answer = replace(scripted.ANSWERS[question](question), tie_out=found)
    monkeypatch.setitem(scripted.ANSWERS, question, lambda _: answer)
    monkeypatch.setattr(session, "get_assistant", scripted.ScriptedAssistant)
    screen = AppTest.from_file(APP, default_timeout=60).run()
    ask(screen, question)
    assert '<p class="ba-warning ba-differs" role="alert">Does not tie out. 3 &lt;b&gt;accounts&lt;/b&gt;' in words(
        screen
    )
    assert "Mark as verified" not in labels(screen)


def totals(truncated):
    from pages.drawing.table import draw_totals

    columns = (OutputColumn("b", "Branch"), OutputColumn("d", "Deposits", "INR", "measure", adds_up=not truncated))
    result = QueryResult(
        ("b", "d"), ("text", "decimal"), (("a", Decimal("1.50")), ("b", Decimal(2))), truncated=truncated
    )
    sql = "SELECT b, SUM(d) AS d FROM t GROUP BY b"
    answer = Answer("q", "answered", "m", sql=sql, result=result, columns=columns)
    draw_totals(answer, scripted.ScriptedAssistant().vocabulary, Formats("INR"))


@pytest.mark.parametrize(("truncated", "said"), [(False, "Total</span>"), (True, "Total of the 2 shown</span>")])
def test_totals_are_of_all_rows_or_say_of_which(truncated: bool, said: str):
    screen = AppTest.from_function(totals_alone, args=(truncated,), default_timeout=60).run()
    assert not screen.exception
    assert said in words(screen)
    assert "Deposits <b>Rs.3.50</b>" in words(screen)


def totals_alone(truncated):
    from tests.pages.test_card import totals

    totals(truncated)


@pytest.mark.parametrize(
    ("part", "typed", "place"),
    [
        ("secret", "SELECT 1,\n  secret\nFROM t", (2, 3, 6)),
        ("secret", "SELECT secret, secret FROM t", None),
        ("", "SELECT 1", None),
        ("id", "SELECT paid, id FROM t", (1, 14, 2)),
    ],
)
def test_a_refused_piece_is_found_where_it_stands_once(part: str, typed: str, place: tuple[int, int, int] | None):
    assert place_of(SqlRejected("no", part=part), typed) == place
