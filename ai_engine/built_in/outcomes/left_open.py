"""What a question leaves open, said in plain words; what was not understood is quoted as it was typed."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SAID = {
    "share of what": "it does not say what the share is of",
    "percentage of what": "it does not say what the percentage is of",
    "ratio of what to what": "it does not say which two figures the ratio is of",
    "change: since when": "it does not say between which two periods the change is meant",
    "a running total of what is a total already": "the figure is a total already",
    "one thing that is two at once": "nothing can be both at once",
    "compare with what": "it does not say what to compare with",
    "in which unit": "it does not say in which unit",
    "which date to go along": "it does not say which date is meant",
    "how many of them": "it does not say what is counted",
    "how many of which of them": "it does not say what is counted",
}
_PATTERNS = (
    (re.compile(r"(.+): beyond all bounds"), "{}"),
    (re.compile(r"when the (.+) became (.+)"), "the data does not say when the {} became {}"),
    (re.compile(r"(.+): by what"), "it does not say by what “{}” is ranked"),
    (re.compile(r"(.+): which one"), "it does not say which {} is meant"),
    (re.compile(r"(.+): of which date"), "it does not say which date of the {} is meant"),
    (re.compile(r"(.+): of which day"), "the data keeps no date with the {}"),
    (re.compile(r"(.+): of which of (?:them|the two figures)"), "it does not say which of the figures “{}” is about"),
    (re.compile(r"(.+): of whom"), "it does not say whose {} is meant"),
    (re.compile(r"(.+): one of many"), "there are several of {} for each"),
    (re.compile(r"(.+), of (?:a figure|rows) that (?:is|are) known as of now only"),
     "this is known as of now only, and not for {}"),
    (re.compile(r"(.+), of what happens day by day: on that day, or until then"),
     "it does not say whether {} means that day alone or all days until then"),
    (re.compile(r"(.+), of figures that are taken at dates"), "the figures are taken at dates, and not over {}"),
)  # fmt: skip


def said_of_unplaced(question: str, unplaced: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Part what could not be placed.

    Returns:
        The words of the question that were not understood, as they were typed, and clauses for what it leaves open.
    """
    quoted, clauses = [], []
    for words in unplaced:
        typed = _as_typed(question, words)
        clause = _SAID.get(words) or next(
            (text.format(*found.groups()) for pattern, text in _PATTERNS if (found := pattern.fullmatch(words))), None
        )
        if clause is not None:
            clauses.append(clause)
        elif typed is not None:
            quoted.append(typed)
        else:
            clauses.append(f"it is not clear what is meant by {words}")
    return tuple(dict.fromkeys(quoted)), tuple(dict.fromkeys(clauses))


def _as_typed(question: str, words: str) -> str | None:
    parts = [re.escape(part) for part in re.findall(r"\w+|[^\w\s]", words)]
    found = re.search(r"\W*".join(parts), question, re.IGNORECASE) if parts else None
    return " ".join(found[0].split()) if found else None
