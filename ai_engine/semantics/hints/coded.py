"""Codes listed behind their column: "loan.st: P = finished and repaid, R = running; empty (NULL) = not known"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.clauses import clean, quoted
from ai_engine.semantics.hints.kinds import ColumnHint, ConditionHint, Hint, ValueHint
from ai_engine.semantics.names import singular

_CODE = r"(?:(?!(?:NULL|EMPTY|BLANK|NONE)\b)(?:'[^']*'|\"[^\"]*\"|[A-Z][A-Z0-9_]{0,7}|\d{1,4}))"
_PAIR = rf"{_CODE}\s*(?:=|->|=>|→)\s*[A-Za-z]"
_HEAD = re.compile(
    rf"(?:(?<=[;.\n])\s*|^\s*)(?:(?:the\s+)?(?:codes|values)\s+(?:of|in)\s+|(?:in|for)\s+)?"
    rf"(?P<name>[A-Za-z_]\w*(?:\.\w+)?)(?P<gloss>\s[^;.\n:=]*)?(?::|,)\s*(?={_PAIR})"
)
_ENDS = re.compile(r"[;\n]|\.(?=\s|$)")
_NEXT = re.compile(rf"\s*(?:,|/)\s*(?:and\s+|or\s+)?(?={_PAIR})|\s+and\s+(?={_PAIR})")
_SIGN = re.compile(r"\s*(?:=|->|=>|→)\s*")
_NULL = re.compile(
    r"\s*(?:;|\.|,)?\s*(?:and\s+)?(?:empty|blank|missing|null|none)(?:\s*\((?:null|empty|blank)\))?"
    r"\s*(?:=|:|means?|for|is)\s*(?P<words>[^;.,\n]+)",
    re.IGNORECASE,
)
_HOW_OFTEN = re.compile(
    r"\bhow\s+often\s+(?:the\s+|an?\s+)?(?P<noun>[\w ]+?)\s+(?:is|are|gets?|were)\s+(?P<done>\w+)", re.IGNORECASE
)
_NAMES_COLUMN = re.compile(r"\s+(?:(?:is|are|means?|holds|gives|contains)\s+(?!coded\b|one\b)|\()", re.IGNORECASE)
_WITHHELD = re.compile(r"^(?P<noun>[\w ]+?)\s+(?:is\s+|was\s+)?(?:not|never|un)\s*(?P<state>\w+)$")
_ASIDE = re.compile(r"\s*\([^()]*\)")
_ALSO_CALLED = re.compile(
    r"\((?:(?P<acronym>[A-Z][A-Z&]{1,5})|(?:also(?:\s+called)?|or|aka|i\.e\.)\s+(?P<name>[^()]+))\)"
)
_WHO = re.compile(r"\s+(?:who|which|that|allowed|entitled)\s")
_SAID_OF = re.compile(r"^.+?\s+(?:is|are|has|have)\s+(?P<state>.+)$")
_GOES_ON = re.compile(r"\s+(?:allowed|entitled|who|which|that|with|without|for)\s+")
_OF = re.compile(r"^(?P<head>[\w ]+?)\s+of\s+(?:the\s+|an?\s+)?(?P<owner>\w+)$")
_PARTS = re.compile(r"\s*,\s*(?:and\s+|but\s+)?|\s+(?:and|but|yet)\s+")
_OPENS = re.compile(r"^(?P<first>\w+)(?:\s*,|\s+(?:and|but|yet|with|without|in|on|after)\b)")
_STILL = re.compile(r"^(?:(?:still|currently|already|now|only)\s+)+")


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """One column and its codes with their words, `gloss` what is said of the column before them."""

    table: str | None
    tables: tuple[str, ...]
    column: str
    gloss: str
    codes: tuple[tuple[str, str], ...]
    empty: str = ""


def code_lists(text: str, catalogue: Catalogue) -> tuple[list[Hint], str]:
    """Return what the lists of codes in a text say, and the text without them."""
    found: list[Hint] = []
    rest, start = "", 0
    for head in _HEAD.finditer(text):
        if head.start() < start:
            continue
        end = closing.start() if (closing := _ENDS.search(text, head.end())) else len(text)
        null = _NULL.match(text, end)
        listed = _column(head, text[head.end() : end], null["words"] if null else "", catalogue)
        if listed is None:
            continue
        found += _hints(listed)
        rest += text[start : head.start()]
        if _NAMES_COLUMN.match(listed.gloss):
            rest += f"{head['name']}{head['gloss']};"
        start = null.end() if null else end
    return found, rest + text[start:]


def _column(head: re.Match[str], text: str, empty: str, catalogue: Catalogue) -> CodedColumn | None:
    table, _, column = head["name"].rpartition(".")
    held = [item for item in catalogue.tables if item.column(column) and table.lower() in {"", item.name.lower()}]
    pairs = [_SIGN.split(part, maxsplit=1) for part in _NEXT.split(text)]
    if not held or any(len(pair) != 2 for pair in pairs):
        return None
    codes = tuple((quoted(code) or code, words) for code, words in pairs)
    if any(item.column(code) for code, _ in codes for item in held):
        return None
    names = tuple(item.name for item in held)
    spelled = held[0].column(column)
    one = names[0] if len(names) == 1 else None
    return CodedColumn(one, names, spelled.name if spelled else column, head["gloss"] or "", codes, empty)


def _hints(listed: CodedColumn) -> Iterator[Hint]:
    said: dict[str, dict[str, None]] = defaultdict(dict)
    whole = {clean(_ASIDE.sub("", words)): code for code, words in listed.codes}
    for code, words in listed.codes:
        for piece in _pieces(words):
            if whole.get(piece, code) == code:
                said[piece][code] = None
    noun = _HOW_OFTEN.search(listed.gloss)
    shared = {hint.phrase: hint for hint in _shared(listed)}
    for piece, codes in said.items():
        if len(codes) == 1 and piece not in shared:
            for phrase in _with_noun(piece, clean(noun["noun"]), noun["done"]) if noun else (piece,):
                yield ValueHint(listed.table, listed.column, next(iter(codes)), phrase)
    yield from shared.values()
    if noun:
        yield ColumnHint(listed.table, listed.column, f"{singular(clean(noun['noun']))} frequency")
    if listed.empty:
        yield from _of_empty(listed)


def _pieces(words: str) -> Iterator[str]:
    """Yield each way to say a code: the whole, "NPA" behind it, what follows "but", the state of "it is in arrears"."""
    plain = _STILL.sub("", clean(_ASIDE.sub("", words)))
    parts = _PARTS.split(plain)
    yield plain
    yield from (clean(also["acronym"] or also["name"]) for also in _ALSO_CALLED.finditer(words))
    for part in parts if len(parts) > 1 else ():
        stated = _SAID_OF.match(part)
        yield stated["state"] if stated else part
    for part in (plain, *parts[:1]):
        head = _GOES_ON.split(part, maxsplit=1)[0]
        of = _OF.match(head)
        if of:
            yield from (head, of["head"], f"{of['owner']} {of['head']}")
        elif head != part and (len(head.split()) > 1 or _WHO.match(part, len(head))):
            yield head


def _shared(listed: CodedColumn) -> Iterator[ConditionHint]:
    """Say the first word that several codes share of all of them: "finished and repaid", "finished but not repaid"."""
    first: dict[str, list[str]] = defaultdict(list)
    whole = {clean(words) for _, words in listed.codes}
    for code, words in listed.codes:
        opening = _OPENS.match(clean(words))
        if opening:
            first[opening["first"]].append(code)
    for word, codes in first.items():
        if 1 < len(codes) < len(listed.codes) and word not in whole:
            yield ConditionHint(listed.tables, f"{listed.column} IN ({_literals(codes)})", word)


def _literals(codes: Sequence[str]) -> str:
    return ", ".join("'" + code.replace("'", "''") + "'" for code in codes)


def _with_noun(piece: str, noun: str, done: str) -> Iterator[str]:
    """Yield "weekly statements", "statements sent weekly": "weekly" alone is a step of time."""
    yield f"{piece} {noun}" if len(piece.split()) == 1 else f"{noun} {piece}"
    yield f"{noun} {done} {piece}"


def _of_empty(listed: CodedColumn) -> Iterator[Hint]:
    phrase = clean(_ASIDE.sub("", listed.empty))
    phrases = [phrase]
    withheld = _WITHHELD.match(phrase)
    if withheld:
        noun, state = withheld["noun"], withheld["state"]
        phrases += [f"no {noun}", f"no {noun} {state}", f"no {state} {noun}", f"no {noun} at all", f"without {noun}"]
        yield ColumnHint(listed.table, listed.column, noun)
    for said in phrases:
        yield ConditionHint(listed.tables, f"{listed.column} IS NULL", said)
