"""Figures that a text tells as a rise or as a fall: "up 6%", "fell from 12 to 9", "growth of 4 lakh", "a 3% drop"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ai_engine.insight.changes import Changes, Way
from ai_engine.insight.checking.figure import Figure, Reading

_WORDS: dict[Way, str] = {
    "rise": r"up|r(?:i|o)s(?:e|es|en|ing)|gr(?:ow|ows|ew|own|owing|owth)|increas(?:e|es|ed|ing)|climb(?:s|ed|ing)?"
    r"|jump(?:s|ed|ing)?|surg(?:e|es|ed|ing)|soar(?:s|ed|ing)?|gain(?:s|ed|ing)?|improv(?:e|es|ed|ing|ement)|uptick"
    r"|strengthen(?:s|ed|ing)?|rall(?:y|ies|ied|ying)|advanc(?:ed|ing)|swell(?:s|ed|ing)?|expand(?:s|ed|ing)?"
    r"|rebound(?:s|ed|ing)?|recover(?:s|ed|ing|y)?|appreciat(?:es|ed|ing)|uplift|[▲△↑⬆↗🔺📈]",
    "fall": r"down|f(?:a|e)ll(?:s|en|ing)?|drop(?:s|ped|ping)?|declin(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)"
    r"|sank|sunk|shrank|shrunk|shr?ink(?:s|ing)?|plung(?:e|es|ed|ing)|dip(?:s|ped|ping)?|slid|slump(?:s|ed|ing)?"
    r"|contract(?:s|ed|ing|ion)|reduc(?:ed|tion)|slip(?:s|ped|ping)?|eas(?:es|ed|ing)|weaken(?:s|ed|ing)?|reced(?:es|ed|ing)"
    r"|tumbl(?:e|es|ed|ing)|retreat(?:s|ed|ing)?|diminish(?:es|ed|ing)?|dwindl(?:e|es|ed|ing)|shed|crash(?:es|ed|ing)?"
    r"|[▼▽↓⬇↘🔻📉]",
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
_NO_WAY_BEFORE = "".join(f"(?<!{word} )" for word in ("made", "make", "makes", "add", "adds", "broken", "break", "set"))
_SAID = {
    way: re.compile(rf"(?<![\w-]){_NO_WAY_BEFORE}(?:{words})(?![\w-])", re.IGNORECASE) for way, words in _WORDS.items()
}
_MARKS: dict[Way, re.Pattern[str]] = {"rise": re.compile(r"[▲△↑⬆↗🔺📈]\s?$"), "fall": re.compile(r"[▼▽↓⬇↘🔻📉]\s?$")}
_UP_TO = re.compile(r"\s+(?:to|on)\b")
_LOOKED_BACK_CHARS = 200
"""Nothing that tells a way stands further before its figure; a text of many figures is looked through once."""
_IN_PART = re.compile(
    r"\b(?:after|before|then|until|till|while|but|first|initial\w*|later|at\s+times|partly|peak\w*|trough|low|high|mid\w*"
    r"|fluctuat\w*|volatil\w*|mixed|vari\w+|some|between|from|in|during|by|since)\b|□",
    re.IGNORECASE,
)
_STILL = Changes((), ())
_OTHER_WAY: dict[Way, Way] = {"rise": "fall", "fall": "rise"}


def is_told_the_right_way(figures: Sequence[Figure], at: int, text: str, changes: Changes) -> bool:
    """Tell whether the figure goes the way that the words around it say; true where they say none."""
    ways: tuple[Way, ...] = ("rise", "fall")
    return all(_is_borne_out(way, figures, at, text, changes) for way in ways)


def tells_a_part_of_a_run(text: str) -> bool:
    """Tell whether any word lets a reader expect that only a part of a run went the way that is told."""
    return _IN_PART.search(text) is not None


def ways_told(figures: Sequence[Figure], at: int, text: str) -> frozenset[Way]:
    """Return the ways that the words around a figure say it went; none where they say none."""
    ways: tuple[Way, ...] = ("rise", "fall")
    return frozenset(way for way in ways if not _is_borne_out(way, figures, at, text, _STILL))


def is_how_far(figures: Sequence[Figure], at: int, text: str) -> bool:
    """Tell whether a figure is told as how far something went, and not as where it came from or went to."""
    before = text[max(figures[at].start - _LOOKED_BACK_CHARS, 0) : figures[at].start]
    is_an_end = any(ends.search(before) for ends in (*_FROM.values(), *_TO.values()))
    return not is_an_end and bool(ways_told(figures, at, text))


def speaks_of_a_change(text: str) -> bool:
    """Tell whether any word of a text is one of a rise or a fall."""
    return bool(ways_said(text))


def said_of(way: Way, text: str) -> list[str]:
    """Return the words of a text, in lower case, that tell a way; "up to 5" tells none."""
    return [one.group().lower() for one in _SAID[way].finditer(text) if not _UP_TO.match(text, one.end())]


def ways_said(text: str) -> frozenset[Way]:
    """Return whether words of a text are of a rise, of a fall, or of both."""
    return frozenset(way for way, words in _SAID.items() if words.search(text))


def _is_borne_out(way: Way, figures: Sequence[Figure], at: int, text: str, changes: Changes) -> bool:
    figure = figures[at]
    before, after = text[max(figure.start - _LOOKED_BACK_CHARS, 0) : figure.start], text[figure.end :]
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
    if _AFTER[way].match(after) or _MARKS[way].search(before) or (way == "rise" and figure.text.startswith("+")):
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
