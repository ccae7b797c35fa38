"""Reads the audit trail for people: everybody sees what they asked, auditors what all did."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace

from ai_engine.errors import NotPermitted
from ai_engine.types import ColumnType, QueryResult, Scalar
from backend.answers.exports import to_csv
from backend.configuration.people import is_among
from backend.store import audit_trail
from backend.store.audit_chain import Chain, checked_chain
from backend.store.audit_trail import Entry, KeptEntry, Wanted
from backend.store.opening import Store
from backend.trust.audit import Audit

_WRITTEN_WITHIN_S = 1.0
_PER_READ = 2_000
_COLUMNS = ("number", *(field.name for field in fields(Entry)), "previous_hash", "hash")


@dataclass(frozen=True, slots=True)
class Page:
    """Some entries, the newest first, and whether there are further ones on either side."""

    entries: list[KeptEntry]
    has_newer: bool
    has_older: bool


class AuditBook:
    """The trail as one person may see it; safe to share between threads. Every method may raise StoreUnavailable.

    Args:
        store: opens the store, or gives it where it is open.
        audit: what writes the trail.
        auditors: those who see everybody's entries, "*" among them for all.
    """

    def __init__(self, store: Callable[[], Store], audit: Audit, auditors: frozenset[str]) -> None:
        self._store = store
        self._audit = audit
        self._auditors = auditors

    def sees_all(self, who: str) -> bool:
        """Tell whether this person sees everybody's entries."""
        return is_among(self._auditors, who)

    def page(self, who: str, wanted: Wanted, most: int, *, before: int | None = None, after: int | None = None) -> Page:
        """Return the newest entries, or those next to a number on one side.

        Raises:
            NotPermitted: nobody knows who this is.
        """
        wanted = self._permitted(who, wanted)
        self._audit.flush(_WRITTEN_WITHIN_S)
        with self._store().reading() as on:
            found = audit_trail.entries(on, wanted, most + 1, before=before, after=after)
        more = len(found) > most
        if after is not None:
            return Page(found[-most:], has_newer=more, has_older=True)
        return Page(found[:most], has_newer=before is not None, has_older=more)

    def chain(self, newest: int | None = None) -> Chain:
        """Look through the newest entries, or all, for the first that is not as it was written."""
        return checked_chain(self._store(), newest)

    def csv(self, who: str, wanted: Wanted, most: int) -> Iterator[bytes]:
        """Write entries, the newest first, as CSV that no spreadsheet runs."""
        types: list[ColumnType] = ["other" for _ in _COLUMNS]
        rows = tuple(map(tuple, self._rows(who, wanted, most)))
        yield from to_csv(QueryResult(_COLUMNS, tuple(types), rows), bom=True)

    def json_lines(self, who: str, wanted: Wanted, most: int) -> Iterator[bytes]:
        """Write entries, the newest first, as one JSON object a line."""
        for values in self._rows(who, wanted, most):
            said = dict(zip(_COLUMNS, values, strict=True))
            yield (json.dumps(said, default=str, ensure_ascii=False) + "\n").encode()

    def _rows(self, who: str, wanted: Wanted, most: int) -> Iterator[list[Scalar]]:
        wanted, before = self._permitted(who, wanted), None
        while most > 0:
            with self._store().reading() as on:
                found = audit_trail.entries(on, wanted, min(most, _PER_READ), before=before)
            if not found:
                return
            for one in found:
                said = (getattr(one.entry, field.name) for field in fields(Entry))
                yield [one.number, *said, one.previous_hash, one.hash]
            most, before = most - len(found), found[-1].number

    def _permitted(self, who: str, wanted: Wanted) -> Wanted:
        if self.sees_all(who):
            return wanted
        if not who:
            raise NotPermitted("the proxy in front named nobody")
        return replace(wanted, person=who)
