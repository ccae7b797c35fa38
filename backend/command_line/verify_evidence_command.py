"""`verify-evidence`: whether a pack is as it was sealed, and whether the database still says the same."""

from __future__ import annotations

import argparse
import json
import sys

from ai_engine.errors import BadConfiguration, QueryFailed, SqlRejected
from backend.answers.evidence_check import Evidence, difference_to_today, read_evidence
from backend.command_line.opening import opened_assistant, settings_of
from backend.command_line.plain_text import cleaned
from backend.command_line.statuses import ANSWERED, CHANGED, NOT_ANSWERED, NOT_RUN

_MB_PER_RESULT_MB = 32
"""What a result takes as JSON and CSV together, at most."""
_TOLD = ("question", "asked_by", "exported_by", "person", "answered_at", "source", "result_hash")
"""Earlier versions wrote `person`, who exported."""


def run(arguments: argparse.Namespace) -> int:
    """Say what was found; the status tells it to programs."""
    settings = settings_of(arguments)
    try:
        pack = arguments.file.read_bytes()
    except OSError as fault:
        raise BadConfiguration(f"The evidence {arguments.file} cannot be read: {fault.strerror}") from fault
    evidence = read_evidence(pack, _MB_PER_RESULT_MB * settings.max_result_mb)
    status, said = (NOT_ANSWERED, " ".join(evidence.faults)) if evidence.faults else (ANSWERED, "As it was sealed.")
    if status == ANSWERED and arguments.database:
        status, more = _compared(evidence, arguments)
        said = f"{said} {more}"
    if arguments.json:
        sys.stdout.write(json.dumps({**evidence.facts, "status": _NAMES[status], "said": said}) + "\n")
        return status
    for name in _TOLD:
        if name in evidence.facts:
            sys.stdout.write(cleaned(f"{name}: {evidence.facts[name]}") + "\n")
    sys.stdout.write(cleaned(said) + "\n")
    return status


def _compared(evidence: Evidence, arguments: argparse.Namespace) -> tuple[int, str]:
    with opened_assistant(arguments) as assistant:
        try:
            difference = difference_to_today(evidence, assistant)
        except (SqlRejected, QueryFailed) as fault:
            return NOT_RUN, f"The statement cannot be run again: {fault.user_message}"
    if difference:
        return CHANGED, f"The figure has changed since: {difference}."
    return ANSWERED, "The database still says the same."


_NAMES = {ANSWERED: "as sealed", NOT_ANSWERED: "tampered", CHANGED: "changed since", NOT_RUN: "cannot be run again"}
