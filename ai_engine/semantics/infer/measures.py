"""How a figure adds up and what it is counted in."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ai_engine.semantics.infer.roles import counts_things
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.schema_words import word_set
from ai_engine.types import Scalar

_AVERAGED = word_set(
    """
    rate ratio percent percentage price score age average mean rating rank level temperature probability factor
    index yield duration tenure tenor term median margin utilisation speed weight height high low open close tariff
    per ltv dti
    """
)
_PERCENT = frozenset({"percent", "percentage", "rate", "ratio", "apr", "apy", "yield"})
_NOT_PERCENT = frozenset({"exchange", "conversion", "fx", "foreign", "hourly", "daily", "day", "per"})
_RATIOS = word_set("ratio ltv dti utilisation utilization share probability lgd coverage")
# A loan may be more than the house is worth; a rate of interest of more than half is none.
_LARGEST_RATIO, _LARGEST_RATE = 1.5, 0.5
CURRENCY_NAMES: dict[str, tuple[str, ...]] = {
    "eur": ("euro", "euros"),
    "usd": ("dollar", "dollars", "us dollar"),
    "gbp": ("pound", "pounds", "sterling"),
    "inr": ("rupee", "rupees"),
    "chf": ("franc", "francs", "swiss franc"),
    "jpy": ("yen",),
}
_TIME_UNITS = {"day": "days", "days": "days", "month": "months", "months": "months", "year": "years", "years": "years"}
_CURRENCIES = word_set("inr usd eur gbp jpy chf aud cad sgd hkd cny aed nzd zar sek nok dkk czk pln brl mxn krw thb")


def default_aggregate(words: Sequence[str]) -> Aggregate:
    """Return how a figure of these words is summed up when the question does not say: amounts sum, rates average."""
    if counts_things(words) and not _AVERAGED & set(words):
        return "sum"
    if set(words) & _AVERAGED or words[:1] == ("unit",) or unit(words) in {"days", "months", "years"}:
        return "avg"
    return "sum"


def unit(words: Sequence[str], samples: Sequence[Scalar] = ()) -> str | None:
    """Return the unit that the words tell, and the sampled values where a rate may be kept as 0.95 or as 95.

    One of "percent", "fraction", "days", "months", "years", "count", a currency; None where nothing tells.
    """
    if not words:
        return None
    if _are_fractions(words, samples):
        return "fraction"
    if words[-1] in _CURRENCIES:
        return words[-1].upper()
    if set(words) & _PERCENT and not set(words) & _NOT_PERCENT:
        return "percent"
    if words[-1] == "age":
        return "years"
    if words[-1] in _TIME_UNITS and len(words) > 1:
        return _TIME_UNITS[words[-1]]
    if words[:3] == ("days", "past", "due"):
        return "days"
    if counts_things(words):
        return {"days": "days", "months": "months", "years": "years"}.get(words[-1], "count")
    return None


def _are_fractions(words: Sequence[str], samples: Sequence[Scalar]) -> bool:
    """Tell whether values of a rate or ratio lie so near to zero that 1 means all of it."""
    largest = _LARGEST_RATIO if _RATIOS & set(words) else _LARGEST_RATE if _PERCENT & set(words) else None
    values = [value for value in samples if isinstance(value, float | Decimal)]
    if largest is None or _NOT_PERCENT & set(words) or len(values) < len(samples) or not any(values):
        return False
    return all(0 <= value <= largest for value in values) and any(value % 1 for value in values)


def currency_synonyms(words: Sequence[str]) -> tuple[str, ...]:
    """Return other words for an amount whose last word is its currency: "euro amount", "euro equivalent"."""
    if len(words) < 2 or words[-1] not in CURRENCY_NAMES or {"to", "rate", "price"} & set(words):
        return ()
    code, figure = words[-1], " ".join(words[:-1])
    found: list[str] = []
    for noun in (figure, *(("value",) if words[-2] in {"amount", "value"} else ())):
        for name in (code, *CURRENCY_NAMES[code]):
            found.append(f"{name} {noun}")
    found += [f"{name} equivalent" for name in (code, *CURRENCY_NAMES[code])]
    return tuple(dict.fromkeys(found))
