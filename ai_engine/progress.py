"""One line per finished step, for whoever waits."""

from __future__ import annotations

from collections.abc import Callable

from ai_engine.state import BankingAssistantState
from ai_engine.types import StepFinished, StepName, StepStarted


def describe_step(step: StepName, attempt: int, update: BankingAssistantState) -> StepFinished:
    """Say what came out of a step, given the fields it wrote."""
    failures = update.get("failures", ())
    error = update.get("error_message")
    if error:
        return StepFinished(step, attempt, error, failed=True, sql=failures[-1].sql if failures else None)
    result = update.get("execution_result")
    return StepFinished(
        step,
        attempt,
        _NOTES[step](update),
        sql=update.get("validated_sql") or update.get("generated_sql"),
        row_count=result.row_count if result else None,
    )


def line_of(event: StepStarted | StepFinished) -> str:
    """Tell one event of a run in a line that a person reads."""
    attempt = f", attempt {event.attempt}" if event.attempt > 1 else ""
    if isinstance(event, StepStarted):
        return f"{event.step}{attempt} ..."
    return f"{event.step}{attempt} {'failed' if event.failed else 'done'}: {' '.join(event.note.split())}"


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
    return f"First {rows}; there are more" if result.truncated else rows


def _insight_note(update: BankingAssistantState) -> str:
    return f"Summary written, shown as {(update['chart_suggestion'] or 'table').replace('_', ' ')}"


_NOTES: dict[StepName, Callable[[BankingAssistantState], str]] = {
    "intent_agent": _intent_note,
    "sql_agent": _sql_note,
    "validation_agent": _validation_note,
    "execution_tool": _execution_note,
    "insight_agent": _insight_note,
}
