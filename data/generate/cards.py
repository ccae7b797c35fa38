"""Debit cards of savings and current accounts, and credit cards."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from data.generate.accounts import CURRENT, SAVINGS, Accounts, add_months
from data.generate.arrow import dates, decimals, labels
from data.generate.people import CORPORATE, NRI, PREMIUM, RETAIL, Customers
from data.generate.plan import Plan

NETWORKS = ("RuPay", "Visa", "Mastercard")
STATUSES = ("Active", "Blocked", "Expired")
VALID_MONTHS = 60
NO_ACCOUNT = -1


def cards(plan: Plan, people: Customers, held: Accounts) -> pa.Table:
    """Return the cards table: debit cards first."""
    random = plan.random("cards")
    account = _debit_accounts(random, people, held)
    borrower = _credit_customers(random, people)
    credit = np.concatenate([np.zeros(len(account), dtype=bool), np.ones(len(borrower), dtype=bool)])
    customer = np.concatenate([held.customer[account], borrower])
    since = np.concatenate([held.opened[account], people.joined[borrower]])
    count = len(customer)
    earliest = np.maximum(since, plan.today - 365 * 6)
    span = (plan.today - earliest).astype(np.int64)
    issued = plan.today - (random.random(count) * (span + 1)).astype(np.int64)
    expiry = add_months(issued, VALID_MONTHS).astype("datetime64[M]").astype("datetime64[D]") - 1
    blocked = random.random(count) < 0.03
    limit = (people.income[customer] * random.uniform(0.08, 0.3, count) / 1_000_000).round().clip(2) * 1_000_000
    limit = np.minimum(limit, 100_000_000).astype(np.int64)
    used = (limit * random.beta(1.1, 3.2, count)).astype(np.int64)
    return pa.table(
        {
            "card_id": np.arange(1, count + 1, dtype=np.int32),
            "card_number": [f"XXXX XXXX XXXX {digits:04d}" for digits in random.integers(0, 10_000, count).tolist()],
            "customer_id": (customer + 1).astype(np.int32),
            "account_id": pa.array(
                np.concatenate([held.number[account], np.full(len(borrower), NO_ACCOUNT)]).astype(np.int32), mask=credit
            ),
            "card_type": labels(credit.astype(np.int64), ("Debit", "Credit")),
            "network": labels(_networks(random, credit), NETWORKS),
            "status": labels(np.where(expiry < plan.today, 2, blocked.astype(np.int64)), STATUSES),
            "issued_date": dates(issued),
            "expiry_date": dates(expiry),
            "credit_limit": decimals(limit, missing=~credit),
            "outstanding_amount": decimals(used, missing=~credit),
        }
    )


def _debit_accounts(random: np.random.Generator, people: Customers, held: Accounts) -> np.ndarray:
    personal = (held.type == SAVINGS) | ((held.type == CURRENT) & (people.segment[held.customer] != CORPORATE))
    return np.flatnonzero(personal & np.isnat(held.closed) & (random.random(len(held)) < 0.68))


def _credit_customers(random: np.random.Generator, people: Customers) -> np.ndarray:
    eligible = np.isin(people.segment, (RETAIL, PREMIUM, NRI)) & (people.score > 680)
    chance = np.where(people.segment == PREMIUM, 0.5, 0.16) * (people.income > 30_000_000)
    return np.flatnonzero(eligible & (random.random(len(people)) < chance))


def _networks(random: np.random.Generator, credit: np.ndarray) -> np.ndarray:
    luck = random.random(len(credit))
    debit = np.select([luck < 0.58, luck < 0.84], [0, 1], 2)
    return np.where(credit, np.select([luck < 0.2, luck < 0.65], [0, 1], 2), debit)
