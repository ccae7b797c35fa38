"""What each result says, ready to be put together: by rule, or as lines for the model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from ai_engine.agent import AgentExecutionStatus, AgentResult
from ai_engine.agent_results import described
from ai_engine.formats import Formats
from ai_engine.insight.amounts import exact, format_amount, format_value
from ai_engine.orchestrator.execution import Finished
from ai_engine.orchestrator.sharing import Step

NO_DATA = "no data was returned"

_RUPEES = re.compile(
    r"(?P<minus>-\s?)?(?:₹|\bINR\b|\bRs\b\.?)\s?(?P<digits>\d[\d,]*(?:\.\d+)?)(?P<scale>\s?(?:lakhs?|crores?|cr)\b)?",
    re.IGNORECASE,
)


def answer_by_rule(finished: Sequence[Finished], left_out: Sequence[Step], currency: str | None) -> str:
    """Say what was found, in the planned order, and then what is missing and why."""
    found = [sentence for one in finished for sentence in _found(one, currency)]
    gaps = [*(_gap(one) for one in finished if one.result.error is not None), *(_left_out(step) for step in left_out)]
    lead = found or [f"For this question {NO_DATA}."]
    return with_rupees(" ".join(map(_sentence, [*lead, *gaps])), currency)


def _found(one: Finished, currency: str | None) -> list[str]:
    text = told(one.result, currency)
    return [text, *(f"Here {taken}" for taken in one.taken)] if text else []


def told(result: AgentResult, currency: str | None) -> str:
    """Return an agent's answer, without figures that are zero or missing beside others; empty when there is none."""
    if result.status is not AgentExecutionStatus.succeeded:
        return ""
    if result.tabular is not None and result.tabular.row_count == 0:
        return result.answer or NO_DATA
    return _without_empty_figures(result, currency) or result.answer or ""


def summary_lines(finished: Iterable[Finished], left_out: Iterable[Step], currency: str | None) -> str:
    """Write one line per agent, as the composer's model reads them."""
    lines = [
        f"Agent: {one.result.agent} | status: {one.result.status.value}. Asked: {one.planned.step.question} "
        f"Answer: {with_rupees(told(one.result, currency), currency) or '(none)'} "
        f"Error: {one.result.error.message if one.result.error else '(none)'}"
        for one in finished
    ]
    return "\n".join([*lines, *(_left_out(step) for step in left_out)]) or "(nobody was asked)"


def with_rupees(text: str, currency: str | None) -> str:
    """Write every amount in Rupees as the bank does: Rs.1,75,206.00, and Rs.1.5 crore."""
    return _RUPEES.sub(_as_rupees, text) if currency == "INR" else text


def _as_rupees(match: re.Match[str]) -> str:
    minus = "-" if match["minus"] else ""
    if match["scale"]:
        return f"{minus}Rs.{match['digits']}{match['scale']}"
    digits = match["digits"]
    end = "," if digits.endswith(",") else ""
    return f"{minus}{format_amount(Decimal(digits.replace(',', '')), 'INR')}{end}"


def _without_empty_figures(result: AgentResult, currency: str | None) -> str:
    """Tell the one row of several figures of which some are zero or missing and some are not."""
    columns = {column["name"]: column for column in described(result).get("columns", ())}
    if result.tabular is None or result.tabular.row_count != 1:
        return ""
    row = result.tabular.rows[0]
    figures = [column for name, column in columns.items() if column.get("role") == "measure" and name in row]
    filled = [column for column in figures if exact(row[column["name"]]) not in (None, Decimal(0))]
    if not filled or len(filled) == len(figures):
        return ""
    return (
        "; ".join(f"{one['label']}: {format_value(row[one['name']], one['unit'], Formats(currency))}" for one in filled)
        + "."
    )


def _gap(one: Finished) -> str:
    """Say what is missing; an agent that was left waiting has an answer that says for what."""
    error = one.result.error
    if one.result.answer:
        return one.result.answer
    if error is None:
        return ""
    choices = "; ".join(str(choice) for choice in error.details.get("choices", ()))
    which = f" ({choices})" if choices else ""
    return f"Not answered, “{one.planned.step.question}” ({one.result.agent}): {error.message}{which}"


def _left_out(step: Step) -> str:
    return f"Not asked, “{step.question}”: the agent {step.agent} is switched off or was not to be run any more."


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?", "”")) else f"{text}."
