"""Whether the evidence of an answer is as it was sealed, and whether the database still says the same."""

from __future__ import annotations

import io
import json
import lzma
import zipfile
import zlib
from dataclasses import dataclass, replace
from typing import Any

from ai_engine.errors import AnswerUnreadable, BadConfiguration
from ai_engine.result_hash import result_hash
from ai_engine.types import Answer, QueryResult, Scalar
from backend.answers.answer_json import answer_from_json
from backend.answers.evidence import ANSWER, FACTS, MEMBERS, ROWS, SEAL, facts_of_answer, seal_of
from backend.answers.exports import to_csv
from backend.service import Assistant

_FLOAT_DIGITS = 12
"""Of a sum of floating point numbers: the last few depend on the order in which an engine adds."""

_OF_WHAT_IS_NONE = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""What values raise that stand where an answer has others, in a pack that somebody made up."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a pack holds.

    Attributes:
        answer: None where it cannot be read.
        faults: what is not as it was sealed, a sentence each; empty for a pack that nobody has touched.
    """

    facts: dict[str, Any]
    answer: Answer | None
    faults: tuple[str, ...]


def read_evidence(pack: bytes, most_mb: int) -> Evidence:
    """Read a pack and compute again what it says of itself.

    Args:
        pack: the ZIP.
        most_mb: of all its files together, unpacked.

    Raises:
        BadConfiguration: it is no evidence pack, or larger than that.
    """
    members = _members(pack, most_mb)
    try:
        seal, facts = json.loads(members.get(SEAL, b"{}")), json.loads(members.get(FACTS, b"{}"))
    except (ValueError, RecursionError):
        return Evidence({}, None, (f"{SEAL} or {FACTS} is not as it was written.",))
    if not isinstance(seal, dict) or not isinstance(facts, dict):
        return Evidence({}, None, (f"{SEAL} or {FACTS} is not as it was written.",))
    faults = _unsealed(members, seal)
    try:
        answer = answer_from_json(members.get(ANSWER, b"").decode())
        return Evidence(facts, answer, (*faults, *_contradictions(members, facts, answer)))
    except (AnswerUnreadable, *_OF_WHAT_IS_NONE):
        return Evidence(facts, None, (*faults, f"{ANSWER} cannot be read."))


def difference_to_today(evidence: Evidence, assistant: Assistant) -> str:
    """Run the statement again; return how the rows differ, empty where they are the same.

    Raises:
        SqlRejected, QueryFailed: it may not run today, or does not.
    """
    answer = evidence.answer
    assert answer is not None and answer.result is not None and answer.sql, "it was read"  # noqa: S101
    _, today = assistant.run_statement(answer.sql, anew=True)
    then, dialect = answer.result, assistant.vocabulary.catalogue.dialect
    if any(
        result_hash(form(then), answer.sql, dialect) == result_hash(form(today), answer.sql, dialect)
        for form in (lambda result: result, _with_rounded_floats)
    ):
        return ""
    if then.columns != today.columns:
        return f"the columns were {', '.join(then.columns)}, and are {', '.join(today.columns)}"
    gone, new = _only_in(then, today), _only_in(today, then)
    first = f"; first {_told(gone[0] if gone else None)}, today {_told(new[0] if new else None)}" if gone or new else ""
    return f"{then.row_count:,} rows then, {today.row_count:,} today, {max(len(gone), len(new)):,} differ{first}"


def _members(pack: bytes, most_mb: int) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(pack)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > most_mb * 1_024 * 1_024:
                raise BadConfiguration(f"The evidence holds more than {most_mb} MB.")
            return {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, ValueError, RuntimeError, EOFError, OSError) as fault:
        raise BadConfiguration("The file is no evidence pack, or is damaged: it cannot be unpacked.") from fault


def _unsealed(members: dict[str, bytes], seal: dict[str, Any]) -> tuple[str, ...]:
    computed = seal_of(members)
    given = seal.get("sha256")
    sealed = given if isinstance(given, dict) else {}
    missing = [f"{name} is missing." for name in (*MEMBERS, SEAL) if name not in members]
    strange = [f"{name} does not belong here." for name in sorted(members) if name not in (*MEMBERS, SEAL)]
    changed = [
        f"{name} is not as it was sealed." for name, found in computed["sha256"].items() if sealed.get(name) != found
    ]
    if not (missing or changed) and seal != computed:
        changed = [f"{SEAL} does not fit itself."]
    return (*missing, *strange, *changed)


def _contradictions(members: dict[str, bytes], facts: dict[str, Any], answer: Answer) -> tuple[str, ...]:
    if answer.result is None or not answer.sql:
        return (f"{ANSWER} has no rows, or not the statement that gave them.",)
    computed = facts_of_answer(answer, str(facts.get("dialect", "")))
    said = [f"{FACTS}: {name} is not what {ANSWER} gives." for name in computed if facts.get(name) != computed[name]]
    if _unquoted(members.get(ROWS, b"")) != _unquoted(b"".join(to_csv(answer.result, bom=True))):
        said.append(f"{ROWS} does not have the rows of {ANSWER}.")
    return tuple(said)


def _unquoted(rows: bytes) -> bytes:
    """Rows without the quotes of their texts, of which earlier versions wrote fewer; the seal is over all of them."""
    return rows.replace(b'"', b"")


def _with_rounded_floats(result: QueryResult) -> QueryResult:
    def rounded(cell: Scalar) -> Scalar:
        return float(f"{cell:.{_FLOAT_DIGITS}g}") if isinstance(cell, float) else cell

    return replace(result, rows=tuple(tuple(map(rounded, row)) for row in result.rows))


def _only_in(one: QueryResult, other: QueryResult) -> list[tuple[Scalar, ...]]:
    there = {repr(row) for row in _with_rounded_floats(other).rows}
    return [row for row in _with_rounded_floats(one).rows if repr(row) not in there]


def _told(row: tuple[Scalar, ...] | None) -> str:
    return "nothing" if row is None else "(" + ", ".join("NULL" if cell is None else str(cell) for cell in row) + ")"
