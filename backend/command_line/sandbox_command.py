"""`sandbox`: calculation programs alone, under the bounds that every calculation has."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import date

from ai_engine.errors import BadQuestion
from ai_engine.json_values import JsonValue, plain_to_json
from ai_engine.specialists.computation.sandbox import SandboxRun
from backend.command_line.json_lines import InputLine, read_lines, write_lines
from backend.command_line.statuses import ANSWERED
from backend.sandbox import InterpreterSandbox, SandboxLimits
from backend.settings import read_settings


def run(arguments: argparse.Namespace) -> int:
    """Write what came of each program."""
    lines = read_lines(arguments.batch)
    settings = read_settings()
    limits = SandboxLimits(settings.sandbox_memory_mb, settings.sandbox_max_output_kb, settings.sandbox_workers)
    with closing(InterpreterSandbox(limits, settings.as_of or date.today())) as sandbox:  # noqa: DTZ011 - a person's day
        write_lines(arguments.out, _outcomes(sandbox, lines, settings.sandbox_timeout_s))
    return ANSWERED


def _outcomes(sandbox: InterpreterSandbox, lines: list[InputLine], timeout_s: float) -> Iterator[dict[str, JsonValue]]:
    for line in lines:
        try:
            inputs = line.fields.get("inputs") or {}
            if not isinstance(inputs, dict) or not all(name.isidentifier() for name in inputs):
                raise BadQuestion("inputs must be an object whose keys are names of variables")
            ran = sandbox.run(line.text("code"), inputs, timeout_s=timeout_s, stop=threading.Event())  # type: ignore[arg-type]
        except BadQuestion as fault:
            ran = SandboxRun("failed", error=str(fault))
        yield {
            "id": line.fields.get("id"),
            "status": ran.status,
            "output": ran.output,
            "result": plain_to_json(ran.result),
            "error": ran.error or None,
            "elapsed_ms": round(ran.elapsed_ms, 3),
        }
