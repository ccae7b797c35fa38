"""Definitions given as instructions: "to get the cost ratio, divide the fees by the amounts and multiply by 100"."""

from __future__ import annotations

import re

_ARTICLE = r"(?:the\s+|an?\s+)?"
_TO_RECKON = re.compile(
    r"^(?:in\s+order\s+)?to\s+(?:calculate|compute|get|find|determine|work\s+out|obtain|derive|reckon)\s+"
    rf"{_ARTICLE}(?P<name>[^,:=]{{2,60}}?)\s*[,:]\s*(?:we\s+|you\s+|one\s+)?"
    r"(?P<verb>divide|multiply|subtract|add)\s+(?P<text>.+)$",
    re.IGNORECASE,
)
_RECKONED_BY = re.compile(
    rf"^{_ARTICLE}(?P<name>[\w '/&-]{{2,60}}?)\s+(?:is|are)\s+"
    r"(?:calculated|computed|found|obtained|derived|determined|reckoned|worked\s+out)\s+by\s+"
    r"(?P<verb>dividing|multiplying|subtracting|adding)\s+(?P<text>.+)$",
    re.IGNORECASE,
)
_RATIO = re.compile(
    rf"^(?P<name>.+?)(?:\s*[=:]\s*|\s+(?:is|are|means)\s+){_ARTICLE}ratio\s+(?:of|between)\s+"
    r"(?P<one>.+?)\s+(?:to|and)\s+(?P<other>.+)$",
    re.IGNORECASE,
)
_THEN_TIMES = re.compile(
    r",?\s+(?:and\s+)?(?:then\s+)?multiply(?:ing)?\s+(?:(?:it|this|that|the\s+result)\s+)?by\s+(?P<factor>\d+)%?$",
    re.IGNORECASE,
)
_SIGNS = {
    "d": (re.compile(r"\s+by\s+", re.IGNORECASE), "{one} / {other}"),
    "m": (re.compile(r"\s+(?:by|with|and)\s+", re.IGNORECASE), "{one} * {other}"),
    "s": (re.compile(r"\s+from\s+", re.IGNORECASE), "{other} - {one}"),
    "a": (re.compile(r"\s+(?:to|and)\s+", re.IGNORECASE), "{one} + {other}"),
}


def as_equation(clause: str) -> str:
    """Say an instruction as the equation that it follows from; any other clause as it is."""
    ratio = _RATIO.match(clause)
    if ratio:
        return f"{ratio['name']} = {ratio['one']} / {ratio['other']}"
    found = _TO_RECKON.match(clause) or _RECKONED_BY.match(clause)
    if found is None:
        return clause
    between, signs = _SIGNS[found["verb"][0].lower()]
    then = _THEN_TIMES.search(found["text"])
    sides = between.split(_THEN_TIMES.sub("", found["text"]).strip(" ."), maxsplit=1)
    if len(sides) == 1:
        return clause
    reckoned = signs.format(one=sides[0].strip(), other=sides[1].strip())
    return f"{found['name']} = ({reckoned}) * {then['factor']}" if then else f"{found['name']} = {reckoned}"
