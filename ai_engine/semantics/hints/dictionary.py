"""Data dictionaries: "A2 district name, A3 region; loan.status A paid, B open", written out as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.names import is_opaque, singular, split_identifier

_NAME = r"[A-Za-z_]\w*(?:\.\w+)?"
_START = r"(?:(?<=[;,.:\n])\s*|^\s*)"
_ENTRY = re.compile(
    rf"{_START}(?:[-*•]\s+)?[`\"]?(?P<names>{_NAME}(?:\s?/\s?{_NAME})*)[`\"]?\s+"
    r"(?:\((?P<noun>[A-Za-z][^()]*)\)\s+)?(?=[A-Za-z'\"])"
)
_RANGE = re.compile(rf"{_START}{_NAME}\s?[-–—]\s?{_NAME}\s+[^;,.\n]*")
_SECTION = re.compile(rf"{_START}(?:[-*•#]+\s+)?[`\"]?(?P<table>{_NAME})[`\"]?\s*(?:\((?P<noun>[^()]*)\))?\s*:(?=\s)")
_CODE = r"(?:[A-Z][A-Z0-9]+ )+[a-z]"
_CODES = re.compile(rf"{_START}(?P<noun>[a-z]+(?: [a-z]+){{0,2}}) (?={_CODE}[^,;.]*, {_CODE})")
_END = re.compile(r";|\.(?=\s|$)|\n\s*\n")
_SAYS_MORE = re.compile(
    r"(?:is|are|was|were|has|have|can|could|may|refers?|stands?|means?|contains?|holds?|denotes?|represents?|in|of|and"
    r"|or|gives?|shows?|stores?|appears?|indicates?|equals?|references?|points?|links?|joins?|matches|corresponds)\b",
    re.IGNORECASE,
)
_CODED = re.compile(r"^(?P<code>'[^']+'|\"[^\"]+\"|(?:[A-Z0-9]+\s+)+)(?P<phrase>[a-z].*)$", re.DOTALL)
_HEADED = re.compile(r"^(?P<noun>[a-z]+(?: [a-z]+){0,2}):? (?P<coded>(?:[A-Z0-9]+\s+)+[a-z].*)$", re.DOTALL)
_SCALE = re.compile(r"^(?P<noun>[a-z][a-z ]*?) (?:[A-Z]|\d+)(?: \([^()]*\))? to (?:[A-Z]|\d+)\b")
_POINTED_OUT = re.compile(r"\bwhere (?P<code>[A-Z]|\d+) (?:is|means) (?P<phrase>[^,;]+)")
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class _Entry:
    """One head of a dictionary and what its text says: a table, a column or several, or a list of codes.

    `text` goes up to the next head; `rest` is what follows the entry's own end and stays as it is.
    """

    table: str
    columns: tuple[str, ...]
    noun: str
    text: str
    rest: str


def written_out(text: str, catalogue: Catalogue) -> str:
    """Return the text with the entries of a data dictionary as one sentence each; anything else stays as it is.

    An entry begins a clause with a column and goes on without a verb. Outside of a section of its table ("`ln` (loan
    contracts): ...") the column must be one that nobody would take for an English word (`A11`, `cust_dob`,
    `loan.status`).
    """
    heads = _heads(text, catalogue)
    if not heads:
        return text
    said = [text[: heads[0].start()]]
    known: dict[str, str] = {}
    for entry in _entries(text, heads):
        for sentence in _sentences(entry, known):
            said.append(sentence)
        said.append(entry.rest)
    return "; ".join(part for part in said if part.strip(" ;.,\n"))


def _heads(text: str, catalogue: Catalogue) -> list[re.Match[str]]:
    """Return where tables, columns and lists of codes begin, in order, one at each place."""
    sections = [found for found in _SECTION.finditer(text) if _has_table(found["table"], catalogue)]
    found = {head.start(): head for head in _CODES.finditer(text)}
    for entry in _ENTRY.finditer(text):
        table = next((head["table"] for head in reversed(sections) if head.end() <= entry.start("names")), "")
        columns = entry["names"].split("/")
        if all(_is_column(name.strip(), table, catalogue) for name in columns) and not _SAYS_MORE.match(
            text, entry.end()
        ):
            found[entry.start()] = entry
    heads = sorted({**found, **{head.start(): head for head in sections}}.items())
    return [head for _, head in heads]


def _entries(text: str, heads: Sequence[re.Match[str]]) -> Iterator[_Entry]:
    ranges = [found.start() for found in _RANGE.finditer(text)]
    table = ""
    for at, head in enumerate(heads):
        following = heads[at + 1].start() if at + 1 < len(heads) else len(text)
        cut = min([following, *(place for place in ranges if place > head.start())])
        closing = _END.search(text, head.end(), cut)
        end = closing.start() if closing else cut
        said = head.groupdict()
        if "table" in said:
            table, end = head["table"], head.end()
        columns = [name.strip() for name in said.get("names", "").split("/") if name.strip()]
        yield _Entry(
            table=table,
            columns=tuple(f"{table}.{name}" if table and "." not in name else name for name in columns),
            noun=said.get("noun") or "",
            text=" ".join(text[head.end() : end].split()).strip(" ,"),
            rest=text[end:following],
        )


def _has_table(name: str, catalogue: Catalogue) -> bool:
    return any(known.name.lower() == name.lower() for known in catalogue.tables)


def _is_column(name: str, section: str, catalogue: Catalogue) -> bool:
    table, dot, column = name.rpartition(".")
    holding = [known.name.lower() for known in catalogue.tables if known.column(column) is not None]
    if dot:
        return table.lower() in holding
    return bool(holding) and (section.lower() in holding or is_opaque(split_identifier(column)) or "_" in column)


def _sentences(entry: _Entry, known: dict[str, str]) -> Iterator[str]:
    """Say an entry in sentences; `known` gathers the columns by their words, for codes that follow later."""
    if not entry.columns and not entry.text:
        yield f"table {entry.table} means {entry.noun}" if entry.noun else ""
        return
    noun, codes = _codes(entry.text)
    if codes:
        place = entry.columns[0] if entry.columns else known.get(_singular(entry.noun), "")
        for code, phrase in codes:
            yield f"{place} = '{code}' means {phrase}" if place else f"'{code}' means {phrase}"
        meanings = [entry.noun or noun]
    else:
        meanings = [entry.noun, *_of_scale(entry.text)]
        for found in _POINTED_OUT.finditer(entry.text):
            yield f"{entry.columns[0]} = '{found['code']}' means {found['phrase']}"
    for meaning in filter(None, meanings):
        *head, last = meaning.split(" ")
        ends = last.split("/")
        own = ends if len(ends) == len(entry.columns) else [last] * len(entry.columns)
        for name, end in zip(entry.columns, own, strict=True):
            known.setdefault(_singular(" ".join([*head, end])), name)
            yield f"{name} means {' '.join([*head, end])}"


def _codes(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the noun before a list of codes, and the codes with their words; none where the text is no list."""
    parts = [part.strip() for part in text.split(",")]
    headed = _HEADED.match(parts[0])
    noun, parts[0] = (headed["noun"], headed["coded"]) if headed else ("", parts[0])
    coded = [found for part in parts if (found := _CODED.match(part))]
    if len(coded) < max(_SEVERAL, len(parts)):
        return "", []
    return noun, [(found["code"].strip(" '\""), found["phrase"]) for found in coded]


def _of_scale(text: str) -> list[str]:
    """Leave the range of a scale out of its name: "level 1 to 3"."""
    found = _SCALE.match(text)
    return [found["noun"]] if found else [text]


def _singular(phrase: str) -> str:
    head, _, last = phrase.strip().lower().rpartition(" ")
    return f"{head} {singular(last)}".strip()
