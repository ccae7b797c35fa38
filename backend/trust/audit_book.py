"""Reads the audit trail for people: everybody what they asked, auditors what all did, as far as it is not closed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import chain, islice, pairwise

from ai_engine.errors import NotPermitted
from ai_engine.types import ColumnType, QueryResult, Scalar
from backend.answers.exports import to_csv
from backend.answers.withheld import Judge, question_without_values, why_outdated, why_withheld
from backend.configuration.people import is_among
from backend.store import audit_trail
from backend.store.audit_chain import Chain, checked_chain
from backend.store.audit_trail import Entry, KeptEntry, Wanted
from backend.store.opening import Store
from backend.trust.audit import Audit

_WRITTEN_WITHIN_S = 1.0
_PER_READ = 2_000
_OTHER_DATA = "The query is not shown, as it is of data that you cannot ask here."
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
        judge_of: returns who judges statements of a database, by its address in an entry; None where nobody can.
    """

    def __init__(
        self, store: Callable[[], Store], audit: Audit, auditors: frozenset[str],
        judge_of: Callable[[str], Judge | None],
    ) -> None:  # fmt: skip
        self._store = store
        self._audit = audit
        self._auditors = auditors
        self._judge_of = judge_of

    def beside(self, others: Callable[[str], Judge | None]) -> AuditBook:
        """Return this book, in which `others` judges what is of other databases."""
        return AuditBook(self._store, self._audit, self._auditors, lambda at: self._judge_of(at) or others(at))

    def sees_all(self, who: str) -> bool:
        """Tell whether this person sees everybody's entries."""
        return is_among(self._auditors, who)

    def page(self, who: str, wanted: Wanted, most: int, *, before: int | None = None, after: int | None = None) -> Page:
        """Return the newest entries, or those next to a number on one side.

        Of an entry that may be shown no more, as a kept answer may not, question, status and times are left.

        Raises:
            NotPermitted: nobody knows who this is.
        """
        wanted = self._permitted(who, wanted)
        self._audit.flush(_WRITTEN_WITHIN_S)
        found = list(islice(self._found(wanted, most + 1, before=before, after=after), most + 1))
        more = len(found) > most
        if after is not None:
            return Page(found[:most][::-1], has_newer=more, has_older=True)
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
        """Yield entries with their hashes; with that of the one before where it stands below, with its hash."""
        found = self._found(self._permitted(who, wanted), min(most, _PER_READ))
        for one, before in pairwise(chain(islice(found, most), (None,))):
            if one is not None:
                stands_below = before is not None and before.number == one.number - 1 and one.hash
                said = (getattr(one.entry, field.name) for field in fields(Entry))
                yield [one.number, *said, before.hash if before is not None and stands_below else "", one.hash]

    def _found(
        self, wanted: Wanted, per_read: int, *, before: int | None = None, after: int | None = None
    ) -> Iterator[KeptEntry]:
        """Yield entries as they may be shown, from the newest or from `before` back, or from `after` on.

        One whose words are looked for in what is not shown does not fit: that would tell them.
        """
        judge_of = lru_cache(self._judge_of)
        why = lru_cache(_PER_READ)(lambda sql, database: _why_refused(sql, judge_of(database)))
        while True:
            with self._store().reading() as on:
                read = audit_trail.entries(on, wanted, per_read, before=before, after=after)
            for one in read if after is None else reversed(read):
                shown = _as_may_be_shown(one.entry, judge_of, why)
                if shown is one.entry:
                    yield one
                elif not wanted.words or _is_found_by_what_is_shown(wanted.words, one.entry, shown):
                    yield replace(one, entry=shown, previous_hash="", hash="")
            if len(read) < per_read:
                return
            before, after = (read[-1].number, None) if after is None else (None, read[0].number)

    def _permitted(self, who: str, wanted: Wanted) -> Wanted:
        if self.sees_all(who):
            return wanted
        if not who:
            raise NotPermitted("the proxy in front named nobody")
        return replace(wanted, person=who)


def _as_may_be_shown(
    entry: Entry, judge_of: Callable[[str], Judge | None], why_refused: Callable[[str, str], str]
) -> Entry:
    """Return an entry as it is, or without what the statement, its reading and its rows tell.

    Nor is it told by what a guess at these could be held against: hashes, and the id that makes one differ from others.
    """
    if not (entry.sql or entry.restatement or entry.reason):
        return entry
    has_figures = entry.status == "answered" and entry.sql
    judge = judge_of(entry.database)
    if entry.closed and not has_figures:
        why = why_outdated(entry.closed, judge.policy) if judge is not None else _OTHER_DATA
    else:
        why = why_refused(entry.sql, entry.database)
    if not why:
        return entry
    asked = question_without_values(entry.question, (entry.sql,))
    return replace(
        entry, question=asked, question_id="", restatement=why, sql="", reason="", row_count=None, result_hash=""
    )


def _why_refused(sql: str, judge: Judge | None) -> str:
    return _OTHER_DATA if judge is None else why_withheld((sql,), judge.check)


def _is_found_by_what_is_shown(words: str, entry: Entry, shown: Entry) -> bool:
    """Tell whether words stand in a question that is shown as it was asked: a sentence of ours has them by chance."""
    return shown.question == entry.question and words.casefold() in shown.question.casefold()
