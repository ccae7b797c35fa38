"""From flows to books: openings that cover what follows, interest, closings, balances."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from data.generate import accounts as a
from data.generate import entries as e
from data.generate.accounts import Accounts
from data.generate.arrow import dates, decimals, labels
from data.generate.entries import Entries, entries, together
from data.generate.flows import everyday
from data.generate.plan import Plan

OPENING_SECOND = 9 * 3600 + 1800
CLOSING_SECOND = 17 * 3600
LEAST_BALANCE = 50_000


@dataclass(frozen=True)
class Ledger:
    """The booked entries of a block, by account and time.

    Attributes:
        starts: position of each account's first entry, shape (accounts + 1,).
        running: balance after each entry, paise.
    """

    entries: Entries
    starts: np.ndarray
    running: np.ndarray

    def balance_at(self, account: np.ndarray, day: np.ndarray) -> np.ndarray:
        """Return end-of-day balances in paise; 0 before the first entry. `day` counts days since 1970."""
        position = self.position_after(account, day)
        return np.where(position > self.starts[account], self.running[position - 1], 0)

    def position_after(self, account: np.ndarray, day: np.ndarray) -> np.ndarray:
        """Return the position behind the account's last entry up to and including the day."""
        keys = self.entries.account * 40_000 + self.entries.day
        return np.searchsorted(keys, account * 40_000 + day, side="right")

    @property
    def closing(self) -> np.ndarray:
        """Final balance of every account."""
        return self.running[self.starts[1:] - 1]


def book(found: Entries, accounts: int) -> Ledger:
    """Order entries and run the balances; every account has at least one entry."""
    ordered = found.in_order()
    starts = np.searchsorted(ordered.account, np.arange(accounts + 1))
    total = np.cumsum(ordered.effect)
    before = np.concatenate([[0], total])[starts[:-1]]
    return Ledger(ordered, starts, total - np.repeat(before, np.diff(starts)))


def ledger(plan: Plan, block: Accounts, index: int) -> Ledger:
    """Make every entry of a block of accounts; `index` picks its random stream."""
    random = plan.random("entries", index)
    months = np.arange(plan.window_start.astype("datetime64[M]"), plan.today.astype("datetime64[M]") + 1)
    flows = together([everyday(random, block, months), _instalments(plan, block)])
    first = np.maximum(block.opened, plan.window_start).astype(np.int64)
    last = np.where(np.isnat(block.closed), plan.today.astype(np.int64), block.closed.astype(np.int64) - 1)
    flows = flows.where((flows.day > first[flows.account]) & (flows.day <= last[flows.account]))
    opened = together([_openings(plan, random, block), flows])
    covered = _cover(book(opened, len(block)), len(block))
    with_interest = together([covered.entries, _interest(plan, block, covered)])
    booked = book(with_interest, len(block))
    return book(together([booked.entries, _closings(block, booked)]), len(block))


def transactions_table(books: Ledger, block: Accounts, first_id: int) -> pa.Table:
    """Return the transactions rows of a block, numbered from `first_id`."""
    rows = books.entries
    moments = (rows.day * 86_400 + rows.second).astype("datetime64[s]")
    return pa.table(
        {
            "transaction_id": np.arange(first_id, first_id + len(rows), dtype=np.int32),
            "account_id": block.number[rows.account].astype(np.int32),
            "posted_at": pa.array(moments, type=pa.timestamp("s")),
            "amount": decimals(rows.amount),
            "direction": labels(rows.credit.astype(np.int64), ("Debit", "Credit")),
            "transaction_type": labels(rows.type, e.TYPES),
            "channel": labels(rows.channel, e.CHANNELS),
            "merchant_category": labels(rows.category, e.CATEGORIES),
            "status": labels(rows.status, e.STATUSES),
        }
    )


def last_used(books: Ledger) -> np.ndarray:
    """Return the day of each account's last entry that its customer caused, datetime64[D]."""
    own = ~np.isin(books.entries.type, (*e.BANK_CAUSED, e.BROUGHT_FORWARD))
    days = np.where(own, books.entries.day, 0)
    return np.maximum.reduceat(days, books.starts[:-1]).astype("datetime64[D]")


def _openings(plan: Plan, random: np.random.Generator, block: Accounts) -> Entries:
    """The deposit that opens an account, or the balance brought forward into the window."""
    older = block.opened < plan.window_start
    noise = np.exp(0.9 * random.standard_normal(len(block)))
    transactional = np.isin(block.type, (a.SAVINGS, a.CURRENT))
    saved = np.where(older, 2.6, 0.9)
    months_kept = np.select([block.use == a.SALARY, block.use == a.SAVER], [1.7, saved], 0.6)
    kept = (block.turnover * months_kept * noise / 10_000).round().astype(np.int64) * 10_000 + LEAST_BALANCE
    paid = np.maximum((plan.window_start.astype("M8[M]") - block.opened.astype("M8[M]")).astype(np.int64), 0) + 1
    placed = np.where(block.use == a.INSTALMENT, block.turnover * paid, block.turnover)
    amount = np.where(transactional, kept, placed)
    channel = np.where(older, e.SYSTEM, np.where(amount > 20_000_000, e.NEFT, e.BRANCH))
    return entries(
        np.arange(len(block)),
        np.maximum(block.opened, plan.window_start),
        np.where(older, 0, OPENING_SECOND),
        amount,
        credit=True,
        type_=np.where(older, e.BROUGHT_FORWARD, e.OPENING),
        channel=channel,
    )


def _instalments(plan: Plan, block: Accounts) -> Entries:
    """Monthly payments into recurring deposits, on the day of the month they were opened."""
    members = np.flatnonzero(block.use == a.INSTALMENT)
    who, number = (axis.ravel() for axis in np.indices((len(members), 60)))
    account = members[who]
    day = a.add_months(block.opened[account], number + 1)
    due = (day > plan.window_start) & (day < block.maturity[account]) & (day <= plan.today)
    account, day = account[due], day[due]
    return entries(
        account, day, 4 * 3600, block.turnover[account], credit=True, type_=e.RD_INSTALMENT, channel=e.SYSTEM
    )


def _cover(books: Ledger, accounts: int) -> Ledger:
    """Raise openings so that no balance ever falls below the least balance."""
    lowest = np.minimum.reduceat(books.running, books.starts[:-1])
    short = np.maximum(LEAST_BALANCE - lowest, 0)
    amount = books.entries.amount.copy()
    amount[books.starts[:-1]] += -(-short // 100_000) * 100_000
    return book(replace(books.entries, amount=amount), accounts)


def _interest(plan: Plan, block: Accounts, books: Ledger) -> Entries:
    """Simple interest on the mean balance of each half-year, credited on 31 March and 30 September."""
    years = range(plan.window_start.astype(object).year, plan.as_of.year + 1)
    ends = [np.datetime64(f"{year}-{day}", "D") for year in years for day in ("03-31", "09-30")]
    parts = []
    for end in ends:
        if not plan.window_start < end <= plan.today:
            continue
        start = end.astype("datetime64[M]") - 5
        first = np.maximum(np.maximum(block.opened, plan.window_start), start.astype("datetime64[D]"))
        alive = (first < end) & (np.isnat(block.closed) | (block.closed > end)) & (block.rate > 0)
        account = np.flatnonzero(alive)
        total = balance_days(
            books, account, first[account].astype(np.int64), np.full(len(account), end.astype(np.int64))
        )
        amount = (total * (block.rate[account] / (10_000 * 365))).round().astype(np.int64)
        paid = amount > 0
        parts.append(
            entries(
                account[paid],
                np.full(int(paid.sum()), end),
                86_340,
                amount[paid],
                credit=True,
                type_=e.INTEREST,
                channel=e.SYSTEM,
            )
        )
    return together(parts) if parts else books.entries.where(np.zeros(len(books.entries), dtype=bool))


def _closings(block: Accounts, books: Ledger) -> Entries:
    """Pay out what is left on the day an account closes."""
    account = np.flatnonzero(~np.isnat(block.closed))
    amount = books.closing[account]
    deposit = np.isin(block.type[account], (a.FIXED, a.RECURRING))
    return entries(
        account,
        block.closed[account],
        CLOSING_SECOND,
        amount,
        credit=False,
        type_=np.where(deposit, e.PAYOUT, e.CLOSURE),
        channel=np.where(deposit, e.SYSTEM, np.where(amount > 20_000_000, e.RTGS, e.NEFT)),
    )


def balance_days(books: Ledger, account: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return the sum of the end-of-day balances from `first` to `last`, both included (days since 1970), paise days."""
    effect = books.entries.effect
    begin, end = books.position_after(account, first - 1), books.position_after(account, last)
    moved = np.concatenate([[0], np.cumsum(effect)])
    weighted = np.concatenate([[0], np.cumsum(effect * (books.entries.day - books.entries.day.min()))])
    carried = books.balance_at(account, first - 1) * (last - first + 1)
    within = (moved[end] - moved[begin]) * (last - books.entries.day.min() + 1) - (weighted[end] - weighted[begin])
    return carried + within


def monthly_balances_table(plan: Plan, books: Ledger, block: Accounts) -> pa.Table:
    """Return one row per account and month end in the window on which it was open."""
    months = np.arange(plan.window_start.astype("datetime64[M]"), (plan.today + 1).astype("datetime64[M]"))
    ends = (months + 1).astype("datetime64[D]") - 1
    account, when = (axis.ravel() for axis in np.indices((len(block), len(months))))
    closed = np.where(np.isnat(block.closed), np.datetime64("9999-12-31"), block.closed)
    opened = np.maximum(block.opened, plan.window_start)
    open_then = (opened[account] <= ends[when]) & (closed[account] > ends[when])
    account, when = account[open_then], when[open_then]
    last = ends[when].astype(np.int64)
    first = np.maximum(opened[account], months[when].astype("datetime64[D]")).astype(np.int64)
    days = last - first + 1
    begin, end = books.position_after(account, first - 1), books.position_after(account, last)
    effect = books.entries.effect
    credits_, debits = (np.concatenate([[0], np.cumsum(np.maximum(part, 0))]) for part in (effect, -effect))
    return pa.table(
        {
            "account_id": block.number[account].astype(np.int32),
            "month_end": dates(ends[when]),
            "closing_balance": decimals(books.balance_at(account, last)),
            "average_balance": decimals((2 * balance_days(books, account, first, last) + days) // (2 * days)),
            "total_credits": decimals(credits_[end] - credits_[begin]),
            "total_debits": decimals(debits[end] - debits[begin]),
        }
    )
