"""The observe node: writes what came back in so few words that the next decision can take it in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from langgraph.runtime import Runtime

from ai_engine import guard
from ai_engine.agent import in_thread
from ai_engine.context.results import ResultStore, StepResult
from ai_engine.context.tokens import cut_to_tokens
from ai_engine.errors import SqlRejected
from ai_engine.json_values import any_to_json
from ai_engine.operators.base import OperatorResult
from ai_engine.operators.of_agent import withheld
from ai_engine.ports import Services
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState

_SHOWN_ROWS = 10
_LEAST_TOKENS = 60
WITHHELD = "(The person is shown this; its values are not told to a language model.)"


async def observe(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:
    """Tell all results of this turn within the budget, and of what failed why."""
    return await judged_anew(state, runtime.context)


async def judged_anew(state: ChatState, run: SupervisorRun) -> ChatState:
    """Mark results whose statements may not run any more, and tell all results as they may be told now."""
    results, renewed = state["results"], run.setting.renewed
    if renewed is not None and len(results):
        results = await in_thread(_judged, results, renewed)
    told = observed({**state, "results": results}, run.setting.limits.observation_tokens)
    return {"results": results, "observations": told}


def _judged(results: ResultStore, renewed: Callable[[], Mapping[type[Any], Any]]) -> ResultStore:
    database = renewed().get(Services)
    return ResultStore(
        tuple(
            replace(entry, result=withheld(entry.result)) if why_closed(database, entry.result.metadata) else entry
            for entry in results
        )
    )


def why_closed(database: Services | None, known: Mapping[str, Any]) -> str:
    """Say why the statements of a result may not run now; a server that another database is asked of judges itself.

    Args:
        database: None where there is none.
        known: what is known of the result.
    """
    if database is None or known.get("server"):
        return ""
    try:
        for sql in filter(None, (known.get("sql"), *(known.get("statements") or ()))):
            guard.check(str(sql), database.vocabulary.catalogue, database.policy)
    except SqlRejected as refusal:
        return f"What it found before may not be told any more: {refusal}."
    return ""


def observed(state: ChatState, max_tokens: int) -> str:
    """Write the results, each with its share of the tokens, and the failures."""
    results: ResultStore = state["results"]
    each = max(max_tokens // max(len(results), 1), _LEAST_TOKENS)
    told = [cut_to_tokens(_told(entry), each) for entry in results]
    failed = [
        f"{action.operator or action.action} failed ({action.kind}): {action.told_message}"
        for action in state["actions"]
        if action.outcome == "failed"
    ]
    return "\n\n".join([*told, *failed])


def may_leave(result: OperatorResult) -> bool:
    """Whether a language model may be told the values of a result; what says nothing of it may."""
    return result.metadata.get("may_leave") is not False


def _told(entry: StepResult) -> str:
    head = f"{entry.step} ({entry.operator}), asked: {entry.query}"
    result = entry.result
    if not may_leave(result):
        return f"{head}\n{WITHHELD}"
    lines = [head, result.text or json.dumps(any_to_json(result.output), ensure_ascii=False)]
    if result.table is not None:
        lines.append(f"{result.table.row_count} rows of {', '.join(result.table.columns)}")
        rows = islice(result.table.rows, _SHOWN_ROWS)
        lines += [json.dumps(any_to_json(list(row.values())), ensure_ascii=False) for row in rows]
    lines += [f"Cites {one.document} paragraph {one.paragraph}" for one in result.citations]
    lines += [f"Missing: {text}" for text in result.missing]
    return "\n".join(lines)
