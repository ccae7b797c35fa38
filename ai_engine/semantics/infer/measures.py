"""How a figure adds up and what it is counted in."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.semantics.infer.roles import counts_things
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.schema_words import word_set

_AVERAGED = word_set(
    """
    rate ratio percent percentage price score age average mean rating rank level temperature probability factor
    index yield duration tenure tenor term median margin utilisation speed weight height high low open close tariff
    per
    """
)
_PERCENT = frozenset({"percent", "percentage", "rate", "ratio", "apr", "apy", "yield"})
_NOT_PERCENT = frozenset({"exchange", "conversion", "fx", "foreign", "hourly", "daily", "day", "per"})
_TIME_UNITS = {"day": "days", "days": "days", "month": "months", "months": "months", "year": "years", "years": "years"}
_CURRENCIES = word_set("inr usd eur gbp jpy chf aud cad sgd hkd cny aed nzd zar sek nok dkk czk pln brl mxn krw thb")


def default_aggregate(words: Sequence[str]) -> Aggregate:
    """Return how a figure of these words is summed up when the question does not say: amounts sum, rates average."""
    if counts_things(words) and not _AVERAGED & set(words):
        return "sum"
    if set(words) & _AVERAGED or unit(words) in {"days", "months", "years"}:
        return "avg"
    return "sum"


def unit(words: Sequence[str]) -> str | None:
    """Return the unit the words tell: "percent", "days", "months", "years", "count", a currency, or None."""
    if not words:
        return None
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
