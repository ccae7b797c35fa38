"""`check`: the guard alone, on a database or on a file of CREATE TABLE statements."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator

from ai_engine import guard
from ai_engine.catalogue import Catalogue
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import SqlRejected
from ai_engine.guard.policy import Policy, unknown_names
from ai_engine.json_values import JsonValue
from backend.answers.json_values import json_line
from backend.command_line.arguments import DIALECTS
from backend.command_line.isolated_guard import IsolatedGuard
from backend.command_line.json_lines import InputLine, read_lines, write_lines
from backend.command_line.opening import opened_assistant, read_policy, read_text, settings_of
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED
from backend.databases import open_database


def run(arguments: argparse.Namespace) -> int:
    """Print the verdict, or write the batch; 0 when the statement may run."""
    lines = read_lines(arguments.batch) if arguments.batch is not None else []
    catalogue, policy = _catalogue_and_policy(arguments)
    for name in unknown_names(policy, catalogue):
        sys.stderr.write(f"note: the policy names {name}, which is not there\n")
    if arguments.batch is not None:
        verdicts = Counter[object]()
        write_lines(arguments.out, _counted(_verdicts(catalogue, policy, lines), verdicts))
        sys.stderr.write(f"{verdicts[True]:,} accepted, {verdicts[False]:,} refused\n")
        return ANSWERED
    accepted, text = True, ""
    try:
        text = guard.check(arguments.text, catalogue, policy).sql
    except SqlRejected as refusal:
        accepted, text = False, str(refusal)
    if arguments.json:
        sys.stdout.write(json_line({"id": None, **_verdict(accepted, text)}) + "\n")
    else:
        sys.stdout.write(f"accepted\n\n{text}\n" if accepted else f"refused: {text}\n")
    return ANSWERED if accepted else NOT_ANSWERED


def _catalogue_and_policy(arguments: argparse.Namespace) -> tuple[Catalogue, Policy]:
    """The file of --policy stands for itself; without one, what every question on this database is held to."""
    if arguments.schema is not None:
        text = read_text(arguments.schema, "schema")
        return catalogue_from_ddl(text, DIALECTS[arguments.dialect]), read_policy(arguments) or Policy()
    policy = read_policy(arguments)
    if policy is not None:
        with open_database(settings_of(arguments).database_url) as database:
            return database.catalogue, policy
    with opened_assistant(arguments) as assistant:
        return assistant.vocabulary.catalogue, assistant.policy


def _verdicts(catalogue: Catalogue, policy: Policy, lines: list[InputLine]) -> Iterator[dict[str, JsonValue]]:
    with IsolatedGuard(catalogue, policy) as isolated:
        for line in lines:
            try:
                verdict = _verdict(True, isolated.check(line.text("sql")).sql)
            except Exception as refusal:  # noqa: BLE001 - one statement never ends the batch
                verdict = _verdict(False, str(refusal))
            yield {"id": None, **line.fields, **verdict}


def _counted(verdicts: Iterator[dict[str, JsonValue]], into: Counter[object]) -> Iterator[dict[str, JsonValue]]:
    for verdict in verdicts:
        into[verdict["accepted"]] += 1
        yield verdict


def _verdict(accepted: bool, text: str) -> dict[str, JsonValue]:
    return {"accepted": accepted, "reason": None if accepted else text, "sql": text if accepted else None}
