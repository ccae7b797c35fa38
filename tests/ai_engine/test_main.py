from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest

from ai_engine.errors import AssistantError, ModelFailed, ModelUnavailable, QueryFailed
from ai_engine.guard.policy import Policy
from ai_engine.main import ask, format_output, run_banking_assistant, stream
from ai_engine.types import (
    Answer,
    FailedDraft,
    Insight,
    Interpretation,
    OutputColumn,
    QueryResult,
    WordMeaning,
)
from tests.ai_engine.scripted_model import ScriptedModel, understood
from tests.ai_engine.test_graph import FAILS_IN_THE_DATABASE, GOOD, UNKNOWN_TABLE, FailingRunner, services

KEYS = {"validated_sql", "execution_result", "summary", "chart_suggestion", "error"}


def documented(model: ScriptedModel, bank, question: str = "How many customers?", **parts: object) -> dict[str, object]:
    found = run_banking_assistant(question, verbose=False, services=services(model, bank, **parts))
    assert set(found) == KEYS
    return found


# --- the documented dictionary -----------------------------------------------------------------------------------


def test_an_answer_has_rows_by_column_name_their_count_and_time_and_no_error(bank):
    model = ScriptedModel("SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment ORDER BY n, segment")
    found = documented(model, bank)
    result = found["execution_result"]
    assert result["rows"] == [{"segment": "Premium", "n": 1}, {"segment": "Retail", "n": 2}]
    assert (result["row_count"], result["truncated"]) == (2, False)
    assert 0 <= result["execution_time_seconds"] < 60
    assert found["validated_sql"].startswith("SELECT")
    assert (found["summary"], found["error"]) == ("Here it is.", None)
    assert found["chart_suggestion"] in {"bar", "horizontal_bar", "pie", "table"}


def test_more_rows_than_allowed_are_said_to_be_cut(bank):
    model = ScriptedModel("SELECT customer_id FROM customers ORDER BY customer_id")
    found = documented(model, bank, policy=Policy(max_rows=2, default_limit_rows=2))
    assert found["execution_result"]["rows"] == [{"customer_id": 1}, {"customer_id": 2}]
    assert (found["execution_result"]["row_count"], found["execution_result"]["truncated"]) == (2, True)


@pytest.mark.parametrize(("outcome", "summary", "error"), [
    ("refused", None, "Not this."), ("clarify", None, "Not this."), ("about", "Not this.", None),
])  # fmt: skip
def test_what_ends_without_sql_has_its_text_alone(bank, outcome, summary, error):
    model = ScriptedModel(reading=Interpretation(outcome=outcome, restatement="", reply="Not this."))
    assert documented(model, bank) == {
        "validated_sql": None,
        "execution_result": None,
        "summary": summary,
        "chart_suggestion": None,
        "error": error,
    }


def test_a_refused_statement_leaves_no_sql_and_no_result(bank):
    found = documented(ScriptedModel(*[UNKNOWN_TABLE] * 3), bank)
    assert (found["validated_sql"], found["execution_result"], found["summary"]) == (None, None, None)
    assert "custmers" in found["error"]


def test_what_the_database_said_stands_in_the_result(bank):
    found = documented(ScriptedModel(*[FAILS_IN_THE_DATABASE] * 3), bank)
    assert set(found["execution_result"]) == {"error"}
    assert "overflow" in found["execution_result"]["error"].lower()
    assert found["error"] == QueryFailed.user_message


@pytest.mark.parametrize(("question", "expected"), [("", "empty"), ("  ", "empty"), ("x" * 2_001, "2,001")])
def test_a_question_that_cannot_be_read_gives_the_same_dictionary(bank, question, expected):
    model = ScriptedModel(GOOD)
    found = documented(model, bank, question)
    assert expected in found["error"]
    assert [found[key] for key in KEYS - {"error"}] == [None] * 4
    assert model.asked == []


FAULTS = [
    ModelUnavailable("down"),
    ModelFailed("nothing"),
    ValueError("a bug"),
    KeyError("k"),
    RecursionError(),
    OSError("disk"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("place", ["reading", "draft", "insight"])
def test_whatever_a_model_raises_becomes_an_answer_that_says_so(bank, caplog, place, fault):
    model = {
        "reading": ScriptedModel(reading=fault),
        "draft": ScriptedModel(fault),
        "insight": ScriptedModel(GOOD, insight=fault),
    }[place]
    answer = ask("How many customers?", services=services(model, bank))
    known = isinstance(fault, AssistantError)
    assert (answer.status, answer.result) == ("failed", None)
    assert answer.error == (fault.user_message if known else AssistantError.user_message)
    assert answer.error_kind == (type(fault).__name__ if known else "AssistantError")
    assert bool(caplog.records) is not known
    assert model.unscripted == []


def test_whatever_the_runner_raises_becomes_an_answer(bank):
    broken = replace(services(ScriptedModel(GOOD), bank), runner=FailingRunner(ZeroDivisionError("a bug")))
    answer = ask("How many customers?", services=broken)
    assert (answer.status, answer.error_kind) == ("failed", "AssistantError")
    assert "bug" not in (answer.error or "")


# --- what is printed and kept ------------------------------------------------------------------------------------


def test_the_steps_and_the_summary_are_printed_when_asked_for(bank, capsys):
    run_banking_assistant("How many customers?", services=services(ScriptedModel(UNKNOWN_TABLE, GOOD), bank))
    printed = capsys.readouterr().out
    places = [printed.index(step) for step in (
        "intent_agent", "sql_agent", "validation_agent", "execution_tool", "insight_agent", "Here it is."
    )]  # fmt: skip
    assert places == sorted(places)
    run_banking_assistant("", services=services(ScriptedModel(), bank))
    assert "empty" in capsys.readouterr().out


def test_nothing_is_printed_when_silence_is_asked_for(bank, capsys):
    documented(ScriptedModel(GOOD), bank)
    assert capsys.readouterr().out == ""


def test_the_reading_and_every_assumption_stand_with_the_answer(bank):
    reading = understood("Number of customers", assumptions=("one",), meanings=(WordMeaning("customers", "rows"),))
    answer = ask(" How many customers? ", services=services(ScriptedModel(GOOD, reading=reading), bank))
    assert (answer.question, answer.restatement, answer.model) == (
        "How many customers?",
        "Number of customers",
        "scripted",
    )
    assert answer.assumptions[:1] == ("one",)
    assert answer.meanings == (WordMeaning("customers", "rows"),)


def test_a_question_back_carries_its_choices_and_a_refusal_its_suggestions(bank):
    reading = Interpretation(outcome="clarify", restatement="", reply="Which?", choices=("a", "b"), suggestions=("c",))
    answer = ask("what?", services=services(ScriptedModel(reading=reading), bank))
    assert (answer.status, answer.error, answer.choices, answer.suggestions) == (
        "clarify",
        "Which?",
        ("a", "b"),
        ("c",),
    )


def test_a_chart_that_does_not_fit_the_result_is_replaced(bank):
    model = ScriptedModel("SELECT full_name FROM customers ORDER BY full_name", insight=Insight("Names.", "pie"))
    assert ask("names", services=services(model, bank)).chart == "table"


def test_the_answer_comes_last_and_once(bank):
    events = list(stream("How many?", services=services(ScriptedModel(GOOD), bank)))
    assert [isinstance(event, Answer) for event in events].count(True) == 1
    assert isinstance(events[-1], Answer)


def test_values_stay_exact_in_the_dictionary():
    moment = datetime.fromisoformat("2026-10-05T10:00:00")
    answer = Answer(
        "q", "answered", "m", sql="SELECT 1", summary="s", chart="table", columns=(OutputColumn("a", "A"),),
        result=QueryResult(("a", "b", "c"), ("decimal", "timestamp", "text"), ((Decimal("0.10"), moment, None),),
                           elapsed_ms=1_500),
    )  # fmt: skip
    found = format_output(answer)["execution_result"]
    assert found["rows"] == [{"a": Decimal("0.10"), "b": moment, "c": None}]
    assert found["execution_time_seconds"] == 1.5


def test_only_the_last_failure_decides_whether_the_database_said_it():
    refused = FailedDraft("SELECT 1", "no", "No.", stage="validation")
    failed = FailedDraft("SELECT 1", "boom", "No.", stage="execution")
    assert format_output(Answer("q", "failed", "m", failures=(failed, refused)))["execution_result"] is None
    assert format_output(Answer("q", "failed", "m", failures=(refused, failed)))["execution_result"] == {
        "error": "boom"
    }


def test_what_is_printed_is_lines_that_a_person_reads(bank, capsys):
    model = ScriptedModel(
        UNKNOWN_TABLE, "SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment ORDER BY n, segment"
    )
    run_banking_assistant("How many customers?", services=services(model, bank))
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "intent_agent ..."
    assert "sql_agent, attempt 2 ..." in printed
    assert [line for line in printed if line.startswith("validation_agent failed: ")]
    assert "execution_tool done: 2 rows" in printed
    assert printed[-1] == "Here it is."
    assert not [line for line in printed if "Step" in line or "=" in line]
