"""A result as a file that a spreadsheet or another program reads: exact, and with nothing in it that would run."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal

from ai_engine.types import QueryResult, Scalar

_FORMULA = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"
"""Characters with which a formula begins (OWASP, "CSV Injection"), full-width forms included."""
_IGNORED = r"[\s\x00-\x1f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
"""Blanks and unseen marks that some readers take away from the ends of a cell."""
_RUNS = re.compile(rf"[\t\r\n]|{_IGNORED}*{_FORMULA}")
_SPLIT_THERE = re.compile(rf"[;|\t\r\n](?:{_IGNORED}|\")*+({_FORMULA})?")
"""Where a spreadsheet that separates by semicolon, as in much of Europe, or by bars begins a cell within a cell."""
_QUOTED_FOR = frozenset(',"\r\n')
_ROWS_PER_CHUNK = 1_000
_NOT_IN_NAMES = re.compile(r"\W+")
_NAME_BYTES = 120


def file_name(title: str, suffix: str, day: date | None = None) -> str:
    """Return the name of a file that holds what a title says, as every system takes it: letters, digits, hyphens.

    A CSV has no other place to say what narrows its rows: a line of words above them would be read as data.
    """
    words = _NOT_IN_NAMES.sub("-", title.replace("%", " percent ").lower()).strip("-_")
    kept = words.encode()[:_NAME_BYTES].decode(errors="ignore")
    kept = kept if kept == words else kept.rpartition("-")[0] or kept
    of_day = f"-{day.isoformat()}" if day else ""
    return f"{kept or 'answer'}{of_day}.{suffix}"


def to_csv(result: QueryResult, *, bom: bool = False) -> Iterator[bytes]:
    """Write a result as CSV (RFC 4180, UTF-8), a chunk of rows at a time.

    Decimals keep every digit, dates are ISO 8601, NULL is an empty field and an empty text is "". Text that a
    spreadsheet would run as a formula gets an apostrophe in front, also where one that separates by semicolons or
    bars would begin a cell; numbers stay numbers, negative ones too: texts behind one that begins a line are quoted,
    as that line is one formula where commas stand in numbers (`-5,0+cmd|…`). NUL characters, at which readers end, go.

    Args:
        result: what to write; the first line holds its column names.
        bom: start with the byte order mark by which Excel recognises UTF-8.
    """
    if bom:
        yield codecs.BOM_UTF8
    yield _line(result.columns)
    for start in range(0, len(result.rows), _ROWS_PER_CHUNK):
        yield b"".join(map(_line, result.rows[start : start + _ROWS_PER_CHUNK]))


def neutralise(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run as a formula, wherever it would begin a cell."""
    text = _SPLIT_THERE.sub(_begun_as_text, text.replace("\0", ""))
    return f"'{text}" if would_run(text) else text


def _begun_as_text(begun: re.Match[str]) -> str:
    return begun[0] if begun[1] is None else f"{begun[0][:-1]}'{begun[1]}"


def would_run(text: str) -> bool:
    """Tell whether a spreadsheet would take a text for a formula, or a cell's end for its beginning."""
    return _RUNS.match(text) is not None


def _line(cells: Sequence[Scalar]) -> bytes:
    is_negative = bool(cells) and str(cells[0]).startswith("-")
    line = ",".join(_field(cell, quoted=is_negative and isinstance(cell, str)) for cell in cells)
    return f"{line}\r\n".encode("utf-8", "replace")


def _field(cell: Scalar, *, quoted: bool = False) -> str:
    if cell is None:
        return ""
    text = written(cell)
    if quoted or not text or text != text.strip() or not _QUOTED_FOR.isdisjoint(text):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def written(cell: Scalar) -> str:
    """Spell a cell that is not NULL so that nothing of it is lost."""
    if isinstance(cell, str):
        return neutralise(cell)
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, bytes):
        return f"0x{cell.hex()}"
    return str(cell)
