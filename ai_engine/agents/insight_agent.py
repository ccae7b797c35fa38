"""Last step: what do the rows say?"""

from __future__ import annotations

from langgraph.runtime import Runtime

from ai_engine.agents.equal_rows import said_of_equal_rows
from ai_engine.insight import describe_columns, fitting_chart, with_parts
from ai_engine.ports import InsightTask, Services
from ai_engine.state import BankingAssistantState


def insight_agent(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Put the result into words and pick a chart that fits its columns."""
    services = runtime.context
    result, interpretation, sql = state["execution_result"], state["interpreted_intent"], state["validated_sql"]
    assert result and interpretation and sql, "the graph comes here only after a successful execution"  # noqa: S101
    period = interpretation.intent.period if interpretation.intent else None
    described = describe_columns(result, services.vocabulary, state["columns"])
    columns = with_parts(described, sql, result, services.vocabulary.catalogue.dialect)
    task = InsightTask(
        question=state["user_query"],
        restatement=interpretation.restatement,
        sql=sql,
        result=result,
        columns=columns,
        period=period.label if period else "",
    )
    asked = None if state["failures"] else interpretation.intent  # what was written after a failure may rank otherwise
    insight = services.model.explain(task, services.vocabulary, stop=services.stop)
    return {
        "columns": columns,
        "assumptions": (*state["assumptions"], *said_of_equal_rows(asked, result, services)),
        "summary": insight.summary,
        "chart_suggestion": fitting_chart(insight.chart, result, columns),
    }
