"""What stands around the numbers of a text and changes what they say: signs in words, currencies, scales apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ai_engine.conversions import CURRENCIES
from ai_engine.insight.checking.figure import SCALES, Figure

_CODES = (
    "inr usd eur gbp jpy chf aud cad sgd hkd cny aed nzd zar sek nok dkk czk pln brl mxn krw thb npr pkr bdt".split()
)
_MARKS = {
    **CURRENCIES, **{code: code.upper() for code in _CODES}, "¥": "JPY", "yen": "JPY", "pounds": "GBP",
    "pound": "GBP", "₽": "RUB", "roubles": "RUB", "rubles": "RUB", "₩": "KRW", "₺": "TRY", "₪": "ILS", "₫": "VND",
    "฿": "THB", "₱": "PHP", "yuan": "CNY", "francs": "CHF", "dirhams": "AED", "cents": "USD", "paise": "", "paisa": "",
}  # fmt: skip
_ANY_MARK = "|".join(sorted(map(re.escape, _MARKS), key=len, reverse=True))
_MARK_BEFORE = re.compile(rf"(?<![a-z])({_ANY_MARK})\.?\s*[-(]?\s*$", re.IGNORECASE)
_MARK_AFTER = re.compile(rf"\s*({_ANY_MARK})(?![a-z])", re.IGNORECASE)
_MARK_APART = re.compile(rf"\b(?:in|into)\s+({_ANY_MARK})(?![a-z])", re.IGNORECASE)
_SHORT_SCALES = frozenset({"k", "l", "m", "b", "cr", "mn", "mio", "bn", "tn", "arab", "mille"})
_SCALE = "|".join(sorted((name for name in SCALES if name not in _SHORT_SCALES), key=len, reverse=True))
_SCALE_APART = re.compile(
    rf"\b(?:in|of|per|rs\.?|inr|usd|eur|gbp)\s+({_SCALE})s?\b|[(₹$€£]\s*(?:in\s+|rs\.?\s*|inr\s+|₹\s*)?({_SCALE})s?\s*\)",
    re.IGNORECASE,
)
_BELOW_BEFORE = re.compile(
    r"\b(negative|neg|deficits?|loss(?:es)?|shortfalls?|overdrafts?|overdrawn|debits?|net\s+outflows?)\b(?:[^.;,\d□]|\brs\.){0,40}$"
    r"|\b(negative|neg)\.\s*[^.;,\d□]{0,12}$|(?:\b(?:is|are|was|were|at|of|to|stands|rs)\b\.?|[₹$€£:])\s*(\()[^\w□]{0,3}$",
    re.IGNORECASE,
)
_BELOW_AFTER = re.compile(
    r"\s*(?:(in\s+the\s+red|below\s+(?:zero|nil)|negative|overdrawn|short)\b|(dr)\b\.?"
    r"|([-\N{MINUS SIGN}])(?=[\s.,;)]|$))",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"fell|fall|down|declin|decreas|drop|lower|less|fewer|outflow|deficit|loss|lost|negative|short|overdr|below|under"
    r"|reduc|shr[aiu]nk|contract|minus|dip|slid|slump|plung",
    re.IGNORECASE,
)


def figures_with_other_marks(figures: list[Figure], text: str, named: str, currencies: frozenset[str]) -> Iterator[str]:
    """Yield what of a text has a currency or a scale that is not the result's.

    Args:
        figures: the numbers of the text.
        text: what is told.
        named: labels, texts of the cells and the question, in lower case: what these say may be said.
        currencies: of the figures.
    """
    if currencies:
        for figure in figures:
            for mark in _marks_of(figure, text):
                if not _is_own(mark.lower(), named, currencies):
                    yield f"{figure.text} {mark}"
        for apart in _MARK_APART.finditer(text):
            if not _is_own(apart[1].lower(), named, currencies):
                yield apart.group()
    for scale in _SCALE_APART.finditer(text):
        word = (scale[1] or scale[2]).lower()
        if word not in named:
            yield scale.group()


def is_told_as_money(figure: Figure, text: str) -> bool:
    """Tell whether a currency stands at a figure."""
    return any(True for _ in _marks_of(figure, text))


def _marks_of(figure: Figure, text: str) -> Iterator[str]:
    found = (_MARK_BEFORE.search(text[: figure.start]), _MARK_AFTER.match(text[figure.end :]))
    return (mark[1] for mark in found if mark is not None)


def _is_own(mark: str, named: str, currencies: frozenset[str]) -> bool:
    return _MARKS[mark] in currencies or (mark.isalpha() and re.search(rf"\b{mark}\b", named) is not None)


def told_below_zero(figure: Figure, text: str, named: str) -> bool:
    """Tell whether the words around a figure say that it is below zero; the result's own names say nothing."""
    if figure.below_zero:
        return True
    said = [*_parts(_BELOW_BEFORE.search(text[: figure.start])), *_parts(_BELOW_AFTER.match(text[figure.end :]))]
    return any(word.lower().rstrip("s") not in named for word in said)


def tells_of_less(text: str) -> bool:
    """Tell whether any word of a text lets one expect a figure below zero without its sign."""
    return _LESS.search(text) is not None


def _parts(match: re.Match[str] | None) -> list[str]:
    return [part for part in match.groups() if part] if match is not None else []
