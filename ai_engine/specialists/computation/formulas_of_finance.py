"""Formulas of loans, deposits, cash flows and growth."""

from __future__ import annotations

from ai_engine.specialists.computation.formula import FIRST, LAST, Formula, Slot
from ai_engine.specialists.computation.quantities import QuantityKind

_DURATIONS: tuple[QuantityKind, ...] = ("months", "years")
_PRINCIPAL = Slot("principal", "the amount of the loan")
_DEPOSIT = Slot("principal", "the amount")
_RATE = Slot("annual_rate_percent", "the rate in percent a year", ("percent",))
_MONTHS = Slot("months", "the time in years or months", _DURATIONS)
_YEARS = Slot("years", "the time in years or months", ("years", "months"))
_LOAN = "{principal} at {annual_rate_percent} % a year over {months} months"
_GROWN = (
    "{principal} at {annual_rate_percent} % a year for {years} years, interest added {periods_per_year} times a year"
)
_PERIODS = Slot("periods_per_year", "how often interest is added", ("number",), default="1")
_ASKED = r"\b(?:how much|what|calculate|compute|find|get|give me|is|are|(?:will|would) be) (?:is |(?:would|will) be )?"

FINANCE: tuple[Formula, ...] = (
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
        (LAST, FIRST, _YEARS),
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
        r"\bmaturity (?:amount|value)\b|\bgrows? to\b|\bfuture value\b|\bbecomes?\b.*\bcompound"
        r"|\bgrow(?:s|ing|n)? (?:at|by) [^?]*(?:%|percent|per cent) ?(?:a|per|each|every) ?(?:year|annum|month)\b"
        r"|(?=.*(?:%|percent|per cent))\b(?:becomes?|be worth)\b"
        r"|^(?=.*(?:%|percent|per cent))(?!.*\binterest\b).*\b(?:what|how much) (?:do|does|will|would) \w+ "
        r"(?:get|have|receive|end up with)\b",
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
        "interest, not compounded",
        rf"(?=.*(?:%|percent|per cent))(?:^|{_ASKED}|[,:;-] )(?:the )?interest\b(?! (?:rates?|income)\b)",
        (_DEPOSIT, _RATE, _YEARS),
        "simple_interest(principal, annual_rate_percent, years)",
        "{principal} at {annual_rate_percent} % a year for {years} years",
        "money",
        step="principal * rate * years.",
    ),
)
