"""`verify-audit`: whether every entry of the audit trail is as it was written and follows the one before."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from dataclasses import asdict, replace

from ai_engine.errors import BadConfiguration
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED
from backend.settings import read_settings
from backend.store import open_store
from backend.store.audit_chain import Chain, checked_chain
from backend.store.audit_trail import by_number
from backend.store.opening import Store

_TOLD_EVERY = 50_000


def run(arguments: argparse.Namespace) -> int:
    """Say whether the chain is whole, and its head, to be noted where nobody can change it."""
    with closing(open_store(read_settings())) as store:
        found = checked_chain(store, told=_tell)
        if arguments.head and found.broken_at is None:
            found = _with_head(store, found, arguments.head)
    if arguments.json:
        sys.stdout.write(json.dumps(asdict(found)) + "\n")
    else:
        sys.stdout.write(said_of_chain(found) + "\n")
        if found.last:
            sys.stdout.write(f"head {found.last}:{found.head}\n")
    return ANSWERED if found.broken_at is None else NOT_ANSWERED


def said_of_chain(found: Chain) -> str:
    """Say in a sentence or two what came of looking."""
    if found.broken_at is not None:
        return f"The chain is broken at entry {found.broken_at:,}: {found.why}."
    missing = f" Entries say that {found.missed:,} answers are missing." if found.missed else ""
    killed = f" Processes that were killed, with what they had not written: {found.killed:,}." if found.killed else ""
    return f"The chain is whole: {found.entries:,} entries.{missing}{killed}"


def _tell(looked_at: int) -> None:
    """Say now and then how far it is; what comes of it stands alone on standard output."""
    if looked_at % _TOLD_EVERY == 0:
        sys.stderr.write(f"{looked_at:,} entries looked at …\n")


def _with_head(store: Store, found: Chain, head: str) -> Chain:
    """Hold the trail against an entry that somebody noted: a trail that lost its end is whole in itself."""
    number, _, wanted = head.partition(":")
    if not number.isdigit() or not wanted:
        raise BadConfiguration("--head is NUMBER:HASH, as an earlier `verify-audit` printed it")
    with store.reading() as on:
        kept = by_number(on, int(number))
    if kept is None:
        return replace(found, broken_at=int(number), why="it was noted, and is not there")
    if kept.hash != wanted:
        return replace(found, broken_at=int(number), why="it is not the one that was noted")
    return found
