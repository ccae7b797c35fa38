"""One line per finished step, for whoever waits."""

from __future__ import annotations

from collections.abc import Callable

from ai_engine.state import BankingAssistantState
from ai_engine.types import StepFinished, StepName


def describe_step(step: StepName, attempt: int, update: BankingAssistantState) -> StepFinished:
    """Say what came out of a step, given the fields it wrote."""
    error = update.get("error_message")
    if error:
        return StepFinished(step, attempt, error, failed=True)
    return StepFinished(step, attempt, _NOTES[step](update))


def _intent_note(update: BankingAssistantState) -> str:
    interpretation = update["interpreted_intent"]
    return (interpretation.restatement or interpretation.reply) if interpretation else ""


def _sql_note(update: BankingAssistantState) -> str:
    lines = (update["generated_sql"] or "").strip().count("\n") + 1
    return f"{lines} line{'s' * (lines != 1)} of SQL written"


def _validation_note(update: BankingAssistantState) -> str:
    statement = update["statement"]
    notes = statement.notes if statement else ()
    return "; ".join(("It only reads, and only what exists", *notes))


def _execution_note(update: BankingAssistantState) -> str:
    result = update["execution_result"]
    if result is None:
        return ""
    rows = f"{result.row_count:,} row{'s' * (result.row_count != 1)}"
    return f"First {rows} of more" if result.truncated else rows


def _insight_note(update: BankingAssistantState) -> str:
    return f"Summary written, shown as {(update['chart_suggestion'] or 'table').replace('_', ' ')}"


_NOTES: dict[StepName, Callable[[BankingAssistantState], str]] = {
    "intent_agent": _intent_note,
    "sql_agent": _sql_note,
    "validation_agent": _validation_note,
    "execution_tool": _execution_note,
    "insight_agent": _insight_note,
}
