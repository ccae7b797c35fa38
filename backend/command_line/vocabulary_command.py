"""`vocabulary`: what the assistant infers about a database, as a file that a bank can edit, or as changes to one."""

from __future__ import annotations

import argparse
import difflib
import sys
import threading

from ai_engine.errors import BadConfiguration
from ai_engine.llm.notes_proposal import propose_from_notes
from ai_engine.semantics.osi import dump_vocabulary
from backend.command_line.opening import opened_assistant, settings_of
from backend.command_line.plain_text import cleaned
from backend.command_line.statuses import ANSWERED
from backend.command_line.writing import write_text
from backend.databases import open_database
from backend.vocabulary.notes_files import read_notes
from backend.vocabulary.reading import inferred


def run(arguments: argparse.Namespace) -> int:
    """Write the vocabulary to --out, or to standard output."""
    if arguments.from_notes is not None:
        return _propose(arguments)
    settings = settings_of(arguments)
    if arguments.dictionary is not None:
        settings = settings.model_copy(update={"dictionary_file": arguments.dictionary})
    with open_database(settings.database_url) as database:
        text = dump_vocabulary(inferred(settings, database))
    write_text(arguments.out, text)
    return ANSWERED


def _propose(arguments: argparse.Namespace) -> int:
    """Write what notes would change as a diff; the vocabulary itself stays as it is."""
    notes = read_notes(arguments.from_notes, settings_of(arguments).max_document_kb)
    with opened_assistant(arguments) as assistant:
        if assistant.chat is None:
            raise BadConfiguration("--from-notes needs a language model: set OPENAI_API_KEY or OPENAI_BASE_URL.")
        before = assistant.vocabulary.model
        proposal = propose_from_notes(notes, before, assistant.chat, threading.Event())
    old, new = (dump_vocabulary(model).splitlines(keepends=True) for model in (before, proposal.model))
    write_text(arguments.out, "".join(difflib.unified_diff(old, new, "vocabulary.yaml", "proposed.yaml")))
    for reason in proposal.left_out:
        sys.stderr.write(f"left out: {cleaned(reason)}\n")
    return ANSWERED
