"""How many of one thing there are for each of another, on average: a number divided by a number."""

from __future__ import annotations

import re

_WORDS = r"(?!(?:the|a|an|of|have|has|had|does|do|did|are|is|were|was)\b)[a-z-]+"
_ROWS = rf"(?P<rows>(?!(?:days|weeks|months|years|hours|minutes)\b){_WORDS}(?: {_WORDS}){{0,2}}?)"
_ONE = rf"(?P<one>{_WORDS}(?: {_WORDS}){{0,2}}?)"
_HAVING = r"(?:have|has|hold|own|make|made|get|got|receive|received|take|took|take out|file|open|opened)"
_DONE = r"(?: did| do| have)? (?:we|they|you) (?:have|had|make|made|get|got|see|saw)"
_THERE = rf"(?:{_DONE}| are there| were there| are made| were made)?"
_ENDS = r"(?=\s*(?:$|[?.!,;]|\b(?:in|for|during|last|this|since|before|after|by|on|at|with|from|between)\b))"
_AVERAGE = r"on (?:an )?average"
_PATTERNS = tuple(
    re.compile(pattern + _ENDS, re.IGNORECASE)
    for pattern in (
        rf"\b{_AVERAGE},? how many {_ROWS} (?:does|do|did|has) (?:an?|each|every|one) {_ONE} {_HAVING}",
        rf"\bhow many {_ROWS} (?:does|do|did|has) (?:an?|each|every|one) {_ONE} {_HAVING},? {_AVERAGE}",
        rf"\bhow many {_ROWS}{_THERE},? {_AVERAGE},? (?:per|for each|for every) {_ONE}",
        rf"\bhow many {_ROWS}{_THERE} (?:per|for each|for every) {_ONE},? {_AVERAGE}",
        rf"\b{_AVERAGE},? how many {_ROWS}{_THERE} (?:per|for each|for every) {_ONE}",
    )
)


def as_average_numbers(question: str) -> str:
    """ "On average, how many accounts does a customer have" asks for the average number of accounts per customer."""
    for pattern in _PATTERNS:
        question = pattern.sub(r"average number of \g<rows> per \g<one>", question)
    return question
