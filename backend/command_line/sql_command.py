"""`sql`: the analyst's own statement, under the guard and the limits of every question."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator

from ai_engine.errors import AssistantError, QueryTimedOut, SqlRejected
from ai_engine.json_values import JsonValue
from ai_engine.types import QueryResult
from backend.answers.json_values import json_line, rows_to_json
from backend.command_line.isolated_guard import IsolatedGuard
from backend.command_line.json_lines import InputLine, read_lines, write_lines
from backend.command_line.opening import opened_assistant
from backend.command_line.plain_text import result_text
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED
from backend.service import Assistant


def run(arguments: argparse.Namespace) -> int:
    """Print the rows, or write the batch."""
    if arguments.batch is not None:
        lines = read_lines(arguments.batch)
        with opened_assistant(arguments) as assistant:
            write_lines(arguments.out, _outcomes(assistant, lines))
        return ANSWERED
    with opened_assistant(arguments) as assistant:
        outcome, result = run_statement(lambda: assistant.run_statement(arguments.text)[1])
    if arguments.json:
        sys.stdout.write(json_line({"id": None, **outcome}) + "\n")
    elif result is None:
        sys.stderr.write(f"{str(outcome['status']).replace('_', ' ')}: {outcome['reason']}\n")
    else:
        sys.stdout.write(f"{result_text(result)}\n\n{result.row_count:,} rows, {outcome['elapsed_ms']:,.0f} ms\n")
    return NOT_ANSWERED if result is None else ANSWERED


def run_statement(statement: Callable[[], QueryResult]) -> tuple[dict[str, JsonValue], QueryResult | None]:
    """Call a statement and describe what came of it, whatever it is.

    Returns:
        `status` (answered, refused, failed, timed_out), `columns`, `rows`, `row_count`, `truncated`, `reason` (None
        when answered) and `elapsed_ms` (guard, queue and database together); and the result, None when there is none.
    """
    started = time.perf_counter()
    result: QueryResult | None = None
    status, reason = "answered", None
    try:
        result = statement()
    except SqlRejected as refusal:
        status, reason = "refused", str(refusal)
    except QueryTimedOut as fault:
        status, reason = "timed_out", str(fault)
    except AssistantError as fault:
        status, reason = "failed", str(fault)
    except Exception as fault:  # noqa: BLE001 - one statement never ends the batch
        status, reason = "failed", f"{type(fault).__name__}: {fault}"
    outcome: dict[str, JsonValue] = {
        "status": status,
        "columns": list(result.columns) if result else [],
        "rows": rows_to_json(result) if result else [],
        "row_count": result.row_count if result else 0,
        "truncated": result.truncated if result else False,
        "reason": reason,
        "elapsed_ms": round((time.perf_counter() - started) * 1_000, 3),
    }
    return outcome, result


def _outcomes(assistant: Assistant, lines: list[InputLine]) -> Iterator[dict[str, JsonValue]]:
    with IsolatedGuard(assistant.vocabulary.catalogue, assistant.policy) as isolated:

        def fetch(line: InputLine) -> QueryResult:
            sql = line.text("sql")
            started = time.perf_counter()
            try:
                isolated.check(sql)
            except AssistantError as fault:
                assistant.record_statement(sql, fault, started)
                raise
            return assistant.run_statement(sql)[1]

        for line in lines:
            outcome, _ = run_statement(lambda line=line: fetch(line))  # type: ignore[misc]
            passed_on = {key: value for key, value in line.fields.items() if key != "sql"}
            yield {"id": None, **passed_on, **outcome}
