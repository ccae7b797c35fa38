"""`evaluate`: how many questions of a file are answered right."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from typing import Any

from ai_engine.errors import BadConfiguration
from backend.command_line.opening import read_text, settings_of
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED
from backend.configuration.database_limits import database_limits
from backend.databases import open_database
from backend.evaluation.asking import Databases, ask_all
from backend.evaluation.questions import read_questions
from backend.evaluation.report import change_since, read_verdicts, report_on, report_to_json
from backend.evaluation.several_agents import (
    agent_report_text,
    agent_report_to_json,
    ask_agents,
    names_agents,
    read_agent_questions,
)
from backend.evaluation.table import change_text, report_text
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside


def run(arguments: argparse.Namespace) -> int:
    """Print the figures; 1 when they are worse than the baseline's."""
    if names_agents(arguments.questions):
        return _run_agents(arguments)
    questions = read_questions(arguments.questions)
    earlier = None if arguments.baseline is None else read_verdicts(arguments.baseline)
    notes = "" if arguments.hints is None else read_text(arguments.hints, "hints")
    with Databases(settings_of(arguments), arguments.db_dir, notes, arguments.source or "") as databases:
        report = report_on(ask_all(questions, databases))
    sys.stdout.write(report_text(report) + "\n")
    if arguments.out is not None:
        _write(arguments, report_to_json(report))
    if earlier is None:
        return ANSWERED
    change = change_since(earlier, report.outcomes)
    sys.stdout.write("\n" + change_text(change) + "\n")
    return NOT_ANSWERED if change.is_regression else ANSWERED


def _run_agents(arguments: argparse.Namespace) -> int:
    """Ask several agents, with the services that the settings describe; 0 once every question was asked."""
    questions = read_agent_questions(arguments.questions)
    settings = settings_of(arguments)
    with (
        closing(open_assistant(settings, source=arguments.source or "")) as assistant,
        closing(SharedOutside(lambda: settings)) as outside,
        open_database(settings.database_url, database_limits(settings)) as golds,
    ):
        outcomes = tuple(ask_agents(questions, Orchestrator(assistant, outside.get()), golds))
    sys.stdout.write(agent_report_text(outcomes) + "\n")
    if arguments.out is not None:
        _write(arguments, agent_report_to_json(outcomes))
    return ANSWERED


def _write(arguments: argparse.Namespace, report: dict[str, Any]) -> None:
    try:
        arguments.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    except OSError as fault:
        raise BadConfiguration(f"The report {arguments.out} cannot be written: {fault.strerror}") from fault
