"""Account entries as columns, before they are numbered and booked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

CHANNELS = ("UPI", "NEFT", "RTGS", "IMPS", "Card", "ATM", "Branch", "Net Banking", "System")
UPI, NEFT, RTGS, IMPS, CARD, ATM, BRANCH, NET_BANKING, SYSTEM = range(9)
TYPES = (
    "Opening Deposit",
    "Balance Brought Forward",
    "Salary",
    "Purchase",
    "Bill Payment",
    "Transfer",
    "Cash Withdrawal",
    "Cash Deposit",
    "Customer Receipt",
    "Vendor Payment",
    "Payroll",
    "Tax Payment",
    "RD Instalment",
    "Interest",
    "Fee",
    "Maturity Payout",
    "Account Closure",
)
(
    OPENING, BROUGHT_FORWARD, SALARY, PURCHASE, BILL, TRANSFER, WITHDRAWAL, CASH_DEPOSIT, RECEIPT, VENDOR, PAYROLL, TAX,
    RD_INSTALMENT, INTEREST, FEE, PAYOUT, CLOSURE,
) = range(17)  # fmt: skip
BANK_CAUSED = (INTEREST, FEE)
CATEGORIES = (
    "Groceries", "Restaurants", "Fuel", "Apparel", "Electronics", "Travel", "Healthcare", "Entertainment", "Jewellery",
    "Online Shopping", "Utilities", "Telecom", "Insurance", "Education",
)  # fmt: skip
STATUSES = ("Posted", "Failed", "Reversed")
POSTED, FAILED, REVERSED = range(3)
NO_CATEGORY = -1


@dataclass(frozen=True)
class Entries:
    """Columns of equal length.

    Attributes:
        account: position in the block.
        day: days since 1970.
        second: second of the day.
        amount: paise, positive.
        credit: money in.
        type, channel, category, status: positions in the tuples above; category -1 for none.
    """

    account: np.ndarray
    day: np.ndarray
    second: np.ndarray
    amount: np.ndarray
    credit: np.ndarray
    type: np.ndarray
    channel: np.ndarray
    category: np.ndarray
    status: np.ndarray

    def __len__(self) -> int:
        return len(self.account)

    def where(self, mask_or_order: np.ndarray) -> Entries:
        """Return the chosen entries: a mask, or positions in the order wanted."""
        return Entries(*(getattr(self, item.name)[mask_or_order] for item in fields(self)))

    def in_order(self) -> Entries:
        """Return the entries by account and time."""
        return self.where(np.argsort((self.account * 40_000 + self.day) * 86_400 + self.second, kind="stable"))

    @property
    def effect(self) -> np.ndarray:
        """What each does to the balance, paise; nothing unless posted."""
        return np.where(self.status == POSTED, np.where(self.credit, self.amount, -self.amount), 0)


def entries(
    account: np.ndarray,
    day: np.ndarray,
    second: np.ndarray | int,
    amount: np.ndarray,
    *,
    credit: np.ndarray | bool,
    type_: np.ndarray | int,
    channel: np.ndarray | int,
) -> Entries:
    """Return posted entries without merchant; scalars are repeated. `day` is datetime64[D]."""

    def column(value: np.ndarray | int | bool, dtype: type) -> np.ndarray:
        return np.broadcast_to(np.asarray(value), account.shape).astype(dtype)

    return Entries(
        account=account.astype(np.int64),
        day=day.astype("datetime64[D]").astype(np.int64),
        second=column(second, np.int64),
        amount=amount.astype(np.int64),
        credit=column(credit, bool),
        type=column(type_, np.int8),
        channel=column(channel, np.int8),
        category=column(NO_CATEGORY, np.int8),
        status=column(POSTED, np.int8),
    )


def together(parts: Sequence[Entries]) -> Entries:
    """Return all entries of several sets."""
    return Entries(*(np.concatenate([getattr(part, item.name) for part in parts]) for item in fields(Entries)))
