"""Last step: what do the rows say?"""

from __future__ import annotations

from dataclasses import replace

from langgraph.runtime import Runtime

from ai_engine.agents.equal_rows import said_of_equal_rows
from ai_engine.errors import QueryStopped
from ai_engine.insight import describe_columns, fitting_chart, with_part_steps, with_parts
from ai_engine.insight.stocks import scope_told, without_stocks
from ai_engine.ports import InsightTask, Services
from ai_engine.state import BankingAssistantState
from ai_engine.types import Insight


def insight_agent(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Put the result into words and pick a chart that fits its columns."""
    services = runtime.context
    result, interpretation, sql = state["execution_result"], state["interpreted_intent"], state["validated_sql"]
    assert result and interpretation and sql, "the graph comes here only after a successful execution"  # noqa: S101
    asked = None if state["failures"] else interpretation.intent  # what was written after a failure may ask otherwise
    described = describe_columns(result, services.vocabulary, state["columns"])
    columns = with_parts(described, sql, result, services.vocabulary.catalogue.dialect)
    columns = without_stocks(columns, asked if state["compiled"] else None, services.vocabulary)
    columns = with_part_steps(columns, result, asked, services.vocabulary)
    scope = scope_told(asked, services.vocabulary)
    task = InsightTask(
        question=state["user_query"],
        restatement=interpretation.restatement,
        sql=sql,
        result=result,
        columns=columns,
        scope=scope,
    )
    known: BankingAssistantState = {
        "columns": columns,
        "scope": scope,
        "assumptions": (*state["assumptions"], *said_of_equal_rows(asked, result)),
    }
    return known | _told(task, by_rules=not state["model_called"], runtime=runtime, known=known)


def _told(
    task: InsightTask, *, by_rules: bool, runtime: Runtime[Services], known: BankingAssistantState
) -> BankingAssistantState:
    """Have the result told; where the summary follows, the stream gets `known` with what rules tell, then sentences."""
    services = runtime.context
    model, vocabulary, stop = services.model, services.vocabulary, services.stop
    if services.rules is None:
        return _words(model.explain(task, vocabulary, stop=stop), task)
    if not by_rules and not services.summary_follows:
        return _words(model.explain(task, vocabulary, stop=stop), task)
    first = services.rules.explain(task, vocabulary, stop=stop)
    if by_rules:
        return _words(first, task)
    runtime.stream_writer(known | _words(first, task))
    try:
        insight = model.explain(task, vocabulary, stop=stop, heard=runtime.stream_writer)
    except QueryStopped:
        insight = first
    return _words(replace(insight, chart=first.chart), task)  # the chart is on the screen already


def _words(insight: Insight, task: InsightTask) -> BankingAssistantState:
    return {
        "summary": insight.summary,
        "headline": insight.headline or insight.summary,
        "chart_suggestion": fitting_chart(insight.chart, task.result, task.columns),
    }
