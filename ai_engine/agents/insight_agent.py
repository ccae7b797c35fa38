"""Last step: what do the rows say?"""

from __future__ import annotations

from langgraph.runtime import Runtime

from ai_engine.agents.equal_rows import said_of_equal_rows
from ai_engine.insight import describe_columns, fitting_chart, with_part_steps, with_parts
from ai_engine.ports import InsightTask, Services
from ai_engine.semantics.scope_words import Scope, scope_of
from ai_engine.state import BankingAssistantState


def insight_agent(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Put the result into words and pick a chart that fits its columns."""
    services = runtime.context
    result, interpretation, sql = state["execution_result"], state["interpreted_intent"], state["validated_sql"]
    assert result and interpretation and sql, "the graph comes here only after a successful execution"  # noqa: S101
    asked = None if state["failures"] else interpretation.intent  # what was written after a failure may ask otherwise
    described = describe_columns(result, services.vocabulary, state["columns"])
    columns = with_parts(described, sql, result, services.vocabulary.catalogue.dialect)
    columns = with_part_steps(columns, result, asked, services.vocabulary)
    scope = scope_of(asked, services.vocabulary.model) if asked is not None else Scope()
    task = InsightTask(
        question=state["user_query"],
        restatement=interpretation.restatement,
        sql=sql,
        result=result,
        columns=columns,
        scope=scope,
    )
    teller = services.model if state["model_called"] or services.rules is None else services.rules
    insight = teller.explain(task, services.vocabulary, stop=services.stop)
    return {
        "columns": columns,
        "scope": scope,
        "assumptions": (*state["assumptions"], *said_of_equal_rows(asked, result, services)),
        "summary": insight.summary,
        "headline": insight.headline or insight.summary,
        "chart_suggestion": fitting_chart(insight.chart, result, columns),
    }
