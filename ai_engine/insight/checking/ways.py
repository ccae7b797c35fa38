"""Figures that a text tells as a rise or as a fall: "up 6%", "fell from 12 to 9", "growth of 4 lakh", "a 3% drop"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ai_engine.insight.changes import Changes, Way
from ai_engine.insight.checking.figure import Figure, Reading

_WORDS: dict[Way, str] = {
    "rise": r"up|r(?:i|o)s(?:e|es|en|ing)|gr(?:ow|ows|ew|own|owing|owth)|increas(?:e|es|ed|ing)|climb(?:s|ed|ing)?"
    r"|jump(?:s|ed|ing)?|surg(?:e|es|ed|ing)|soar(?:s|ed|ing)?|gain(?:s|ed|ing)?|improv(?:e|es|ed|ing|ement)|uptick",
    "fall": r"down|f(?:a|e)ll(?:s|en|ing)?|drop(?:s|ped|ping)?|declin(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)"
    r"|sank|sunk|shrank|shrunk|shr?ink(?:s|ing)?|plung(?:e|es|ed|ing)|dip(?:s|ped|ping)?|slid|slump(?:s|ed|ing)?"
    r"|contract(?:s|ed|ing|ion)|reduc(?:ed|tion)",
}
_NOUNS: dict[Way, str] = {
    "rise": r"rise|increase|growth|jump|surge|gain|uptick|improvement|up(?!\s+to\b)|expansion",
    "fall": r"fall|drop|decline|decrease|dip|slump|plunge|reduction|down|contraction",
}
_SPAN = r"(?:[\w-]+-on-[\w-]+|yearly|annual|monthly|quarterly|overall|net)\s+"
_ABOUT = r"(?:(?:about|around|nearly|roughly|almost|over|approximately|some|(?:more|less)\s+than|just\s+\w+)\s+|~\s?)?"
_MONEY = r"(?:[A-Za-z]{2,3}\.?\s?|[₹$€£¥]\s?)?"
_MINUS = r"(?P<minus>[-\N{MINUS SIGN}]\s?)?"
_LY = r"(?:\s+\w+ly\b,?)?"
_AMOUNT = rf"{_ABOUT}{_MINUS}{_MONEY}(?P<inner>[-\N{{MINUS SIGN}}])?$"
_BY = {
    way: re.compile(
        rf"\b(?:{words})\b{_LY}(?:\s+(?:by|of|is|was|at)|:|[^.;,\d□]{{0,60}}?\sby)?\s+{_AMOUNT}", re.IGNORECASE
    )
    for way, words in _WORDS.items()
}
_AFTER = {
    way: re.compile(rf"\s+(?:{_SPAN})?(?:{words})\b(?!\s+(?:below|above|under|within|into|short)\b)", re.IGNORECASE)
    for way, words in _NOUNS.items()
}
_FROM = {way: re.compile(rf"\b(?:{words})\b{_LY}\s+from\s+{_AMOUNT}", re.IGNORECASE) for way, words in _WORDS.items()}
_TO = {
    way: re.compile(rf"\b(?!up\b)(?:{words})\b{_LY}\s+to\s+{_AMOUNT}", re.IGNORECASE) for way, words in _WORDS.items()
}
_THEN_TO = re.compile(rf"[^.;]{{0,80}}?\bto\s+{_AMOUNT}", re.IGNORECASE)
_RATIOS: dict[Way, re.Pattern[str]] = {
    "rise": re.compile(r"(?:doubl|tripl|trebl|quadrupl|quintupl)(?:ed|ing)", re.IGNORECASE),
    "fall": re.compile(r"halv(?:ed|ing)", re.IGNORECASE),
}
_STILL = Changes((), ())
_OTHER_WAY: dict[Way, Way] = {"rise": "fall", "fall": "rise"}


def is_told_the_right_way(figures: Sequence[Figure], at: int, text: str, changes: Changes) -> bool:
    """Tell whether the figure goes the way that the words around it say; true where they say none."""
    ways: tuple[Way, ...] = ("rise", "fall")
    return all(_is_borne_out(way, figures, at, text, changes) for way in ways)


def ways_told(figures: Sequence[Figure], at: int, text: str) -> frozenset[Way]:
    """Return the ways that the words around a figure say it went; none where they say none."""
    ways: tuple[Way, ...] = ("rise", "fall")
    return frozenset(way for way in ways if not _is_borne_out(way, figures, at, text, _STILL))


def _is_borne_out(way: Way, figures: Sequence[Figure], at: int, text: str, changes: Changes) -> bool:
    figure = figures[at]
    before, after = text[: figure.start], text[figure.end :]
    if _FROM[way].search(before):
        end = _end_of(figures, at, text)
        return any(
            changes.go_between(way, start, to) for start in _all(figure) for to in (_all(end) if end else [None])
        )
    if _TO[way].search(before):
        return any(changes.go_between(way, None, end) for end in _all(figure))
    if _RATIOS[way].fullmatch(figure.text):
        return any(changes.go_by(way, by) for by in _all(figure))
    by = _BY[way].search(before)
    if by is not None:
        told = _OTHER_WAY[way] if by["minus"] or by["inner"] else way
        return any(changes.go_by(told, amount) for amount in _all(figure))
    if _AFTER[way].match(after) or (way == "rise" and figure.text.startswith("+")):
        return any(changes.go_by(way, amount) for amount in _all(figure))
    return True


def _end_of(figures: Sequence[Figure], at: int, text: str) -> Figure | None:
    """Return the 9 of "from 12 to 9", or of "9, down from 12"."""
    if at + 1 < len(figures) and _THEN_TO.fullmatch(text[figures[at].end : figures[at + 1].start]):
        return figures[at + 1]
    if at and not re.search(r"[.;]\s", text[figures[at - 1].end : figures[at].start]):
        return figures[at - 1]
    return None


def _all(figure: Figure) -> list[Reading]:
    return [reading for readings in figure.readings for reading in readings]
