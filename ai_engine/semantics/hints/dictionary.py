"""Data dictionaries: "A2 district name, A3 region; loan.status A paid, B open", written out as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.names import is_opaque, split_identifier

_NAME = r"[A-Za-z_]\w*(?:\.\w+)?"
_ENTRY = re.compile(
    rf"(?:(?<=[;,.:\n])\s*|^\s*)(?:[-*•]\s+)?[`\"]?(?P<names>{_NAME}(?:\s?/\s?{_NAME})*)[`\"]?\s+(?=[A-Za-z'\"])"
)
_RANGE = re.compile(rf"(?:(?<=[;,.:\n])\s*|^\s*){_NAME}\s?[-–—]\s?{_NAME}\s+[^;,.\n]*")
_END = re.compile(r";|\.(?=\s|$)|\n\s*\n")
_SAYS_MORE = re.compile(
    r"(?:is|are|was|were|has|have|can|could|may|refers?|stands?|means?|contains?|holds?|denotes?|represents?|in|of|and"
    r"|or|gives?|shows?|stores?|appears?|indicates?|equals?)\b",
    re.IGNORECASE,
)
_CODED = re.compile(r"^(?P<code>'[^']+'|\"[^\"]+\"|(?:[A-Z0-9]+\s+)+)(?P<phrase>[a-z].*)$", re.DOTALL)
_SEVERAL = 2


def written_out(text: str, catalogue: Catalogue) -> str:
    """Return the text with the entries of a data dictionary as one sentence each; anything else stays as it is.

    An entry begins a clause with a column that nobody would take for an English word (`A11`, `cust_dob`, `loan.status`)
    and goes on without a verb.
    """
    entries = [found for found in _ENTRY.finditer(text) if _is_entry(found, text, catalogue)]
    if not entries:
        return text
    starts = [found.start() for found in entries]
    ranges = [found.start() for found in _RANGE.finditer(text)]
    said = [text[: starts[0]]]
    for found in entries:
        closing = _END.search(text, found.end())
        ends = [*(place for place in (*starts, *ranges) if place > found.start()), len(text)]
        end = min([*ends, *([closing.start()] if closing else [])])
        meaning = " ".join(text[found.end() : end].split()).strip(" ,")
        said += _sentences([name.strip() for name in found["names"].split("/")], meaning)
        rest = min(ends)
        said.append(text[end:rest])
    return "; ".join(part for part in said if part.strip(" ;.,\n"))


def _is_entry(found: re.Match[str], text: str, catalogue: Catalogue) -> bool:
    names = [name.strip() for name in found["names"].split("/")]
    return all(_is_column(name, catalogue) for name in names) and not _SAYS_MORE.match(text, found.end())


def _is_column(name: str, catalogue: Catalogue) -> bool:
    table, dot, column = name.rpartition(".")
    if not dot and not (is_opaque(split_identifier(column)) or "_" in column):
        return False
    return any(
        known.column(column) is not None and (not dot or known.name.lower() == table.lower())
        for known in catalogue.tables
    )


def _sentences(names: list[str], meaning: str) -> Iterator[str]:
    parts = [part.strip() for part in meaning.split(",")]
    coded = [found for part in parts if (found := _CODED.match(part))]
    if len(coded) >= _SEVERAL and len(coded) == len(parts):
        for found in coded:
            code = found["code"].strip(" '\"")
            yield f"{names[0]} = '{code}' means {found['phrase']}"
        return
    *head, last = meaning.split(" ")
    ends = last.split("/")
    own = ends if len(ends) == len(names) else [last] * len(names)
    for name, end in zip(names, own, strict=True):
        yield f"{name} means {' '.join([*head, end])}"
