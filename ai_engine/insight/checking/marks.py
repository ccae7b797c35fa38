"""What stands around the numbers of a text and changes what they say: signs in words, currencies, scales apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ai_engine.conversions import CURRENCIES
from ai_engine.insight.checking.figure import SCALES, Figure

_ISO = frozenset(
    "AED AFN AMD AOA ARS AUD AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF "
    "CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD GBP GEL GHS GMD GNF GTQ GYD HKD HNL "
    "HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD "
    "LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN "
    "PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SLE SOS SRD SSP SYP SZL THB TJS TMT "
    "TND TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW BTC ETH RMB".split()
)
"""Codes of currencies in capitals; ALL and TOP are words there too."""
_SMALL = (
    "inr usd eur gbp jpy chf aud cad sgd hkd cny aed nzd zar sek nok dkk czk pln brl mxn krw thb npr pkr bdt".split()
)
_SIGNS_OF_ANY = (one for one in map(chr, range(0x10000)) if unicodedata.category(one) == "Sc")
_MARKS = {
    **dict.fromkeys(_SIGNS_OF_ANY, "another"),
    **CURRENCIES, **{code: code.upper() for code in _SMALL}, "¥": "JPY", "yen": "JPY", "pounds": "GBP",
    "pound": "GBP", "₽": "RUB", "roubles": "RUB", "rubles": "RUB", "₩": "KRW", "₺": "TRY", "₪": "ILS", "₫": "VND",
    "฿": "THB", "₱": "PHP", "yuan": "CNY", "renminbi": "CNY", "francs": "CHF", "dirhams": "AED", "cents": "USD",
    "paise": "", "paisa": "",
    **{name: name for name in "dinar dinars riyal riyals rial rials peso pesos shekel shekels lira liras lire zloty "
       "forint forints krona kronor krone kroner koruna ringgit rupiah dong naira shilling shillings taka hryvnia "
       "tenge baht quid bucks bitcoin bitcoins dirham franc rouble ruble crowns annas".split()},
}  # fmt: skip
_SIGNS = "".join(mark for mark in _MARKS if not mark.isalpha())
_NAMES = "|".join(sorted(filter(str.isalpha, _MARKS), key=len, reverse=True))
_ANY_MARK = rf"[{re.escape(_SIGNS)}]|(?<![a-z])(?:{_NAMES})|(?<![a-z])(?-i:{'|'.join(sorted(_ISO))})"
_MARK_BEFORE = re.compile(rf"({_ANY_MARK})\.?\s*[-(]?\s*$", re.IGNORECASE)
_MARK_AFTER = re.compile(rf"\s*(?:[a-z]{{0,2}}(?=[$£]))?({_ANY_MARK})(?![a-z])", re.IGNORECASE)
_MARK = re.compile(rf"({_ANY_MARK})(?![a-z])", re.IGNORECASE)
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
    r"\s*\(?(?:((?:in\s+|into\s+)?(?:the\s+red|deficit|debit|overdraft|arrears|loss)|below\s+(?:zero|nil)|negative"
    r"|minus(?!\s*\S*\d)|overdrawn|short)\b|(dr)\b\.?|([-\N{MINUS SIGN}])(?=[\s.,;)]|$))",
    re.IGNORECASE,
)
_LOOKED_BACK_CHARS = 80
"""From so far before a figure its words are read: from the beginning, a text of many figures takes minutes."""
_LESS = re.compile(
    r"\b(?:fell|fall(?:s|en|ing)?|down|declin\w+|decreas\w+|drop(?:s|ped|ping)?|lower|less|fewer|(?:net\s+)?outflows?"
    r"|deficits?|loss(?:es)?|lost|negative|short|shortfalls?|overdr\w+|below|under|reduc\w+|shr[aiu]nk|contract(?:ed|ing|ion)"
    r"|minus|dip(?:s|ped)?|slid|slump\w*|plung\w+)\b",
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
                if not _is_own(mark, named, currencies):
                    yield f"{figure.text} {mark}"
        for apart in _MARK_APART.finditer(text):
            if not _is_own(apart[1], named, currencies):
                yield apart.group()
    for scale in _SCALE_APART.finditer(text):
        word = (scale[1] or scale[2]).lower()
        if word not in named:
            yield scale.group()


def currencies_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the currencies that texts name."""
    return frozenset(_currency(mark[1]) for text in texts for mark in _MARK.finditer(text)) - {""}


def is_told_as_money(figure: Figure, text: str) -> bool:
    """Tell whether a currency stands at a figure."""
    return any(True for _ in _marks_of(figure, text))


def stands_before_money(text: str, at: int) -> bool:
    """Tell whether a currency stands behind a place in a text, and marks nothing that comes after it."""
    mark = _MARK_AFTER.match(text, at)
    return mark is not None and not re.match(r"\.?\s?[-(]?\d", text[mark.end() : mark.end() + 4])


def _marks_of(figure: Figure, text: str) -> Iterator[str]:
    found = (_MARK_BEFORE.search(_before(figure, text)), _MARK_AFTER.match(text, figure.end))
    return (mark[1] for mark in found if mark is not None)


def _is_own(mark: str, named: str, currencies: frozenset[str]) -> bool:
    said = mark.isalpha() and re.search(rf"\b{mark.lower()}\b", named) is not None
    return _currency(mark) in currencies or said


def _currency(mark: str) -> str:
    return _MARKS.get(mark.lower(), mark)


def told_below_zero(figure: Figure, text: str, named: str) -> bool:
    """Tell whether the words around a figure say that it is below zero; the result's own names say nothing."""
    if figure.below_zero:
        return True
    said = [*_parts(_BELOW_BEFORE.search(_before(figure, text))), *_parts(_BELOW_AFTER.match(text, figure.end))]
    return any(word.lower().rstrip("s") not in named for word in said)


def tells_of_less(text: str) -> bool:
    """Tell whether any word of a text lets one expect a figure below zero without its sign."""
    return _LESS.search(text) is not None


def _before(figure: Figure, text: str) -> str:
    return text[max(figure.start - _LOOKED_BACK_CHARS, 0) : figure.start]


def _parts(match: re.Match[str] | None) -> list[str]:
    return [part for part in match.groups() if part] if match is not None else []
