"""What money that flows at different times is worth, and how fast it grew."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from ai_engine.specialists.computation.finance.exact import exact, exact_list

_DAYS_PER_YEAR = 365
_LOWEST_RATE = Decimal("-0.9999")
_HIGHEST_RATE = Decimal(1_000)
_RATE_STEP = Decimal("0.000000000001")


def cagr(first: Decimal, last: Decimal, years: Decimal) -> Decimal:
    """Return the compound annual growth rate between two values.

    Args:
        first: value at the start; above 0.
        last: value at the end, same unit; above 0.
        years: between them, may be a fraction; above 0.

    Returns:
        Percent a year, unrounded.

    Raises:
        ValueError: a number is not above 0.

    Source: (last / first)^(1 / years) - 1.
    """
    start, end, duration = exact(first), exact(last), exact(years)
    if start <= 0 or end <= 0 or duration <= 0:
        raise ValueError("CAGR needs two values and a number of years, all above 0")
    return ((end / start) ** (1 / duration) - 1) * 100


def npv(rate_percent: Decimal, cash_flows: list[Decimal], first_period: int = 1) -> Decimal:
    """Return the present value of cash flows one period apart.

    Args:
        rate_percent: per period, in percent; above -100.
        cash_flows: in order of time, payments made below 0; at least one.
        first_period: periods until the first flow: 1 as spreadsheets count, 0 where the first flow is now.

    Returns:
        In the unit of the flows, unrounded.

    Raises:
        ValueError: no flows, or a rate of -100 % and below.
    """
    flows = exact_list(cash_flows)
    factor = 1 + exact(rate_percent) / 100
    if not flows or factor <= 0:
        raise ValueError("NPV needs at least one cash flow and a rate above -100 %")
    return sum((flow / factor ** (first_period + i) for i, flow in enumerate(flows)), Decimal(0))


def xirr(dates: list[date], cash_flows: list[Decimal]) -> Decimal:
    """Return the yearly rate at which dated cash flows are worth nothing today.

    Args:
        dates: one per flow, in any order.
        cash_flows: payments made below 0, received above 0; both must occur.

    Returns:
        Percent a year, effective, on a year of 365 days; exact to ten digits.

    Raises:
        ValueError: lengths differ, all flows have one sign, or no rate from -99.99 % to 100,000 % balances them.

    Source: sum of flow / (1 + r)^(days / 365) = 0, as spreadsheets define XIRR; found by bisection.
    """
    flows = exact_list(cash_flows)
    if len(dates) != len(flows):
        raise ValueError("XIRR needs as many dates as cash flows")
    if not any(flow < 0 for flow in flows) or not any(flow > 0 for flow in flows):
        raise ValueError("XIRR needs money paid and money received")
    first = min(dates)
    years = [Decimal((day - first).days) / _DAYS_PER_YEAR for day in dates]
    low, high = _LOWEST_RATE, _HIGHEST_RATE
    worth_low = _worth(low, years, flows)
    if (worth_low > 0) == (_worth(high, years, flows) > 0):
        raise ValueError("no rate between -99.99 % and 100,000 % balances these cash flows")
    while high - low > _RATE_STEP * max(Decimal(1), abs(low)):
        middle = (low + high) / 2
        if (_worth(middle, years, flows) > 0) == (worth_low > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2 * 100


def _worth(rate: Decimal, years: list[Decimal], cash_flows: list[Decimal]) -> Decimal:
    worth = Decimal(0)
    for year, flow in zip(years, cash_flows, strict=True):
        worth += flow / (1 + rate) ** year
    return worth
