"""What people and firms do on their accounts in a month: chances, sizes and channels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.generate import entries as e


@dataclass(frozen=True)
class Habit:
    """One kind of entry.

    Attributes:
        chance: share among the account's entries.
        size: median amount as a share of the account's monthly turnover.
        spread: standard deviation of the amount's logarithm.
        channels: channel → chance; large amounts move to NEFT and RTGS afterwards.
        step: amounts are multiples of this, paise.
    """

    type: int
    credit: bool
    chance: float
    size: float
    spread: float
    channels: dict[int, float]
    step: int = 100


PAYMENT = {e.UPI: 0.79, e.CARD: 0.21}
BILLS = {e.UPI: 0.66, e.NET_BANKING: 0.24, e.CARD: 0.1}
PERSONAL = {e.UPI: 0.78, e.IMPS: 0.12, e.NEFT: 0.1}
TRADE = {e.NEFT: 0.38, e.UPI: 0.38, e.IMPS: 0.1, e.BRANCH: 0.14}
BANKED = {e.NEFT: 0.8, e.BRANCH: 0.2}
OUT_OF_HAND = {e.ATM: 0.86, e.BRANCH: 0.14}
OVER_COUNTER = {e.BRANCH: 0.8, e.ATM: 0.2}
ONLINE = {e.NET_BANKING: 1.0}
AUTOMATIC = {e.SYSTEM: 1.0}
NOTES = 10_000

SALARY_HABITS = (
    Habit(e.PURCHASE, False, 0.60, 0.022, 0.9, PAYMENT),
    Habit(e.BILL, False, 0.12, 0.025, 0.6, BILLS),
    Habit(e.WITHDRAWAL, False, 0.09, 0.07, 0.5, OUT_OF_HAND, NOTES),
    Habit(e.TRANSFER, False, 0.12, 0.07, 0.8, PERSONAL),
    Habit(e.TRANSFER, True, 0.06, 0.08, 0.8, PERSONAL),
    Habit(e.FEE, False, 0.01, 0.0015, 0.4, AUTOMATIC),
)
SAVER_HABITS = (
    Habit(e.PURCHASE, False, 0.40, 0.06, 0.9, PAYMENT),
    Habit(e.BILL, False, 0.10, 0.06, 0.6, BILLS),
    Habit(e.WITHDRAWAL, False, 0.10, 0.25, 0.5, OUT_OF_HAND, NOTES),
    Habit(e.TRANSFER, False, 0.15, 0.45, 0.9, PERSONAL),
    Habit(e.TRANSFER, True, 0.16, 0.55, 0.9, PERSONAL),
    Habit(e.CASH_DEPOSIT, True, 0.08, 0.6, 0.6, OVER_COUNTER, NOTES),
    Habit(e.FEE, False, 0.01, 0.004, 0.4, AUTOMATIC),
)
BUSINESS_HABITS = (
    Habit(e.RECEIPT, True, 0.46, 0.24, 0.9, TRADE),
    Habit(e.VENDOR, False, 0.28, 0.37, 0.8, TRADE),
    Habit(e.PAYROLL, False, 0.05, 0.35, 0.4, BANKED),
    Habit(e.TAX, False, 0.03, 0.18, 0.5, ONLINE),
    Habit(e.BILL, False, 0.08, 0.02, 0.6, BILLS),
    Habit(e.CASH_DEPOSIT, True, 0.05, 0.08, 0.6, OVER_COUNTER, NOTES),
    Habit(e.WITHDRAWAL, False, 0.03, 0.03, 0.4, {e.BRANCH: 1.0}, NOTES),
    Habit(e.FEE, False, 0.02, 0.0006, 0.4, AUTOMATIC),
)
LARGE_HABITS = (
    Habit(e.RECEIPT, True, 0.45, 0.12, 0.6, BANKED),
    Habit(e.VENDOR, False, 0.42, 0.112, 0.6, BANKED),
    Habit(e.PAYROLL, False, 0.05, 0.1, 0.3, BANKED),
    Habit(e.TAX, False, 0.05, 0.12, 0.4, ONLINE),
    Habit(e.FEE, False, 0.03, 0.00001, 0.4, AUTOMATIC),
)
# By accounts.use: SALARY, SAVER, BUSINESS, LARGE; with the mean number of entries per month.
BY_USE = ((SALARY_HABITS, 4.6), (SAVER_HABITS, 0.42), (BUSINESS_HABITS, 2.2), (LARGE_HABITS, 14.0))

# Chance of each merchant category in ordinary weeks and before Diwali, and its price level.
CATEGORY_CHANCE = np.array([24, 16, 9, 8, 4, 5, 6, 6, 1.5, 14, 0, 0, 2.5, 4.0])
FESTIVE_CHANCE = np.array([22, 13, 7, 16, 10, 6, 3, 5, 7, 18, 0, 0, 1.5, 1.5])
PRICE_LEVEL = np.array([0.7, 0.6, 0.9, 1.4, 3.2, 2.6, 1.2, 0.6, 6.0, 1.2, 1.0, 0.5, 2.2, 2.5])
BILL_CHANCE = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 52, 34, 9, 5.0])
