"""Whether the audit trail is whole: every entry as it was written, and bound to the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sqlalchemy import func, select

from backend.store.audit_trail import ENTRIES, KILLED, REMOVED, KeptEntry, hash_of, kept_of
from backend.store.opening import Store

_PER_READ = 2_000


@dataclass(frozen=True, slots=True)
class Chain:
    """What came of looking through the trail.

    Attributes:
        entries: looked at, `last` the number of the last one and `head` its hash.
        broken_at: number of the first entry at fault, None where all is whole; `why` says what is wrong there.
        missed: answers that entries say are missing.
        killed: processes that entries say were killed, each with what it had not written yet.
    """

    entries: int = 0
    last: int = 0
    head: str = ""
    broken_at: int | None = None
    why: str = ""
    missed: int = 0
    killed: int = 0


def checked_chain(
    store: Store, newest: int | None = None, told: Callable[[int], object] = lambda _looked_at: None
) -> Chain:
    """Look whether every entry is as it was written and follows the one before.

    Args:
        store: which keeps the trail.
        newest: look at so many only, from the newest on back; None for all.
        told: hears after each entry how many were looked at.

    Raises:
        StoreUnavailable: it cannot be read.
    """
    found, before, begun, attested = Chain(), None, None, False
    for one in _all(store, newest):
        fault = _fault(one, before)
        if fault:
            return replace(found, broken_at=one.number, why=fault)
        begun = begun or one
        attested |= one.entry.status == REMOVED and (one.entry.row_count, one.entry.result_hash) == (
            begun.number - 1, begun.previous_hash,
        )  # fmt: skip
        missed = found.missed + one.entry.missed
        killed = found.killed + (one.entry.status == KILLED)
        found = Chain(found.entries + 1, one.number, one.hash, missed=missed, killed=killed)
        before = one
        told(found.entries)
    cut = begun is not None and newest is None and (begun.number, begun.previous_hash) != (1, "") and not attested
    if begun is not None and cut:
        return replace(found, broken_at=begun.number, why="entries before it are gone, and no entry says so")
    return found


def _fault(one: KeptEntry, before: KeptEntry | None) -> str:
    if hash_of(one.number, one.entry, one.previous_hash) != one.hash:
        return "it is not as it was written"
    if before is None:
        return ""
    if one.number != before.number + 1:
        return f"it follows entry {before.number}: those between are gone"
    return "" if one.previous_hash == before.hash else "it does not follow the entry before it"


def _all(store: Store, newest: int | None) -> Iterator[KeptEntry]:
    """Yield the entries by number, some thousands at a time, so that nobody waits for the reader."""
    after = -1
    if newest is not None:
        with store.reading() as on:
            after = (on.scalar(select(func.max(ENTRIES.c.number))) or 0) - newest
    while True:
        with store.reading() as on:
            wanted = select(ENTRIES).where(ENTRIES.c.number > after).order_by(ENTRIES.c.number).limit(_PER_READ)
            rows = on.execute(wanted).mappings().all()
        if not rows:
            return
        for row in rows:
            yield kept_of(row)
        after = rows[-1]["number"]
