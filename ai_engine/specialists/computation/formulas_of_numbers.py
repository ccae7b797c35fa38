"""Formulas of plain numbers: parts, changes, sums."""

from __future__ import annotations

from ai_engine.specialists.computation.formula import FIRST, LAST, Formula, Slot
from ai_engine.specialists.computation.quantities import QuantityKind

_ANY: tuple[QuantityKind, ...] = ("money", "number", "percent", "years", "months", "days")
_LEFT = Slot("a", "the first number", _ANY)
_RIGHT = Slot("b", "the second number", _ANY)
_CHANGE = Slot("percent", "the percent", ("percent",))

NUMBERS: tuple[Formula, ...] = (
    Formula(
        "share",
        r"\b(?:what|which|how many) (?:percent(?:age)?|%|share|part)\b.*\bof\b|\bas a (?:percent(?:age)?|share|%) of\b",
        (_LEFT, Slot("b", "the whole", _ANY, before=r"\bof\s+$")),
        "a / b * 100",
        "{a} of {b}",
        "percent",
        step="Divide the part by the whole.",
    ),
    Formula(
        "change in percent",
        r"\b(?:percent(?:age)?|%) (?:change|growth|increase|decrease|rise|fall|difference)\b"
        r"|\b(?:growth|change|increase|decrease|rise|fall) (?:rate |in percent )?from\b"
        r"|^(?=.*\b(?:was|were|stood|had|began|started)\b.*\b(?:is|are|now|today|stands|has|have)\b)"
        r"(?=.*(?:\bper ?cent|%)).*\b(?:growth|change|increase|decrease|rise|fall|grown?|grew|risen|rose|fell)\b",
        (LAST, FIRST),
        "(last - first) / abs(first) * 100",
        "from {first} to {last}",
        "percent",
        step="Divide the change by the first value.",
    ),
    Formula(
        "value after a rise",
        r"\b(?:increase[sd]?|raise[sd]?|rise[sn]?|grow[sn]?|grew|up|plus|add(?:ed)?)\b.*\bby\b",
        (Slot("value", "the value", ("money", "number")), _CHANGE),
        "value * (1 + percent / 100)",
        "{value} and {percent} % more",
        "same",
        step="value * (1 + percent / 100).",
    ),
    Formula(
        "value after a fall",
        r"\b(?:decrease[sd]?|reduce[sd]?|fall(?:s|en)?|drop(?:s|ped)?|down|cut|less|minus|discount(?:ed)?)\b.*\bby\b",
        (Slot("value", "the value", ("money", "number")), _CHANGE),
        "value * (1 - percent / 100)",
        "{value} and {percent} % less",
        "same",
        step="value * (1 - percent / 100).",
    ),
    Formula(
        "part",
        r"(?:%|\bpercent|\bper cent|\bpct)\s+of\b",
        (_CHANGE, Slot("value", "the amount", ("money", "number"))),
        "value * percent / 100",
        "{percent} % of {value}",
        "same",
        step="value * percent / 100.",
    ),
    Formula(
        "difference",
        r"\bdifference\b|\bhow much (?:more|larger|higher|bigger|less|lower|smaller) is\b",
        (_LEFT, _RIGHT),
        "abs(a - b)",
        "between {a} and {b}",
        "same",
        step="Subtract the smaller from the larger.",
        in_any_order=True,
    ),
    Formula(
        "product",
        r"\bmultiply\b|\bproduct of\b",
        (_LEFT, _RIGHT),
        "a * b",
        "of {a} and {b}",
        "same",
        step="Multiply the two.",
        in_any_order=True,
    ),
    Formula(
        "double",
        r"\b(?:double|twice)\b",
        (Slot("value", "the number", _ANY),),
        "value * 2",
        "twice {value}",
        "same",
        step="Multiply by two.",
    ),
    Formula(
        "half",
        r"\bhalf (?:of )?(?=[\d₹$€£-]|rs|inr|usd|eur|gbp)|\bhalve\b",
        (Slot("value", "the number", _ANY),),
        "value / 2",
        "of {value}",
        "same",
        step="Divide by two.",
    ),
    Formula(
        "quotient",
        r"\bdivide\b",
        (_LEFT, Slot("b", "the second number", _ANY, before=r"\bby\s+$")),
        "a / b",
        "of {a} by {b}",
        "quotient",
        step="Divide the first by the second.",
    ),
    Formula(
        "ratio",
        r"\bratio (?:of|between)\b",
        (_LEFT, _RIGHT),
        "a / b",
        "of {a} to {b}",
        "quotient",
        step="Divide the first by the second.",
    ),
    Formula(
        "average",
        r"\b(?:average|mean) of\b",
        (Slot("values", "the numbers", ("money", "number", "percent"), many=True),),
        "sum(values) / len(values)",
        "of {values}",
        "same",
        step="Add up and divide by how many there are.",
    ),
    Formula(
        "sum",
        r"\b(?:sum|total) of\b|\badd(?: up)?\b",
        (Slot("values", "the numbers", ("money", "number"), many=True),),
        "sum(values)",
        "of {values}",
        "same",
        step="Add up.",
    ),
)
