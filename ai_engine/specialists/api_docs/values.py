"""The values of a call's parameters, as a question says them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ai_engine.specialists.api_docs.catalogue import Endpoint, Parameter

_DATE = re.compile(r"\b(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?\b")
_QUOTED = re.compile("[\"“']([^\"“”']+)[\"”']")
_SCALES = {
    "lakh": 100_000, "lakhs": 100_000, "lac": 100_000, "l": 100_000, "crore": 10_000_000, "crores": 10_000_000,
    "cr": 10_000_000, "thousand": 1_000, "k": 1_000, "million": 1_000_000, "mn": 1_000_000,
}  # fmt: skip
_NUMBER = r"(?:rs\.?\s*|₹\s*|inr\s*)?(\d[\d,]*(?:\.\d+)?)\s*(lakhs?|lac|crores?|cr|thousand|million|mn|k)?\b"
_ANY_NUMBER = re.compile(_NUMBER, re.IGNORECASE)
STARTS, ENDS = "startDateTime", "endDateTime"
_TODAY = re.compile(r"\b(today|now|current|currently|tonight)\b", re.IGNORECASE)


def said_values(question: str, endpoint: Endpoint, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every parameter that the question, or a default, gives one to."""
    return read_values(question, endpoint, context)[0]


def read_values(question: str, endpoint: Endpoint, context: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the values, and the question without the words that say them.

    What a pattern or a list of values takes is not looked at again for a number: the "9" of an account is no amount.
    """
    found: dict[str, Any] = {}
    left = question
    order = sorted(endpoint.parameters, key=lambda item: (not item.pattern, not item.values, not item.words))
    for parameter in order:
        value, left = _said(left, parameter, endpoint, context)
        if value is None:
            value = parameter.default
        if value is not None:
            found[parameter.name] = value
    return found, left


def said_again(left: str, endpoint: Endpoint, values: Mapping[str, Any]) -> list[str]:
    """Return the words by which what is left of a question says another value of a list that has given one."""
    again = []
    for parameter in endpoint.parameters:
        others = {value: words for value, words in parameter.values.items() if value not in values.values()}
        spans = _spans(left, others) if parameter.name in values else []
        again += [left[start:end] for start, end, _ in spans]
    return again


def _said(text: str, parameter: Parameter, endpoint: Endpoint, context: Mapping[str, Any]) -> tuple[Any, str]:
    if parameter.name in context and isinstance(context[parameter.name], (str, int, float)):
        return context[parameter.name], text
    if parameter.pattern:
        whole = rf"(?<![A-Za-z0-9])(?:{parameter.pattern})(?![A-Za-z0-9])"
        value, left = _first(re.compile(whole, re.IGNORECASE), text, upper=True)
        if value is not None or not parameter.values:
            return value, left
    if parameter.values:
        return _listed(text, parameter)
    if parameter.type in {"date", "datetime"}:
        return _date(text, parameter, context)
    if parameter.type in {"integer", "number"}:
        return _number(text, parameter, endpoint)
    return _quoted_or_named(text, parameter)


def _first(pattern: re.Pattern[str], text: str, *, upper: bool = False) -> tuple[str | None, str]:
    found = pattern.search(text)
    if found is None:
        return None, text
    value = found[0].upper() if upper else found[0]
    return value, f"{text[: found.start()]} {text[found.end() :]}"


def _listed(text: str, parameter: Parameter) -> tuple[str | None, str]:
    """Return the first value whose own or further words are said; of several at one place, the longest."""
    spans = _spans(text, parameter.values)
    if not spans:
        return None, text
    start, end, value = min(spans, key=lambda span: (span[0], -span[1], span[2]))
    return value, f"{text[:start]} {text[end:]}"


def _spans(text: str, values: Mapping[str, Sequence[str]]) -> list[tuple[int, int, str]]:
    """Return where each value is said first, in each of its words."""
    said = [
        (value, re.search(rf"(?<!\w){re.escape(words)}(?:s|es)?(?!\w)", text, re.IGNORECASE))
        for value, more in values.items()
        for words in (value, value.replace("_", " ").replace("-", " "), *more)
    ]
    return [(found.start(), found.end(), value) for value, found in said if found is not None]


def _date(text: str, parameter: Parameter, context: Mapping[str, Any]) -> tuple[str | None, str]:
    value, left = _first(_DATE, text)
    if value is None and _TODAY.search(text) and parameter.type == "date":
        return _text_or_none(context.get("current_date")), text
    if value is not None and parameter.type == "datetime" and len(value) == len("2026-01-01"):
        value += "T23:59:59" if parameter.name == ENDS else "T00:00:00"
    return value, left


def _number(text: str, parameter: Parameter, endpoint: Endpoint) -> tuple[int | float | None, str]:
    """Take the number beside one of the parameter's words; any number where no other parameter might be meant."""
    for word in parameter.words:
        near = re.compile(
            rf"{_NUMBER}\s*(?:{re.escape(word)})(?!\w)|(?<!\w)(?:{re.escape(word)})\s*(?:of|is|=|:)?\s*{_NUMBER}",
            re.IGNORECASE,
        )
        found = near.search(text)
        if found is not None:
            digits, scale = (found[1], found[2]) if found[1] else (found[3], found[4])
            return _as_number(digits, scale, parameter), f"{text[: found.start()]} {text[found.end() :]}"
    numbers = [item for item in endpoint.parameters if item.type in {"integer", "number"} and not item.pattern]
    found = _ANY_NUMBER.search(text)
    if found is None or (len(numbers) > 1 and not found[2] and numbers[0] != parameter):
        return None, text
    return _as_number(found[1], found[2], parameter), f"{text[: found.start()]} {text[found.end() :]}"


def _as_number(digits: str, scale: str | None, parameter: Parameter) -> int | float:
    number = float(digits.replace(",", "")) * _SCALES.get((scale or "").lower(), 1)
    return int(number) if parameter.type == "integer" or number == int(number) else number


def _quoted_or_named(text: str, parameter: Parameter) -> tuple[str | None, str]:
    found = _QUOTED.search(text)
    if found is not None:
        return found[1], f"{text[: found.start()]} {text[found.end() :]}"
    for word in parameter.words:
        near = re.search(rf"(?<!\w){re.escape(word)}\s+(?:is\s+|=\s*|:\s*)?([A-Za-z0-9][\w.-]*)", text, re.IGNORECASE)
        if near is not None:
            return near[1], f"{text[: near.start()]} {text[near.end() :]}"
    return None, text


def _text_or_none(value: object) -> str | None:
    return str(value) if value else None
