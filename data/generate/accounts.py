"""Accounts: who holds which, where, since when and until when."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from data.generate.arrow import NEVER, dates, decimals, labels
from data.generate.geography import branch_weights
from data.generate.people import CORPORATE, GOVERNMENT, PREMIUM, SALARIED, SME, Customers
from data.generate.plan import Plan

TYPES = ("Savings", "Current", "Fixed Deposit", "Recurring Deposit")
SAVINGS, CURRENT, FIXED, RECURRING = range(4)
STATUSES = ("Active", "Dormant", "Closed")
ACTIVE, DORMANT, CLOSED = range(3)
# How an account is used, which decides its entries.
SALARY, SAVER, BUSINESS, LARGE, DEPOSIT, INSTALMENT = range(6)

ACCOUNTS_PER_CUSTOMER = 5 / 3
AWAY_FROM_HOME = 0.08
SALARY_SHARE = 0.22
TENURES = np.array([6, 12, 18, 24, 36, 60])
DORMANT_AFTER_DAYS = 730


@dataclass(frozen=True)
class Accounts:
    """Arrays over accounts, shape (n,); account_id is position in the whole bank + 1.

    Attributes:
        customer, branch: positions.
        opened, closed, maturity: datetime64[D], NaT where it does not apply.
        rate: interest in hundredths of a percent per year.
        turnover: typical monthly inflow, paise; for deposits the amount placed, once or per month.
        liveliness: factor on the number of entries, mean 1.
    """

    number: np.ndarray
    customer: np.ndarray
    branch: np.ndarray
    type: np.ndarray
    use: np.ndarray
    opened: np.ndarray
    closed: np.ndarray
    maturity: np.ndarray
    rate: np.ndarray
    turnover: np.ndarray
    liveliness: np.ndarray

    def __len__(self) -> int:
        return len(self.customer)

    def block(self, start: int, size: int) -> Accounts:
        """Return the accounts from `start`, at most `size`."""
        return Accounts(*(getattr(self, item.name)[start : start + size] for item in fields(self)))


def accounts(plan: Plan, people: Customers) -> Accounts:
    """Draw one account per customer, opened on joining, and two more for every three customers."""
    random = plan.random("accounts")
    extra = round(len(people) * (ACCOUNTS_PER_CUSTOMER - 1))
    wealth = np.where(people.segment == PREMIUM, 3.0, 1.0) * np.where(people.segment == CORPORATE, 2.0, 1.0)
    customer = np.concatenate([np.arange(len(people)), random.choice(len(people), extra, p=wealth / wealth.sum())])
    count = len(customer)
    first = np.arange(count) < len(people)
    business = np.isin(people.segment[customer], (SME, CORPORATE))
    drawn = random.choice(4, count, p=(0.13, 0.05, 0.53, 0.29))
    drawn = np.where(business & np.isin(drawn, (SAVINGS, RECURRING)), CURRENT, drawn)
    kind = np.where(first, np.where(business, CURRENT, SAVINGS), drawn)
    use = _uses(random, people, customer, kind, first)
    opened, maturity, closed = _lifetimes(plan, random, people.joined[customer], kind, first)
    home = people.branch[customer]
    away = random.random(count) < AWAY_FROM_HOME * 1.05
    return Accounts(
        number=np.arange(1, count + 1),
        customer=customer,
        branch=np.where(away, random.choice(len(branch_weights()), count, p=branch_weights()), home),
        type=kind,
        use=use,
        opened=opened,
        closed=closed,
        maturity=maturity,
        rate=_rates(random, kind, opened),
        turnover=_turnover(random, people.income[customer], use),
        liveliness=np.where(use == SAVER, random.gamma(1.4, 1 / 1.4, count), random.gamma(4.0, 0.25, count)),
    )


def accounts_table(block: Accounts, balance: np.ndarray, last_used: np.ndarray, plan: Plan) -> pa.Table:
    """Return the accounts rows of a block.

    Args:
        balance: final balance, paise, shape (n,).
        last_used: day of the last entry the customer caused, datetime64[D], shape (n,).
    """
    transactional = np.isin(block.type, (SAVINGS, CURRENT))
    unused = transactional & (plan.today - last_used > np.timedelta64(DORMANT_AFTER_DAYS, "D"))
    status = np.where(~np.isnat(block.closed), CLOSED, np.where(unused, DORMANT, ACTIVE))
    return pa.table(
        {
            "account_id": block.number.astype(np.int32),
            "account_number": [f"{50_000_000_000 + number * 37:012d}" for number in block.number.tolist()],
            "customer_id": (block.customer + 1).astype(np.int32),
            "branch_id": (block.branch + 1).astype(np.int32),
            "account_type": labels(block.type, TYPES),
            "status": labels(status, STATUSES),
            "opened_date": dates(block.opened),
            "closed_date": dates(block.closed),
            "maturity_date": dates(block.maturity),
            "interest_rate": decimals(block.rate, precision=5),
            "balance": decimals(balance),
        }
    )


def _uses(
    random: np.random.Generator, people: Customers, customer: np.ndarray, kind: np.ndarray, first: np.ndarray
) -> np.ndarray:
    employed = np.isin(people.occupation[customer], (SALARIED, GOVERNMENT))
    salaried = first & employed & (random.random(len(customer)) < SALARY_SHARE)
    large = people.segment[customer] == CORPORATE
    return np.select(
        [kind == FIXED, kind == RECURRING, kind == CURRENT, salaried],
        [DEPOSIT, INSTALMENT, np.where(large, LARGE, BUSINESS), SALARY],
        default=SAVER,
    )


def _lifetimes(
    plan: Plan, random: np.random.Generator, joined: np.ndarray, kind: np.ndarray, first: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw opened, maturity and closed days; whatever closed before the window is not in the bank any more."""
    count, latest = len(joined), plan.today - 3
    tenure = random.choice(TENURES, count, p=(0.1, 0.28, 0.12, 0.22, 0.16, 0.12))
    span = (latest - joined).astype(np.int64)
    term = np.isin(kind, (FIXED, RECURRING))
    span = np.where(term, np.minimum(span, 365 * 4), span)
    opened = np.where(first, joined, latest - (random.random(count) * (span + 1)).astype(np.int64))
    tenure = np.where(add_months(opened, tenure) <= plan.window_start + 31, 60, tenure)
    maturity = np.where(term, add_months(opened, tenure), NEVER)
    earliest = np.maximum(opened, plan.window_start) + 45
    room = np.maximum((latest - earliest).astype(np.int64), 0)
    leaving = ~term & (random.random(count) < 0.055) & (room > 0)
    left = earliest + (random.random(count) * room).astype(np.int64)
    matured = term & (maturity <= plan.today)
    return opened, maturity, np.where(matured, maturity, np.where(leaving, left, NEVER))


def add_months(days: np.ndarray, months: np.ndarray | int) -> np.ndarray:
    """Return the same day of the month later, at most the 28th, as datetime64[D]."""
    month = days.astype("datetime64[M]")
    day = np.minimum((days - month.astype("datetime64[D]")).astype(np.int64), 27)
    return (month + months).astype("datetime64[D]") + day


def _rates(random: np.random.Generator, kind: np.ndarray, opened: np.ndarray) -> np.ndarray:
    """Deposit rates move with the year of opening, in steps of five hundredths of a percent."""
    cycle = 650 + 45 * np.sin(opened.astype(np.int64) / 365.25 * 2 * np.pi / 6)
    placed = ((cycle + random.integers(-6, 7, len(kind)) * 5) / 5).round().astype(np.int64) * 5
    return np.select([kind == SAVINGS, kind == CURRENT], [np.int64(300), np.int64(0)], default=placed)


def _turnover(random: np.random.Generator, income: np.ndarray, use: np.ndarray) -> np.ndarray:
    monthly = income / 12
    noise = np.exp(0.35 * random.standard_normal(len(use)))
    placed = np.minimum(monthly, 1_000_000_000) * 5.6 * np.exp(0.7 * random.standard_normal(len(use)))
    return np.select(
        [use == SALARY, use == SAVER, use == BUSINESS, use == LARGE, use == DEPOSIT],
        [
            monthly * 0.78,
            np.maximum(monthly * 0.3 * noise, 200_000),
            monthly * 1.6 * noise,
            monthly * 0.05 * noise,
            np.clip((placed / 500_000).round() * 500_000, 1_000_000, 10_000_000_000),
        ],
        default=np.clip((monthly * 0.07 * noise / 50_000).round() * 50_000, 50_000, 20_000_000),
    ).astype(np.int64)
