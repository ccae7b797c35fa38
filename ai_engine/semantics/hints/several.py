"""Several columns said at once, and what is said of a column that is no name for it."""

from __future__ import annotations

import re

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.clauses import clean
from ai_engine.semantics.hints.kinds import ColumnHint, ColumnsHint, DaysHint, Hint

_COLUMN = r"[A-Za-z_]\w*(?:\.\w+)?"
_LISTED = re.compile(rf"^(?:the\s+)?(?:columns?\s+)?({_COLUMN}(?:\s*(?:,|/|and|,\s*and)\s*{_COLUMN})+)$", re.IGNORECASE)
_ARE = re.compile(r"^(?P<names>.+?)\s+(?:are|is|hold|contain|give|mean|refer to)\s+(?P<phrase>.+)$", re.IGNORECASE)
_PARTED = re.compile(r"\s*(?:,\s*and\b|,|/|\band\b)\s*", re.IGNORECASE)
_GLOSS = re.compile(rf"(?P<name>{_COLUMN})\s*\((?P<words>[^()]+)\)")
_OF_ENDS = re.compile(r"^(?P<head>.+?)\s+(?:(?:of|in|for)\s+)?(?P<ends>\w+(?:\s*,\s*\w+)*\s*(?:,\s*)?and\s+\w+)$")
_DAYS = re.compile(r"\byyyymmdd\b|\byyyy mm dd without", re.IGNORECASE)
_NO_NAME = re.compile(
    r"^(?:(?:is|are)\s+)?(?:[a-z01]\s?/\s?[a-z01]\b|whether\b|tells\s+whether|always|never|only|usually|not|often|sometimes|positive|negative|given|kept|stored|text\b|a\s+text\b|an?\s+number\s+(?:in|written)"
    r"|reached|identifies|unique\b|in\s+(?:percent|euros?|dollars?|days|months|years)\b)",
    re.IGNORECASE,
)


def columns_listed(clause: str, catalogue: Catalogue) -> list[Hint] | None:
    """Read "rate_24 and rate_25 are the rates of 2024 and 2025"; None for any other clause."""
    found = _ARE.match(clause)
    names = _names(found["names"], catalogue) if found else []
    return _shared(names, clean(found["phrase"]), catalogue) if found and len(names) > 1 else None


def columns_said(left: str, right: str, catalogue: Catalogue) -> list[Hint] | None:
    """Read a definition of several columns, or one that tells of a column how it is kept; None for any other."""
    for side, other in ((left, right), (right, left)):
        glossed = _GLOSS.findall(side)
        names = _names(_GLOSS.sub(lambda found: found["name"], side), catalogue)
        if len(names) > 1:
            hints: list[Hint] = [_column(name, words.split(",")[0], catalogue) for name, words in glossed]
            return [*hints, *_shared(names, clean(other), catalogue)]
    if not _held_by(left.strip(), catalogue):
        return None
    if _DAYS.search(right):
        return [DaysHint(_table(left.strip(), catalogue), left.strip().rpartition(".")[2])]
    return [] if _NO_NAME.match(right) else None


def _names(text: str, catalogue: Catalogue) -> list[str]:
    found = _LISTED.match(text.strip(" .,"))
    names = _PARTED.split(found[1]) if found else []
    return names if all(_held_by(name, catalogue) for name in names) else []


def _shared(names: list[str], phrase: str, catalogue: Catalogue) -> list[Hint]:
    """Give each its own end of "rates of 2024 and 2025", or all of them one phrase."""
    found = _OF_ENDS.match(phrase)
    ends = _PARTED.split(found["ends"]) if found else []
    if found and len(ends) == len(names):
        head = found["head"].removesuffix("s")
        return [_column(name, f"{head} {end}", catalogue) for name, end in zip(names, ends, strict=True)]
    return [ColumnsHint(tuple(names), phrase)] if not _NO_NAME.match(phrase) else []


def _column(name: str, phrase: str, catalogue: Catalogue) -> ColumnHint:
    return ColumnHint(_table(name, catalogue), name.rpartition(".")[2], clean(phrase))


def _held_by(name: str, catalogue: Catalogue) -> list[str]:
    table, _, column = name.rpartition(".")
    tables = [known.name for known in catalogue.tables if known.column(column) is not None]
    return [known for known in tables if table.lower() in {"", known.lower()}]


def _table(name: str, catalogue: Catalogue) -> str | None:
    tables = _held_by(name, catalogue)
    return tables[0] if len(tables) == 1 else None
