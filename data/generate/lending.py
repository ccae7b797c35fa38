"""Loans that amortise, their schedules and what was paid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from data.generate.accounts import add_months
from data.generate.arrow import NEVER, dates, decimals, labels
from data.generate.people import BUSINESS_OWNER, COMPANY, Customers
from data.generate.plan import Plan


@dataclass(frozen=True)
class Product:
    """A kind of loan: share of the book by number, median amount in rupees, rates in hundredths of a percent."""

    name: str
    share: float
    median: float
    spread: float
    rates: tuple[int, int]
    terms: tuple[int, ...]
    years_back: float


PRODUCTS = (
    Product("Home Loan", 0.27, 2_900_000, 0.5, (840, 975), (120, 180, 240), 9),
    Product("Personal Loan", 0.23, 300_000, 0.6, (1050, 1650), (24, 36, 48, 60), 5),
    Product("Vehicle Loan", 0.2, 650_000, 0.45, (880, 1150), (36, 48, 60, 84), 6),
    Product("Education Loan", 0.07, 900_000, 0.5, (900, 1150), (60, 84, 120), 7),
    Product("Gold Loan", 0.09, 120_000, 0.6, (900, 1100), (12, 18, 24), 3),
    Product("Business Loan", 0.1, 2_200_000, 0.7, (1000, 1400), (36, 48, 60, 84), 6),
    Product("Agriculture Loan", 0.04, 350_000, 0.5, (700, 950), (12, 24, 36), 4),
)
HOME, PERSONAL, BUSINESS = 0, 1, 5
CORPORATE_FACTOR = 16
LOANS_PER_CUSTOMER = 0.28
BLOCK = 4_000
NPA_AFTER_DAYS = 90
MODES = ("NACH", "UPI", "NEFT", "Cheque", "Cash")
MISSED = np.array([1, 2, 3, 4, 6, 9, 14])
MISSED_CHANCE = np.array([0.44, 0.17, 0.1, 0.08, 0.09, 0.07, 0.05])
INSTALMENT_STATUSES = ("Paid", "Overdue", "Upcoming")
PAID, OVERDUE, UPCOMING = range(3)


@dataclass(frozen=True)
class Loans:
    """Arrays over loans, shape (n,): positions, datetime64[D], paise, hundredths of a percent, months."""

    number: np.ndarray
    customer: np.ndarray
    branch: np.ndarray
    product: np.ndarray
    disbursed: np.ndarray
    principal: np.ndarray
    rate: np.ndarray
    term: np.ndarray
    emi: np.ndarray
    missed: np.ndarray
    mode: np.ndarray

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True)
class Schedule:
    """Arrays over the instalments of a block, by loan: loan is a position, number counts from 1, amounts in paise.

    Attributes:
        paid_on: datetime64[D], NaT while unpaid.
    """

    loan: np.ndarray
    number: np.ndarray
    due: np.ndarray
    interest: np.ndarray
    principal: np.ndarray
    paid_on: np.ndarray
    status: np.ndarray


def lending(plan: Plan, people: Customers) -> Iterator[tuple[str, pa.Table]]:
    """Yield loans, loan_installments and loan_repayments, block by block."""
    book = _loans(plan, people)
    installments = repayments = 0
    for index, start in enumerate(range(0, len(book), BLOCK)):
        block = Loans(*(getattr(book, item.name)[start : start + BLOCK] for item in fields(book)))
        tables = _block_tables(plan, block, plan.random("repayments", index), installments, repayments)
        yield from zip(("loans", "loan_installments", "loan_repayments"), tables, strict=True)
        installments += tables[1].num_rows
        repayments += tables[2].num_rows


def installment(principal: np.ndarray, rate: np.ndarray, term: np.ndarray) -> np.ndarray:
    """Return the equated monthly instalment P·r·(1+r)^n / ((1+r)^n − 1), rounded to the paisa."""
    monthly = rate / 120_000
    growth = (1 + monthly) ** term
    return (principal * monthly * growth / (growth - 1)).round().astype(np.int64)


def _loans(plan: Plan, people: Customers) -> Loans:
    random = plan.random("loans")
    eligible = np.flatnonzero(people.joined < plan.today - 120)
    count = max(20, round(len(people) * LOANS_PER_CUSTOMER))
    business = np.isin(people.occupation[eligible], (BUSINESS_OWNER, COMPANY))
    weight = np.where(people.occupation[eligible] == COMPANY, 3.0, np.where(business, 1.3, 1.0))
    customer = random.choice(eligible, count, p=weight / weight.sum())
    shares = np.array([product.share for product in PRODUCTS])
    product = random.choice(len(PRODUCTS), count, p=shares / shares.sum())
    firm, company = (np.isin(people.occupation[customer], kinds) for kinds in ((BUSINESS_OWNER, COMPANY), (COMPANY,)))
    product = np.where(company | (firm & (random.random(count) < 0.6)), BUSINESS, product)
    product = np.where(~firm & (product == BUSINESS), PERSONAL, product)
    lookback = (np.array([item.years_back for item in PRODUCTS])[product] * 365).astype(np.int64)
    earliest = np.maximum(people.joined[customer] + 30, plan.today - lookback)
    span = (plan.today - 7 - earliest).astype(np.int64)
    disbursed = plan.today - 7 - (random.random(count) ** 1.15 * (span + 1)).astype(np.int64)
    wealth = np.clip((people.income[customer] / 70_000_000) ** 0.35, 0.6, 2.5)
    median = np.array([item.median for item in PRODUCTS])[product] * np.where(company, CORPORATE_FACTOR, wealth)
    spread = np.array([item.spread for item in PRODUCTS])[product]
    rupees = (median * np.exp(spread * random.standard_normal(count)) / 10_000).round().clip(2) * 10_000
    low, high = np.array([item.rates for item in PRODUCTS])[product].T
    risk = np.clip((780 - people.score[customer]) / 300, 0, 1)
    rate = ((low + (high - low) * (0.25 + 0.4 * risk + 0.35 * random.random(count))) / 5).round().astype(np.int64) * 5
    term = np.array([item.terms[int(len(item.terms) * u)] for item, u in _with_luck(random, product)])
    principal = rupees.astype(np.int64) * 100
    return Loans(
        number=np.arange(1, count + 1),
        customer=customer,
        branch=people.branch[customer],
        product=product,
        disbursed=disbursed,
        principal=principal,
        rate=rate,
        term=term,
        emi=installment(principal, rate, term),
        missed=_missed(random, product, people.score[customer]),
        mode=random.choice(len(MODES), count, p=(0.72, 0.1, 0.09, 0.05, 0.04)),
    )


def _with_luck(random: np.random.Generator, product: np.ndarray) -> Iterator[tuple[Product, float]]:
    return zip((PRODUCTS[kind] for kind in product.tolist()), random.random(len(product)).tolist(), strict=True)


def _missed(random: np.random.Generator, product: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Number of latest instalments not paid; likelier with a weak score and without security."""
    unsecured = np.where(product == PERSONAL, 1.6, np.where(product == HOME, 0.7, 1.1))
    chance = np.clip(0.075 * unsecured * np.exp((735 - score) / 75), 0.005, 0.6)
    depth = random.choice(MISSED, len(score), p=MISSED_CHANCE / MISSED_CHANCE.sum())
    return np.where(random.random(len(score)) < chance, depth, 0)


def _schedule(block: Loans) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return (loan position, instalment number from 1, interest, principal part) of every instalment, by loan.

    Interest is balance · rate / 12 rounded half up to the paisa; the last instalment takes what is left.
    """
    longest = int(block.term.max())
    interest = np.zeros((len(block), longest), dtype=np.int64)
    repaid = np.zeros_like(interest)
    balance = block.principal.copy()
    for month in range(longest):
        running = month < block.term
        due = np.where(running, (balance * block.rate + 60_000) // 120_000, 0)
        part = np.where(month == block.term - 1, balance, np.minimum(block.emi - due, balance))
        interest[:, month], repaid[:, month] = due, np.where(running, part, 0)
        balance -= repaid[:, month]
    loan, month = np.nonzero(np.arange(longest)[None, :] < block.term[:, None])
    return loan, month + 1, interest[loan, month], repaid[loan, month]


def _paid_schedule(plan: Plan, block: Loans, random: np.random.Generator) -> Schedule:
    """Return the schedule with what was paid: all that fell due but the latest instalments missed."""
    loan, number, interest, principal = _schedule(block)
    due = add_months(block.disbursed[loan], number)
    fallen_due = np.bincount(loan, due < plan.today, minlength=len(block)).astype(np.int64)
    settled = np.maximum(fallen_due - block.missed, 0)
    paid = number <= settled[loan]
    delay = random.choice((0, 1, 3, 7, 15, 25), len(loan), p=(0.86, 0.06, 0.03, 0.025, 0.015, 0.01))
    paid_on = np.where(due + delay <= plan.today, due + delay, due)
    status = np.where(paid, PAID, np.where(due < plan.today, OVERDUE, UPCOMING))
    return Schedule(loan, number, due, interest, principal, np.where(paid, paid_on, NEVER), status)


def _block_tables(
    plan: Plan, block: Loans, random: np.random.Generator, first_installment: int, first_repayment: int
) -> tuple[pa.Table, pa.Table, pa.Table]:
    rows = _paid_schedule(plan, block, random)
    ids = np.arange(1, len(rows.loan) + 1) + first_installment
    return (
        _loans_table(plan, block, rows),
        _installments_table(block, rows, ids),
        _repayments_table(block, rows, ids, random, first_repayment),
    )


def _installments_table(block: Loans, rows: Schedule, ids: np.ndarray) -> pa.Table:
    amount = rows.interest + rows.principal
    return pa.table(
        {
            "installment_id": ids.astype(np.int32),
            "loan_id": block.number[rows.loan].astype(np.int32),
            "installment_number": rows.number.astype(np.int32),
            "due_date": dates(rows.due),
            "due_amount": decimals(amount),
            "principal_due": decimals(rows.principal),
            "interest_due": decimals(rows.interest),
            "paid_amount": decimals(np.where(rows.status == PAID, amount, 0)),
            "paid_date": dates(rows.paid_on),
            "status": labels(rows.status, INSTALMENT_STATUSES),
        }
    )


def _repayments_table(
    block: Loans, rows: Schedule, ids: np.ndarray, random: np.random.Generator, first_repayment: int
) -> pa.Table:
    done = np.flatnonzero(rows.status == PAID)
    by_upi = random.random(len(done)) < 0.06
    return pa.table(
        {
            "repayment_id": (np.arange(1, len(done) + 1) + first_repayment).astype(np.int32),
            "loan_id": block.number[rows.loan[done]].astype(np.int32),
            "installment_id": ids[done].astype(np.int32),
            "repayment_date": dates(rows.paid_on[done]),
            "amount": decimals(rows.interest[done] + rows.principal[done]),
            "principal_amount": decimals(rows.principal[done]),
            "interest_amount": decimals(rows.interest[done]),
            "payment_mode": labels(np.where(by_upi, MODES.index("UPI"), block.mode[rows.loan[done]]), MODES),
        }
    )


def _loans_table(plan: Plan, block: Loans, rows: Schedule) -> pa.Table:
    paid, overdue = rows.status == PAID, rows.status == OVERDUE
    oldest_unpaid = np.full(len(block), plan.today)
    np.minimum.at(oldest_unpaid, rows.loan[overdue], rows.due[overdue])
    past_due = (plan.today - oldest_unpaid).astype(np.int64)
    outstanding = block.principal.copy()
    np.subtract.at(outstanding, rows.loan[paid], rows.principal[paid])
    last_paid = np.full(len(block), np.datetime64("1970-01-01"))
    np.maximum.at(last_paid, rows.loan[paid], rows.paid_on[paid])
    closed = outstanding == 0
    return pa.table(
        {
            "loan_id": block.number.astype(np.int32),
            "loan_number": [f"LN{number:09d}" for number in block.number.tolist()],
            "customer_id": (block.customer + 1).astype(np.int32),
            "branch_id": (block.branch + 1).astype(np.int32),
            "loan_type": labels(block.product, [product.name for product in PRODUCTS]),
            "status": labels(closed.astype(np.int64), ("Active", "Closed")),
            "disbursed_date": dates(block.disbursed),
            "maturity_date": dates(add_months(block.disbursed, block.term)),
            "closed_date": dates(np.where(closed, last_paid, NEVER)),
            "principal_amount": decimals(block.principal),
            "interest_rate": decimals(block.rate, precision=5),
            "term_months": block.term.astype(np.int32),
            "emi_amount": decimals(block.emi),
            "outstanding_principal": decimals(outstanding),
            "days_past_due": past_due.astype(np.int32),
            "npa_status": labels((past_due > NPA_AFTER_DAYS).astype(np.int64), ("Standard", "NPA")),
        }
    )
