"""The steps of the graph, one at a time: what each reads, and exactly which fields it writes."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from langgraph.runtime import Runtime

from ai_engine.agents.insight_agent import insight_agent
from ai_engine.agents.intent_agent import intent_agent
from ai_engine.agents.sql_agent import sql_agent
from ai_engine.agents.validation_agent import validation_agent
from ai_engine.errors import NoFurtherDraft
from ai_engine.ports import Services
from ai_engine.semantics.intent import FieldRef, Intent, Measure, Period
from ai_engine.state import create_initial_state
from ai_engine.types import FailedDraft, Insight, OutputColumn, QueryResult, Turn
from tests.ai_engine.scripted_model import ScriptedModel, understood
from tests.ai_engine.test_graph import runtime

START = create_initial_state("how many?", [Turn("a", "A")])
COUNT = Intent(measures=(Measure(aggregate="count", dataset="customers"),))
FAILURE = FailedDraft("SELECT 1", "no", "No.")


def with_model(model: ScriptedModel) -> Runtime[Services]:
    return Runtime(context=replace(runtime().context, model=model))


def test_the_intent_step_reads_question_and_history_and_keeps_the_assumptions():
    model = ScriptedModel(reading=understood("Count", assumptions=("one",)))
    update = intent_agent(START, with_model(model))
    assert model.asked == [("how many?", (Turn("a", "A"),))]
    assert set(update) == {
        "interpreted_intent", "assumptions", "read_by", "model_called", "verified", "other_reading",
    }  # fmt: skip
    assert update["assumptions"] == ("one",)


def test_the_sql_step_compiles_what_the_vocabulary_covers():
    state = {**START, "interpreted_intent": understood(intent=COUNT, assumptions=("one",))}
    update = sql_agent(state, with_model(ScriptedModel()))
    assert "COUNT(*)" in (update["generated_sql"] or "")
    assert [column.unit for column in update["columns"]] == ["count"]
    assert update["assumptions"][0] == "one"


def test_after_a_failure_the_model_writes_even_what_could_be_compiled():
    model = ScriptedModel("SELECT 2")
    state = {**START, "interpreted_intent": understood("Count", intent=COUNT), "failures": (FAILURE,)}
    assert sql_agent(state, with_model(model))["generated_sql"] == "SELECT 2"
    (task,) = model.tasks
    assert (task.question, task.restatement, task.failures) == ("how many?", "Count", (FAILURE,))


def test_a_model_that_knows_no_other_way_ends_the_step():
    state = {**START, "interpreted_intent": understood(), "failures": (FAILURE,)}
    with pytest.raises(NoFurtherDraft):
        sql_agent(state, with_model(ScriptedModel(NoFurtherDraft("no other way"))))


def test_an_assumption_made_twice_is_told_once():
    state = {**START, "interpreted_intent": understood(intent=COUNT, assumptions=("one", "one"))}
    assert sql_agent(state, with_model(ScriptedModel()))["assumptions"].count("one") == 1


def test_the_validation_step_puts_the_canonical_statement_in_place_and_clears_the_error():
    state = {**START, "generated_sql": "select full_name from customers", "error_message": "old"}
    update = validation_agent(state, runtime())
    assert (update["validated_sql"] or "").startswith("SELECT")
    assert update["statement"] is not None
    assert "LIMIT" in update["statement"].run_sql
    assert update["error_message"] is None


@pytest.mark.parametrize("sql", ["DELETE FROM customers", "", None, "SELECT 1; SELECT 2", "no sql at all"])
def test_what_may_not_run_is_noted_and_leaves_nothing_valid(sql):
    update = validation_agent({**START, "generated_sql": sql, "retry_count": 1}, runtime())
    assert (update["validated_sql"], update["statement"], update["retry_count"]) == (None, None, 2)
    (failure,) = update["failures"]
    assert (failure.sql, failure.stage, failure.error_kind) == (sql or "", "validation", "SqlRejected")
    assert failure.reason == update["error_message"] != ""


@pytest.mark.parametrize(
    "name",
    ["deposits are 987,654,321", "nine hundred crore", "deposits_987654321", "see https://evil.example/x", "<b>x</b>"],
)
def test_a_refusal_tells_people_nothing_that_a_model_put_into_a_name(name):
    sql = f'SELECT "{name}" FROM customers'
    (failure,) = validation_agent({**START, "generated_sql": sql, "read_by": "a model"}, runtime())["failures"]
    assert name in failure.reason
    assert failure.user_message == (
        "The query was not run: it may not run here as the language model wrote it. Ask it another way."
    )
    (own,) = validation_agent({**START, "generated_sql": sql}, runtime())["failures"]
    assert name in own.user_message


def test_a_refusal_of_a_model_s_statement_names_what_is_wrong():
    sql = "SELECT salary FROM customers"
    (failure,) = validation_agent({**START, "generated_sql": sql, "read_by": "a model"}, runtime())["failures"]
    assert "column salary does not exist" in failure.user_message


def test_the_insight_step_hands_over_the_period_and_columns_in_words():
    period = Period(
        start=date(2026, 1, 1), end=None, label="this year", field=FieldRef(dataset="customers", field="joined_on")
    )
    result = QueryResult(("customers",), ("integer",), ((3,),))
    model = ScriptedModel(insight=Insight("Three.", "pie"))
    state = {
        **START,
        "interpreted_intent": understood("Count", intent=COUNT.model_copy(update={"period": period})),
        "validated_sql": "SELECT COUNT(*) AS customers FROM customers",
        "columns": (OutputColumn("customers", "Customers", "count", "measure"),),
        "execution_result": result,
    }
    update = insight_agent(state, with_model(model))
    (task,) = model.explained
    assert (task.question, task.restatement, task.scope.period, task.result) == (
        "how many?",
        "Count",
        "since 1 January 2026",
        result,
    )
    assert update["scope"] == task.scope
    assert task.columns == update["columns"]
    assert (update["summary"], update["chart_suggestion"]) == ("Three.", "metric")
