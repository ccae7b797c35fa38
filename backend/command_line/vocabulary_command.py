"""`vocabulary`: what the assistant infers about a database, as a file that a bank can edit."""

from __future__ import annotations

import argparse
import sys

from ai_engine.errors import BadConfiguration
from ai_engine.semantics.osi import dump_vocabulary
from backend.command_line.opening import settings_of
from backend.command_line.statuses import ANSWERED
from backend.databases import open_database
from backend.sampling import collect_samples, infer_from


def run(arguments: argparse.Namespace) -> int:
    """Write the vocabulary to --out, or to standard output."""
    with open_database(settings_of(arguments).database_url) as database:
        text = dump_vocabulary(infer_from(database, collect_samples(database)))
    if arguments.out is None:
        sys.stdout.write(text)
        return ANSWERED
    try:
        arguments.out.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise BadConfiguration(f"The output file {arguments.out} cannot be written: {fault.strerror}") from fault
    return ANSWERED
