"""The port through which a program is run, and what of a program is refused before it is."""

from __future__ import annotations

import ast
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Literal, Protocol, TypeAlias

RunStatus: TypeAlias = Literal["ok", "violation", "timed_out", "failed", "stopped"]
Cell: TypeAlias = bool | int | float | str | Decimal | date | datetime | time | timedelta | None
PlainValue: TypeAlias = list["PlainValue"] | dict[str, "PlainValue"] | Cell

MAX_PROGRAM_CHARS = 20_000
_REFUSED_NAMES = frozenset("eval exec compile open input breakpoint help globals locals vars".split())


@dataclass(frozen=True, slots=True)
class SandboxRun:
    """What came of one program.

    Attributes:
        status: `violation` where it wanted more than a program may (an import, a file, too much memory or output),
            `timed_out` at its deadline, `failed` for a mistake of its own, `stopped` on request.
        output: what it printed.
        result: the variable `result`, else the value of the last line; None unless `ok`.
        variables: the plain values it assigned at its outermost level.
        error: what went wrong, in a sentence; empty when `ok`.
        elapsed_ms: from the call to the result.
    """

    status: RunStatus
    output: str = ""
    result: PlainValue = None
    variables: dict[str, PlainValue] = field(default_factory=dict)
    error: str = ""
    elapsed_ms: float = 0.0


class Sandbox(Protocol):
    """Runs a program that nobody trusts; safe to call from many threads."""

    def run(
        self, code: str, inputs: Mapping[str, PlainValue], *, timeout_s: float, stop: threading.Event
    ) -> SandboxRun:
        """Run a program with `inputs` as its variables; never raises for what the program does.

        It ends at `timeout_s` or within a second of `stop`, whatever it is doing.
        """
        ...


class ProgramRefused(Exception):
    """A program may not run, or cannot be read; `violation` tells which."""

    def __init__(self, reason: str, *, violation: bool = True) -> None:
        super().__init__(reason)
        self.violation = violation


def assigned_names(code: str) -> tuple[str, ...]:
    """Read a program without running it and return the names it assigns at its outermost level, in order.

    The sandbox holds by itself; this turns away what could only fail there, with a reason that says what to do.

    Raises:
        ProgramRefused: it imports, reaches for what no program needs, is too long, or is no Python.
    """
    if len(code) > MAX_PROGRAM_CHARS:
        raise ProgramRefused(f"the program is longer than {MAX_PROGRAM_CHARS:,} characters")
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError) as fault:
        raise ProgramRefused(f"the program is no valid Python: {fault}", violation=False) from None
    except (RecursionError, MemoryError):
        raise ProgramRefused("the program is nested too deeply") from None
    for node in ast.walk(tree):
        _refuse(node)
    names = [
        node.id
        for statement in tree.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not _is_scope(statement)
    ]
    return tuple(dict.fromkeys(names))


def _refuse(node: ast.AST) -> None:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        raise ProgramRefused("imports are not allowed: Decimal, date and the finance functions are there already")
    if isinstance(node, (ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith)):
        raise ProgramRefused("a program may not be asynchronous")
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    if name.startswith("__") or (isinstance(node, ast.Name) and name in _REFUSED_NAMES):
        raise ProgramRefused(f"{name} is not allowed in a program")


def _is_scope(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.FunctionDef, ast.ClassDef))
