"""`vocabulary`: what the assistant infers about a database, as a file that a bank can edit."""

from __future__ import annotations

import argparse

from ai_engine.semantics.osi import dump_vocabulary
from backend.command_line.opening import settings_of
from backend.command_line.statuses import ANSWERED
from backend.command_line.writing import write_text
from backend.databases import open_database
from backend.sampling import collect_samples, infer_from


def run(arguments: argparse.Namespace) -> int:
    """Write the vocabulary to --out, or to standard output."""
    with open_database(settings_of(arguments).database_url) as database:
        text = dump_vocabulary(infer_from(database, collect_samples(database)))
    write_text(arguments.out, text)
    return ANSWERED
