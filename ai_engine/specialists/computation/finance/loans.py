"""Loans that are repaid in equal instalments, and plain interest."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from ai_engine.specialists.computation.finance.exact import exact

PAISA = Decimal("0.01")
_MOST_MONTHS = 1_200


def emi(principal: Decimal, annual_rate_percent: Decimal, months: int) -> Decimal:
    """Return the equated monthly instalment of a loan, paid at the end of each month.

    Args:
        principal: amount lent, in any currency; above 0.
        annual_rate_percent: nominal rate a year in percent, compounded monthly; 0 or above.
        months: number of instalments, 1 to 1,200.

    Returns:
        The instalment in the unit of `principal`, unrounded.

    Raises:
        ValueError: a number is outside its range.

    Source: P * r * (1 + r)^n / ((1 + r)^n - 1) with r the monthly rate, as Indian lenders publish it.
    """
    amount, rate = _loan(principal, annual_rate_percent, months)
    if rate == 0:
        return amount / months
    growth = (1 + rate) ** months
    return amount * rate * growth / (growth - 1)


def principal_for_emi(instalment: Decimal, annual_rate_percent: Decimal, months: int) -> Decimal:
    """Return the loan that an instalment repays: the inverse of `emi`.

    Args:
        instalment: paid at the end of each month; above 0.
        annual_rate_percent: nominal rate a year in percent, compounded monthly; 0 or above.
        months: number of instalments, 1 to 1,200.

    Returns:
        The amount lent, unrounded.

    Raises:
        ValueError: a number is outside its range.
    """
    return exact(instalment) / emi(Decimal(1), annual_rate_percent, months)


def amortisation_schedule(
    principal: Decimal, annual_rate_percent: Decimal, months: int
) -> list[dict[str, int | Decimal]]:
    """Return every instalment of a loan with its interest, the part repaid and what stays open.

    Args:
        principal: amount lent; above 0.
        annual_rate_percent: nominal rate a year in percent, compounded monthly; 0 or above.
        months: number of instalments, 1 to 1,200.

    Returns:
        One row per month with keys `month, instalment, interest, principal, balance`, rounded to a hundredth of the
        unit; the last instalment takes up what rounding left, so that the balance ends at exactly 0.

    Raises:
        ValueError: a number is outside its range.
    """
    amount, rate = _loan(principal, annual_rate_percent, months)
    instalment = emi(principal, annual_rate_percent, months).quantize(PAISA, ROUND_HALF_UP)
    balance = amount.quantize(PAISA, ROUND_HALF_UP)
    rows: list[dict[str, int | Decimal]] = []
    for month in range(1, months + 1):
        interest = (balance * rate).quantize(PAISA, ROUND_HALF_UP)
        repaid = balance if month == months else min(instalment - interest, balance)
        balance = balance - repaid
        rows.append(
            {
                "month": month,
                "instalment": repaid + interest,
                "interest": interest,
                "principal": repaid,
                "balance": balance,
            }
        )
    return rows


def simple_interest(principal: Decimal, annual_rate_percent: Decimal, years: Decimal) -> Decimal:
    """Return the interest on a principal that earns none on its interest.

    Args:
        principal: in any currency; 0 or above.
        annual_rate_percent: a year, in percent.
        years: may be a fraction; 0 or above.

    Returns:
        The interest alone, in the unit of `principal`, unrounded.

    Raises:
        ValueError: principal or years are below 0.
    """
    amount, rate, duration = exact(principal), exact(annual_rate_percent), exact(years)
    if amount < 0 or duration < 0:
        raise ValueError("principal and years must be 0 or above")
    return amount * rate * duration / 100


def compound_interest(
    principal: Decimal, annual_rate_percent: Decimal, years: Decimal, periods_per_year: int = 1
) -> Decimal:
    """Return the interest on a principal whose interest is added to it every period.

    Args:
        principal: in any currency; 0 or above.
        annual_rate_percent: nominal rate a year, in percent; above -100 * `periods_per_year`.
        years: may be a fraction; 0 to 200.
        periods_per_year: 1 yearly, 4 quarterly, 12 monthly, 365 daily.

    Returns:
        The interest alone, in the unit of `principal`, unrounded.

    Raises:
        ValueError: a number is outside its range.

    Source: P * (1 + r/m)^(m*t) - P.
    """
    amount, rate, duration = exact(principal), exact(annual_rate_percent), exact(years)
    if amount < 0 or not 0 <= duration <= 200 or not 1 <= periods_per_year <= 366:
        raise ValueError("principal must be 0 or above, years 0 to 200, periods_per_year 1 to 366")
    base = 1 + rate / (100 * periods_per_year)
    if base <= 0:
        raise ValueError("the rate takes more than the whole principal in one period")
    return amount * base ** (duration * periods_per_year) - amount


def _loan(principal: Decimal, annual_rate_percent: Decimal, months: int) -> tuple[Decimal, Decimal]:
    """Amount and monthly rate as a fraction, checked."""
    amount, percent = exact(principal), exact(annual_rate_percent)
    if amount <= 0:
        raise ValueError("the amount must be above 0")
    if not 0 <= percent <= 1_000:
        raise ValueError("the rate must be between 0 and 1,000 percent a year")
    if months != int(months) or not 1 <= months <= _MOST_MONTHS:
        raise ValueError(f"the number of months must be a whole number from 1 to {_MOST_MONTHS}")
    return amount, percent / 1200
