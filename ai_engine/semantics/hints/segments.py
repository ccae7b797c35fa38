"""Definitions parted where one begins inside another, each said in full: "bon_kl is the class, NULL = not rated"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.hints.conditions import conditions_in

_CODE = r"(?:'[^']*'|\"[^\"]*\"|\d+)"
_VERB = r"(?:=|:|is|are|means?|marks?|stands?\s+for|counts?\s+as|denotes?|indicates?|for|if|when|while)"
_EMPTY = r"(?:empty|blank|missing|null)"
_HEAD = re.compile(r"^(?:the\s+)?(?:column\s+)?[`\"]?(?P<name>[A-Za-z_]\w*(?:\.\w+)?)[`\"]?\b", re.IGNORECASE)
_CODED = re.compile(rf"^(?P<code>{_CODE})\s+(?:{_VERB}\s+)?(?P<words>[^'\"]+)$", re.IGNORECASE)
_SEVERAL = re.compile(
    rf"^(?:the\s+)?(?:\w+\s+)?(?P<codes>{_CODE}(?:\s*(?:,|and|or|,\s*and|,\s*or)\s*{_CODE})+)\s+{_VERB}\s+(?P<words>[^'\"]+)$",
    re.IGNORECASE,
)
_NULL = re.compile(
    rf"^(?:it\s+is\s+|is\s+|are\s+)?{_EMPTY}(?:\s*\({_EMPTY}\))?\s*{_VERB}\s*(?P<words>[^'\"]+)$", re.IGNORECASE
)
_IS_NULL = re.compile(
    rf"^(?P<name>[A-Za-z_]\w*(?:\.\w+)?)\s+(?:is|are)\s+{_EMPTY}\s+(?:for|if|when|while|means?)\s+(?P<words>.+)$",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_LIST_HEAD = re.compile(rf":\s+(?={_CODE}\s+\w)")
_WORDS_BEFORE = re.compile(r"(?:^|[=:,;+*/(]|\b(?:minus|plus|times|divided by|of the|of|by|is|means|and|or)\b|\s-\s)\s*"
                           r"(?P<words>[A-Za-z][\w'-]*(?:\s+[\w'-]+){0,3})\s*$")  # fmt: skip


def segments(clause: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the definitions of one clause, codes and NULL said together with the column that they belong to."""
    column = _head(clause, catalogue)
    parts: list[str] = []
    for part in _parted(clause, catalogue, column):
        full = _in_full(part, column) if column else None
        tested = conditions_in(part, catalogue)
        if full is not None and not (tested and tested[0].start == 0):
            parts.append(full)
        elif not parts or _begins_anew(part, catalogue):
            parts.append(_is_null(part, catalogue) or part)
        else:
            parts[-1] += f", {part}"
        column = (tested[0].equals or ("",))[0] if tested else _head(part, catalogue) or column
    return tuple(parts)


def _head(text: str, catalogue: Catalogue) -> str:
    """Return the column that a text begins with, as written; "" when it begins with none."""
    tested = conditions_in(text, catalogue)
    if tested and tested[0].equals:
        return tested[0].equals[0]
    found = _HEAD.match(text)
    if found is None:
        return ""
    column = found["name"].rpartition(".")[2]
    return found["name"] if any(table.column(column) for table in catalogue.tables) else ""


def _begins_anew(part: str, catalogue: Catalogue) -> bool:
    tested = conditions_in(part, catalogue)
    if tested and not tested[0].start:
        return True
    return bool(_head(part, catalogue)) and bool(re.match(rf"\S+\s+{_VERB}\s", part))


def _in_full(part: str, column: str) -> str | None:
    """Say a code or NULL with its column; None for any other text."""
    several = _SEVERAL.match(part)
    if several:
        codes = ", ".join(re.findall(_CODE, several["codes"]))
        return f"{column} IN ({codes}) means {several['words']}"
    coded = _CODED.match(part)
    if coded:
        return f"{column} = {coded['code']} means {coded['words']}"
    null = _NULL.match(part)
    return f"{column} IS NULL means {null['words']}" if null else None


def _is_null(part: str, catalogue: Catalogue) -> str | None:
    found = _IS_NULL.match(part)
    if found is None or not _head(part, catalogue):
        return None
    return f"{found['name']} IS NULL means {found['words']}"


def _parted(clause: str, catalogue: Catalogue, column: str) -> Iterator[str]:
    """Cut at commas outside of brackets; brackets that define something follow what they stand in."""
    inside: list[str] = []

    def out_of_brackets(found: re.Match[str]) -> str:
        defined = _defined_in_brackets(found, clause, catalogue, column)
        inside.extend(defined)
        return "" if defined else found[0]

    plain = _BRACKETS.sub(out_of_brackets, clause)
    head, colon, codes = plain.partition(found[0]) if (found := _LIST_HEAD.search(plain)) else (plain, "", "")
    if colon and not column:
        head, codes = plain, ""
    yield from _at_commas(head)
    yield from _at_commas(codes)
    yield from inside


def _defined_in_brackets(found: re.Match[str], clause: str, catalogue: Catalogue, column: str) -> list[str]:
    content = found[1].strip()
    tested = conditions_in(content, catalogue)
    if len(tested) == 1 and (tested[0].start, tested[0].end) == (0, len(content)):
        before = _WORDS_BEFORE.search(clause[: found.start()])
        return [f"{content} means {before['words']}"] if before else []
    if not column or re.search(r"\bin\s*$", clause[: found.start()], re.IGNORECASE):
        return []
    listed = list(_at_commas(content))
    codes = [part for part in listed if _in_full(part, column)]
    told = len(codes) > 1 or any(not part[0].isdigit() for part in listed if _in_full(part, column))
    return codes if codes and told and not re.search(rf"{_CODE}\s*$", clause[: found.start()]) else []


def _at_commas(text: str) -> Iterator[str]:
    depth, start, quote = 0, 0, ""
    for at, letter in enumerate(text):
        if letter in "'\"" and (quote == letter or not (at and text[at - 1].isalnum())):
            quote = "" if quote else letter
        depth += {"(": 1, ")": -1}.get(letter, 0)
        joins = re.match(rf"[,/]\s*(?:and\s+|or\s+)?{_CODE}\s*(?:,|and\b|or\b)", text[at:])
        before_code = re.search(rf"{_CODE}\s*$", text[:at])
        if letter == "," and not depth and not quote and not (joins and before_code):
            yield re.sub(r"^(?:and|or)\s+", "", text[start:at].strip())
            start = at + 1
    rest = re.sub(r"^(?:and|or)\s+", "", text[start:].strip())
    if rest:
        yield rest
