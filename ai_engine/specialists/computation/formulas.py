"""The formulas that are known by name, as data: the words that ask for one, what it needs, and its program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ai_engine.specialists.computation.calculation import Unit
from ai_engine.specialists.computation.quantities import QuantityKind


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing a formula needs.

    Attributes:
        name: variable of the program.
        said: how people call it, where it is missing.
        kinds: quantities that may fill it, best first.
        before: words directly before a quantity that give it to this slot whatever the order.
        many: takes all that are left, as a list.
        default: used where nothing was said, and stated as an assumption.
    """

    name: str
    said: str
    kinds: tuple[QuantityKind, ...] = ("money", "number")
    before: str = ""
    many: bool = False
    default: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula.

    Attributes:
        cue: the words that ask for it; the first formula in `FORMULAS` whose cue is there is meant.
        unit: of the result; "same" where it has the unit of what went in.
        expression: over the names of its slots.
        given: its inputs in words, with the same names in braces.
    """

    name: str
    cue: str
    slots: tuple[Slot, ...]
    expression: str
    given: str
    unit: Unit | Literal["same"] = "number"
    tail: str = ""
    step: str = ""

    def asked_in(self, text: str) -> bool:
        """Whether its words are there."""
        return re.search(self.cue, text, re.IGNORECASE) is not None


_DURATIONS: tuple[QuantityKind, ...] = ("months", "years")
_PRINCIPAL = Slot("principal", "the amount of the loan")
_DEPOSIT = Slot("principal", "the amount")
_RATE = Slot("annual_rate_percent", "the rate in percent a year", ("percent",))
_MONTHS = Slot("months", "the time in years or months", _DURATIONS)
_YEARS = Slot("years", "the time in years or months", ("years", "months"))
_FIRST = Slot("first", "the first value", before=r"\b(?:from|of|between)\s+$")
_LAST = Slot("last", "the last value", before=r"\b(?:to|reach(?:ed|es|ing)?|became|becoming)\s+$")
_ANY: tuple[QuantityKind, ...] = ("money", "number", "percent", "years", "months", "days")
_LEFT = Slot("a", "the first number", _ANY)
_RIGHT = Slot("b", "the second number", _ANY)
_LOAN = "{principal} at {annual_rate_percent} % a year over {months} months"
_GROWN = (
    "{principal} at {annual_rate_percent} % a year for {years} years, interest added {periods_per_year} times a year"
)
_PERIODS = Slot("periods_per_year", "how often interest is added", ("number",), default="1")
_CHANGE = Slot("percent", "the percent", ("percent",))

FORMULAS: tuple[Formula, ...] = (
    Formula(
        "loan that an EMI repays",
        r"\b(?:loan|borrow|principal|afford)\b.*\bemi of\b"
        r"|\bemi of\b.*\b(?:what|how much|which) (?:loan|can \w+ borrow)",
        (Slot("instalment", "the instalment a month"), _RATE, _MONTHS),
        "principal_for_emi(instalment, annual_rate_percent, months)",
        "{instalment} a month at {annual_rate_percent} % a year over {months} months",
        "money",
        step="Turn the formula of the equated monthly instalment round.",
    ),
    Formula(
        "repayment schedule",
        r"\b(?:amorti[sz]ation|repayment|emi) (?:schedule|table|plan)\b|\bschedule of (?:re)?payments?\b",
        (_PRINCIPAL, _RATE, _MONTHS),
        "amortisation_schedule(principal, annual_rate_percent, months)",
        _LOAN,
        "money",
        step="Split each instalment into interest on what is open and repayment.",
    ),
    Formula(
        "total interest of the loan",
        r"\b(?:total|overall|entire) interest\b(?=.*\b(?:loan|emi|instal?lments?)\b)"
        r"|\binterest (?:paid|payable) (?:on|over)\b.*\bloan\b",
        (_PRINCIPAL, _RATE, _MONTHS),
        "emi(principal, annual_rate_percent, months) * months - principal",
        _LOAN,
        "money",
        step="Add up all instalments and take off what was lent.",
    ),
    Formula(
        "EMI",
        r"\bemis?\b|\bequated monthly|\bmonthly (?:re)?payments?\b|\bmonthly instal?lments?\b",
        (_PRINCIPAL, _RATE, _MONTHS),
        "emi(principal, annual_rate_percent, months)",
        _LOAN,
        "money",
        "a month",
        "P * r * (1 + r)^n / ((1 + r)^n - 1), with r the monthly rate and n the months.",
    ),
    Formula(
        "CAGR",
        r"\bcagr\b|\bcompound(?:ed)? annual growth\b|\bannuali[sz]ed growth\b",
        (_LAST, _FIRST, _YEARS),
        "cagr(first, last, years)",
        "from {first} to {last} in {years} years",
        "percent",
        "a year",
        "(last / first)^(1 / years) - 1.",
    ),
    Formula(
        "XIRR",
        r"\bxirr\b",
        (Slot("cash_flows", "the cash flows", many=True), Slot("dates", "a date for each", ("date",), many=True)),
        "xirr(dates, cash_flows)",
        "{cash_flows} on {dates}",
        "percent",
        "a year",
        "Find the yearly rate at which the dated flows add up to nothing.",
    ),
    Formula(
        "NPV",
        r"\bnpv\b|\bnet present value\b|\bpresent value\b",
        (
            Slot("rate_percent", "the discount rate in percent", ("percent",)),
            Slot("cash_flows", "cash flows", many=True),
        ),
        "npv(rate_percent, cash_flows)",
        "{cash_flows} at {rate_percent} % a period, the first one period from now",
        "money",
        step="Discount each flow by its period and add up.",
    ),
    Formula(
        "part of a year",
        r"\bday[- ]count\b|\byear fraction\b|\b(?:part|fraction) of (?:a|the) year\b",
        (
            Slot("start", "the first date", ("date",)),
            Slot("end", "the last date", ("date",)),
        ),
        "day_count_fraction(start, end, convention)",
        "from {start} to {end}, {convention}",
        "years",
        "years",
        "Count the days by the convention and divide by its year.",
    ),
    Formula(
        "simple interest",
        r"\bsimple interest\b",
        (_DEPOSIT, _RATE, _YEARS),
        "simple_interest(principal, annual_rate_percent, years)",
        "{principal} at {annual_rate_percent} % a year for {years} years",
        "money",
        step="principal * rate * years.",
    ),
    Formula(
        "maturity value",
        r"\bmaturity (?:amount|value)\b|\bgrows? to\b|\bfuture value\b|\bbecomes?\b.*\bcompound",
        (_DEPOSIT, _RATE, _YEARS, _PERIODS),
        "principal + compound_interest(principal, annual_rate_percent, years, periods_per_year)",
        _GROWN,
        "money",
        step="principal * (1 + rate / periods)^(periods * years).",
    ),
    Formula(
        "compound interest",
        r"\bcompound(?:ed)? interest\b|\binterest\b.*\bcompounded\b",
        (_DEPOSIT, _RATE, _YEARS, _PERIODS),
        "compound_interest(principal, annual_rate_percent, years, periods_per_year)",
        _GROWN,
        "money",
        step="principal * (1 + rate / periods)^(periods * years) - principal.",
    ),
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
        r"|\b(?:growth|change|increase|decrease|rise|fall) (?:rate |in percent )?from\b",
        (_LAST, _FIRST),
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
        r"\bdifference between\b|\bhow much (?:more|larger|higher|bigger) is\b",
        (_LEFT, _RIGHT),
        "abs(a - b)",
        "between {a} and {b}",
        "same",
        step="Subtract the smaller from the larger.",
    ),
    Formula(
        "ratio",
        r"\bratio (?:of|between)\b",
        (_LEFT, _RIGHT),
        "a / b",
        "of {a} to {b}",
        "number",
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
