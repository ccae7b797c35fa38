"""A page of notes, bullets, headings and lists of codes, said in the plain sentences that the other readers know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ai_engine.catalogue import Catalogue, Table
from ai_engine.semantics.clauses import clauses
from ai_engine.semantics.hints.flags import marked_when
from ai_engine.semantics.hints.tables_of_codes import rows_said

_BULLET = re.compile(r"^[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+(?=\S)")
_WRAPPED = re.compile(r"(?<=\S)[ \t]*\n[ \t]{2,}(?=[^\s*•+|#\d-])")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*|__([^_\n]+)__")
_HEADING = re.compile(
    r"^#{0,6}\s*(?:table\s+)?`?(?P<table>\w+)`?\s*"
    r"(?:(?:\((?P<noun>[a-z][a-z -]*)\)|[-–—:]\s*(?P<said>[a-z][a-z -]*))\s*)?:?$",
    re.IGNORECASE,
)
_QUOTED = r"(?:'[^'\n]{1,12}'|\"[^\"\n]{1,12}\"|‘[^’\n]{1,12}’|`[A-Z0-9]{1,8}`)"
_BARE = r"(?:[A-Z][A-Z0-9_]{0,7}|\d{1,4})"
_SIGN = r"\s*(?:=|:|->|=>|→|[-–—](?=\s))\s*"
_WORD = r"\s+(?:means?|for|is|stands\s+for)\s+"
_CODE_FIRST = re.compile(rf"(?P<code>{_QUOTED}|\b(?:[A-Z]{{1,2}}|\d{{1,3}}))\s*\((?P<words>[A-Za-z][^()=:]*)\)")
_WORDS_FIRST = re.compile(rf"(?P<words>\b[A-Za-z][a-z]+(?: [a-z-]+)*)\s*\((?P<code>{_QUOTED}|[A-Z])\)")
_TAKES = re.compile(
    r"^\s*(?:can\s+be|may\s+be|is\s+(?:either|one\s+of)|(?:has|takes|holds)(?:\s+(?:the|one\s+of\s+the))?(?:\s+(?:values?|codes?))?)\b:?",
    re.IGNORECASE,
)
_PAIR = rf"(?:{_QUOTED}(?:{_SIGN}|{_WORD}|\s+)|{_BARE}{_SIGN})(?=[A-Za-z])"
_ONE = re.compile(
    rf"^(?P<code>{_QUOTED}(?={_SIGN}|\s)|{_BARE}(?={_SIGN}))(?:{_SIGN}|{_WORD}|\s+)(?P<words>[A-Za-z][^=]*)$"
)
_PARTED = re.compile(rf"\s*[,/|;]\s*(?:and\s+|or\s+)?(?={_PAIR})|\s+(?:and|or)\s+(?={_PAIR})")
_HEAD = re.compile(
    r"^(?:the\s+)?(?:(?:codes|values|column|field)\s+(?:of|in|for)?\s*)?`?(?P<name>[A-Za-z_]\w*(?:\.\w+)?)`?(?P<rest>.*)$",
    re.DOTALL | re.IGNORECASE,
)
_OPENS = re.compile(
    rf"^(?P<gloss>[^:=('\"`]*?)\s*(?:(?::|,|\s[-–—]\s|\b(?:is|are)\b(?=\s*\(?{_QUOTED}))\s*(?P<open>\()?|(?P<bracket>\())\s*(?={_PAIR})"
)
_OPENS_BELOW = re.compile(r"^(?P<gloss>[^:='\"`]*?)\s*:\s*$")
_UNQUOTED_PAIRS = 2


@dataclass
class _Place:
    """Where a reader of the page is.

    Attributes:
        heading: the table whose part of the page it is.
        table: the table named last on the line.
        column: the column whose codes the line lists.
        below: the column whose codes the lines below list.
    """

    heading: Table | None = None
    table: Table | None = None
    column: str = ""
    below: str = ""


def in_sentences(text: str, catalogue: Catalogue) -> str:
    """Return the text without its marks, with each list of codes as "table.column: 'A' = active, 'C' = closed".

    A column without its table is taken for one of the table named before it on the same line or in the heading.
    """
    known = {table.name.lower(): table for table in catalogue.tables}
    said: list[str] = []
    place = _Place()
    text = _WRAPPED.sub(" ", _BOLD.sub(lambda found: found[1] or found[2], text))
    for line in rows_said(text, catalogue).split("\n"):
        plain = _BULLET.sub("", line)
        head = _HEADING.match(plain.strip())
        if head and head["table"].lower() in known:
            place = _Place(known[head["table"].lower()])
            noun = head["noun"] or head["said"]
            said.append(f"table {head['table']} means {noun.strip()}" if noun else "")
            continue
        is_bullet = plain != line
        place = _Place(place.heading, below=place.below if is_bullet else "")
        clauses_said = "; ".join(_line(plain, place, catalogue)) if is_bullet or _coded(plain) else plain
        said.append(f"{clauses_said}." if is_bullet else clauses_said)
    return "\n".join(said)


def _coded(line: str) -> bool:
    return "`" in line or any(re.search(form, line) for form in (_PAIR, _CODE_FIRST, _WORDS_FIRST))


def _line(line: str, place: _Place, catalogue: Catalogue) -> Iterator[str]:
    for clause in _together(clauses(line)):
        head = _HEAD.match(clause)
        column = _column(head["name"], place, catalogue) if head else ""
        if head is not None and column:
            place.column = place.below = ""
            yield from _of_column(column, head["rest"], place)
            continue
        listing = place.column or place.below
        pairs = _pairs(clause, fewest=1) if listing else None
        yield f"{listing}: {_listed(pairs)}" if pairs else clause


def _together(parts: Sequence[str]) -> list[str]:
    """Put a list of codes together that is parted by semicolons: "A: active; C: closed"."""
    found: list[str] = []
    for part in parts:
        listed = found and re.search(r"[:(`]", found[-1])  # "NLX = loans in 2020. HLX = loans * 100" define figures
        goes_on = listed and _ONE.match(part) and re.search(_PAIR, found[-1])
        found[-1:] = [f"{found[-1]}, {part}"] if goes_on else [*found[-1:], part]
    return found


def _of_column(column: str, rest: str, place: _Place) -> Iterator[str]:
    marked = marked_when(column, rest)
    if marked is not None:
        yield from marked
        return
    if _OPENS_BELOW.match(rest):
        place.below = column
        return
    rest = _unbracketed(rest)
    opens = _OPENS.match(rest)
    text = rest[opens.end() :] if opens else ""
    pairs = _pairs(text.removesuffix(")") if opens and (opens["open"] or opens["bracket"]) else text)
    if pairs is None or opens is None:
        yield f"{column}{rest}"
        return
    place.column = column
    yield f"{column}{opens['gloss'].rstrip()}: {_listed(pairs)}"


def _unbracketed(rest: str) -> str:
    """Say "A (active)", "active (A)" and "{A: active}" behind a column as the pairs of a plain list."""
    plain = re.sub(r"^(\s*:?\s*)\{(.*)\}\s*$", r"\1\2", rest)
    if re.search(_PAIR, plain):
        return plain if plain == rest or ":" in plain[:2] else f": {plain}"
    for pattern in (_CODE_FIRST, _WORDS_FIRST):
        if len(pattern.findall(plain)) >= _UNQUOTED_PAIRS:
            listed = pattern.sub(lambda said: f"{said['code']} = {said['words']}", plain)
            return _TAKES.sub(":", re.sub(r"^\s*=", ":", listed))
    return rest


def _column(name: str, place: _Place, catalogue: Catalogue) -> str:
    """Return the column, with the table that it is one of where the page tells; "" for anything else."""
    table, _, column = name.rpartition(".")
    held = [item for item in catalogue.tables if item.column(column) and table.lower() in {"", item.name.lower()}]
    if not held:
        return ""
    if table:
        place.table = held[0]
        return f"{held[0].name}.{column}"
    near = next((item for item in (place.table, place.heading) if item is not None and item in held), None)
    return f"{near.name}.{column}" if near is not None else column


def _pairs(text: str, *, fewest: int = _UNQUOTED_PAIRS) -> list[tuple[str, str]] | None:
    """Return the codes and words of a list that is nothing else; codes without quotes are `fewest` or more."""
    parts = [_ONE.match(part.strip()) for part in _PARTED.split(text.strip(" .,"))]
    pairs = [(part["code"], part["words"]) for part in parts if part is not None]
    bare = [code for code, _ in pairs if code[0] not in "'\"‘`"]
    if len(pairs) < len(parts) or not pairs or 0 < len(bare) < fewest:
        return None
    return [(code.strip("'\"‘’`"), words.strip()) for code, words in pairs]


def _listed(pairs: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"'{code}' = {words}" for code, words in pairs)
