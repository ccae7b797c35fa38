"""Marks told by when they are set: "`nom_flg` is 'Y' when the account has a nominee and 'N' when it has not"."""

from __future__ import annotations

import re

_CODE = r"(?:'[^'\n]{1,8}'|\"[^\"\n]{1,8}\"|‘[^’\n]{1,8}’|\b(?:Y|N|T|F|0|1|true|false|TRUE|FALSE)\b)"
_WHEN = r"(?:when|if|where|for|means?|marks|indicates|says)\s+(?:that\s+)?"
_MARKS = re.compile(rf"^\s*(?:=|:|is|is\s+set\s+to|has)?\s*(?P<first>{_CODE})\s+(?P<said>{_WHEN}.+)$", re.DOTALL)
_NEXT = re.compile(rf"\s*(?:[,;/]|\band\b|\bor\b|\belse\b|\botherwise\b)[,\s]*(?:is\s+)?(?={_CODE})")
_CODED = re.compile(rf"^(?P<code>{_CODE})\s*(?:{_WHEN})?(?P<when>.*)$", re.DOTALL)
_DENIED = re.compile(
    r"^(?:otherwise|else|not|no|none|if\s+not|(?:it|they)\s+(?:is|has|was|does|did|are|have)(?:\s+not|n't)\b|all\s+others?)",
    re.IGNORECASE,
)
_OWNER = r"^(?:(?:the|an?|this|each|that)\s+[\w-]+(?:\s[\w-]+)?|it|they|he|she)\s+"
_SOON = r"(?:(?:later|already|since|subsequently|still|currently|now|ever|been|then)\s+)*"
_IS = re.compile(
    rf"{_OWNER}(?:is|are|was|were|has\s+been|have\s+been|had\s+been)\s+{_SOON}(?P<state>.+)$", re.IGNORECASE
)
_HAS = re.compile(
    rf"{_OWNER}(?:has|have|had|holds?|carries)\s+(?:an?\s+|any\s+|some\s+|the\s+)?(?P<noun>.+)$", re.IGNORECASE
)
_DID = re.compile(rf"{_OWNER}{_SOON}(?P<state>\w+ed\b.*)$", re.IGNORECASE)
_GOES_ON = re.compile(r"\s+(?:because|since|after|before|so\s+that|which|who|and|or)\s|,")
_ALL_NOT = re.compile(r"^(?:not|no|never|without)\b", re.IGNORECASE)
_LONGEST_STATE_WORDS = 4


def marked_when(column: str, rest: str) -> list[str] | None:
    """Return what each code of a mark says in a sentence of its own; None where the text behind it tells no mark."""
    found = _MARKS.match(rest)
    if found is None:
        return None
    said: list[str] = []
    for part in _NEXT.split(f"{found['first']} {found['said']}"):
        coded = _CODED.match(part.strip(" .,;"))
        if coded is None:
            return None
        phrase = _phrase(coded["when"].strip())
        if phrase is None:
            return None
        said += [f"{column} = {_quoted(coded['code'])} means {phrase}"] if phrase else []
    return said


def _phrase(when: str) -> str | None:
    """Return the state or the thing that a mark tells of, "" where it denies one, None where it cannot be told."""
    if not when or _DENIED.match(when):
        return ""
    for pattern, name in ((_IS, "state"), (_HAS, "noun"), (_DID, "state")):
        found = pattern.match(when)
        if found:
            phrase = _GOES_ON.split(found[name], maxsplit=1)[0].strip()
            return "" if _ALL_NOT.match(phrase) else phrase if len(phrase.split()) <= _LONGEST_STATE_WORDS else None
    return None


def _quoted(code: str) -> str:
    return code if code[0] in "'\"" else "'" + code.strip("‘’") + "'"
