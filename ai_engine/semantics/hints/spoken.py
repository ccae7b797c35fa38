"""Arithmetic in words: "commission divided by amount, times 100, where the amount is quantity times price"."""

from __future__ import annotations

import re

from ai_engine.semantics.hints.instructions import as_equation

_DEFINES = re.compile(
    r"^(?P<name>[A-Za-z][\w '/&-]{1,60}?(?:\s*\([^()=]*\))?(?:\s+of\s+(?:an?|the|each|one)\s+[\w ]+?)?)\s*"
    r"(?:=|:|\bis\s+(?:defined|calculated|computed|reckoned|measured)\s+as\b|\bis\s+the\s+same\s+as\b|\bmeans\b|\bis\b|\bare\b|\bequals\b)\s*"
    r"(?P<text>[^=<>'\"]+)$"
)
_SIGNS = (
    (re.compile(r",?\s+(?:and\s+then\s+)?divided\s+by\s+"), " / "),
    (re.compile(r",?\s+(?:and\s+then\s+)?(?:times|multiplied\s+(?:by|with)|x)\s+"), " * "),
    (re.compile(r",?\s+(?:minus|less)\s+"), " - "),
    (re.compile(r",?\s+plus\s+"), " + "),
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_IN_UNIT = re.compile(
    r",?\s*\(?(?:given\s+|expressed\s+|said\s+)?(?:in|as\s+an?)\s+(?P<unit>percent|per\s+cent|percentage|%|basis\s+points)\)?$"
)
_WHERE = re.compile(r",?\s+(?:where|with)\s+(?:the\s+)?(?P<name>[\w ]+?)\s+(?:is|are|being|=|equals)\s+(?P<text>.+)$")
_BRACKETS = re.compile(r"(?P<before>[\w)%]\s+)\((?P<text>[^()]+)\)")
_ADDED_UP = re.compile(
    r",?\s+(?:added\s+up|summed(?:\s+up)?|taken)?\s*(?:over|across)\s+(?:all|its|their|the|every)\s+(?:the\s+)?[\w' ]+$"
)
_SAME_PERIOD = re.compile(
    r"\s+(?:in|over|during|within|for|of)\s+(?:the|that|this)\s+(?:(?:same|given|respective|whole)\s+)?(?:period|time|month|year|date)\b"
)
_LAST_WORDS = re.compile(r"([\w-]+(?:\s+[\w-]+){0,3})\s*$")
_AGGREGATE = re.compile(
    r"^(?:the\s+)?(?:(?:sum|total|average|mean|number|count|highest|lowest|maximum|minimum|largest|smallest)\s+(?:of\s+)?)+(?:(?:the|all)\s+)*",
)
_UNITS = {"basis points": 10_000}


def said_in_signs(clause: str) -> tuple[str, ...]:
    """Return a definition by arithmetic in words as definitions in signs, parts first; any other clause as it is."""
    clause = as_equation(clause)
    found = _DEFINES.match(clause)
    if found is None:
        return (clause,)
    name, text = found["name"].strip(), found["text"].strip()
    parts: list[str] = []
    where = _WHERE.search(text)
    if where and _has_sign(where["text"]):
        parts += said_in_signs(f"{where['name']} = {where['text']}")
        text = text[: where.start()]
    unit = _IN_UNIT.search(text) or _IN_UNIT.search(name)
    text, name = _IN_UNIT.sub("", text), _IN_UNIT.sub("", name).strip()
    text = _SAME_PERIOD.sub("", text)
    text = _BRACKETS.sub(lambda said: _defined_there(said, text, parts), text)
    added = _ADDED_UP.search(text)
    text = _ADDED_UP.sub("", text).strip(" ,")
    signs = _in_signs(text)
    told = _AGGREGATE.match(text) and re.search(r"=|\bdefined\b", clause)
    if signs == text and not told:
        return (clause,) if not parts else (*parts, f"{name} = {text}")
    if added and signs != text and not _AGGREGATE.match(text):
        parts.append(f"{name} of each row = {signs}")
        return tuple(parts)
    if unit is not None and not re.search(r"\*\s*(?:100|10000)\b", signs):
        factor = _UNITS.get(re.sub(r"\s+", " ", unit["unit"]), 100)
        signs = f"({signs}) * {factor}"
    return (*parts, f"{name} = {signs}")


def says_how_taken(text: str) -> bool:
    """Tell whether a text begins with an aggregate: "sum of the net flows"."""
    return _AGGREGATE.match(text) is not None


def _defined_there(said: re.Match[str], text: str, parts: list[str]) -> str:
    """Move "amount (quantity times price)" out, where the brackets tell what the words before them are."""
    before = text[: said.start("text") - 1]
    if not _has_sign(said["text"]) or re.search(r"(?:divided by|times|minus|plus|by|[-+*/(])\s*$", before):
        return said[0]
    words = _LAST_WORDS.search(re.split(r"\b(?:divided by|times|minus|plus)\b|[-+*/(=]\s", before)[-1])
    if words:
        parts.append(f"{_AGGREGATE.sub('', words[1])} = {_in_signs(said['text'])}")
    return said["before"].rstrip()


def _has_sign(text: str) -> bool:
    return _in_signs(text) != text or bool(re.search(r"\s[-+*/]\s", text))


def _in_signs(text: str) -> str:
    text = _THOUSANDS.sub("", text)
    for words, sign in _SIGNS:
        text = words.sub(sign, text)
    return re.sub(r"\bof\s+all\s+", "of ", text).strip(" ,")
