"""Everyday entries on savings and current accounts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from data.generate import accounts as a
from data.generate import entries as e
from data.generate.accounts import Accounts
from data.generate.entries import Entries, entries, together
from data.generate.habits import BILL_CHANCE, BY_USE, CATEGORY_CHANCE, FESTIVE_CHANCE, PRICE_LEVEL, Habit
from data.generate.seasons import (
    DAYS_BEFORE_DIWALI,
    OFFICE_HOURS,
    days_of,
    diwali,
    is_sunday,
    month_factors,
    salary_day,
    seconds_of,
)

RTGS_FROM = 20_000_000
UPI_UP_TO = 10_000_000
FAILED_SHARE, REVERSED_SHARE = 0.013, 0.004


def everyday(random: np.random.Generator, block: Accounts, months: np.ndarray) -> Entries:
    """Return the entries of a block's savings and current accounts over whole months (datetime64[M]).

    Days outside an account's life are the caller's to remove.
    """
    parts = [_habitual(random, block, months, use) for use in range(len(BY_USE))]
    parts += [_salaries(random, block, months), _standing_orders(random, block, months)]
    found = together(parts)
    chance = random.random(len(found))
    status = np.select(
        [chance < FAILED_SHARE, chance < FAILED_SHARE + REVERSED_SHARE], [e.FAILED, e.REVERSED], e.POSTED
    )
    customers_own = ~np.isin(found.type, (e.FEE, e.SALARY))
    return replace(found, status=np.where(customers_own, status, e.POSTED).astype(np.int8))


def _habitual(random: np.random.Generator, block: Accounts, months: np.ndarray, use: int) -> Entries:
    habits, per_month = BY_USE[use]
    members = np.flatnonzero(block.use == use)
    mean = per_month * block.liveliness[members][:, None] * month_factors(months)[None, :]
    number = random.poisson(mean)
    who, when = (np.repeat(axis.ravel(), number.ravel()) for axis in np.indices(number.shape))
    edges = np.cumsum([habit.chance for habit in habits])
    choice = np.searchsorted(edges / edges[-1], random.random(len(who)), side="right").clip(max=len(habits) - 1)
    return together(
        [
            _of_habit(random, block, habit, members[who[choice == position]], months[when[choice == position]])
            for position, habit in enumerate(habits)
        ]
    )


def _of_habit(
    random: np.random.Generator, block: Accounts, habit: Habit, account: np.ndarray, month: np.ndarray
) -> Entries:
    count = len(account)
    day = days_of(random, month, festive_pull=0.45 if habit.type == e.PURCHASE else 0.0)
    category = _categories(random, habit.type, day)
    price = PRICE_LEVEL[category] if habit.type == e.PURCHASE else 1.0
    rupees = block.turnover[account] * habit.size * np.exp(habit.spread * random.standard_normal(count)) * price
    amount = np.maximum((rupees / habit.step).round().astype(np.int64), 1) * habit.step
    amount = np.maximum(amount, 1_000)
    if habit.type in (e.PURCHASE, e.BILL):
        odd = random.random(count) < 0.35
        amount += np.where(odd, random.integers(1, 100, count), 0)
    channels = np.array(list(habit.channels))[
        random.choice(len(habit.channels), count, p=list(habit.channels.values()))
    ]
    channel = _rails(random, channels, amount, day)
    second = np.where(channel == e.BRANCH, seconds_of(random, count, OFFICE_HOURS), seconds_of(random, count))
    made = entries(account, day, second, amount, credit=habit.credit, type_=habit.type, channel=channel)
    return replace(made, category=category.astype(np.int8))


def _rails(random: np.random.Generator, channel: np.ndarray, amount: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Move what a channel cannot carry: large sums to NEFT and RTGS, counters closed on Sundays to ATM and online."""
    transfer = np.isin(channel, (e.UPI, e.IMPS, e.NEFT, e.BRANCH, e.NET_BANKING))
    gross = transfer & (amount >= RTGS_FROM) & (random.random(len(amount)) < 0.72)
    channel = np.where((channel == e.UPI) & (amount > UPI_UP_TO), e.NEFT, channel)
    channel = np.where((channel == e.ATM) & (amount > 2_500_000), e.BRANCH, channel)
    channel = np.where(
        (channel == e.BRANCH) & is_sunday(day), np.where(amount > 2_500_000, e.NET_BANKING, e.ATM), channel
    )
    return np.where(gross, e.RTGS, channel)


def _categories(random: np.random.Generator, type_: int, day: np.ndarray) -> np.ndarray:
    count = len(day)
    if type_ == e.BILL:
        return _draw(random, BILL_CHANCE, count)
    if type_ != e.PURCHASE:
        return np.full(count, e.NO_CATEGORY)
    years, position = np.unique(day.astype("datetime64[Y]"), return_inverse=True)
    feast = np.array([diwali(1970 + int(year)) for year in years.astype(np.int64)], dtype="datetime64[D]")[position]
    until = (feast - day).astype(np.int64)
    festive = (until >= 0) & (until < DAYS_BEFORE_DIWALI)
    return np.where(festive, _draw(random, FESTIVE_CHANCE, count), _draw(random, CATEGORY_CHANCE, count))


def _draw(random: np.random.Generator, chance: np.ndarray, count: int) -> np.ndarray:
    edges = np.cumsum(chance / chance.sum())
    return np.searchsorted(edges, random.random(count), side="right").clip(max=len(chance) - 1)


def _salaries(random: np.random.Generator, block: Accounts, months: np.ndarray) -> Entries:
    """One credit a month, a rise every April, a bonus in some Octobers."""
    members = np.flatnonzero(block.use == a.SALARY)
    habit = random.choice((0, 1, 7), len(members), p=(0.55, 0.3, 0.15))
    who, when = (axis.ravel() for axis in np.indices((len(members), len(months))))
    raise_rate = 0.04 + 0.07 * random.random(len(members))
    years = (months[when] + 9).astype("datetime64[Y]").astype(np.int64)
    rise = (1 + raise_rate[who]) ** (years - years.max(initial=0))
    bonus = np.where((months[when].astype(np.int64) % 12 == 9) & (random.random(len(who)) < 0.4), 1.6, 1.0)
    rupees = (block.turnover[members[who]] * rise * bonus / 100).round().astype(np.int64)
    second = 6 * 3600 + random.integers(0, 4 * 3600, len(who))
    day = salary_day(months[when], habit[who])
    return entries(members[who], day, second, rupees * 100, credit=True, type_=e.SALARY, channel=e.NEFT)


def _standing_orders(random: np.random.Generator, block: Accounts, months: np.ndarray) -> Entries:
    """Rent, instalments elsewhere and investments of salaried people, early in the month."""
    members = np.flatnonzero(block.use == a.SALARY)
    share = 0.5 + 0.3 * random.random(len(members))
    who, when = (axis.ravel() for axis in np.indices((len(members), len(months))))
    kept = random.random(len(who)) < 0.85
    who, when = who[kept], when[kept]
    day = months[when].astype("datetime64[D]") + random.integers(1, 10, len(who))
    rupees = (block.turnover[members[who]] * share[who] / 50_000).round().astype(np.int64) * 500
    channel = _rails(random, np.where(random.random(len(who)) < 0.6, e.NEFT, e.IMPS), rupees * 100, day)
    second = seconds_of(random, len(who))
    return entries(
        members[who], day, second, np.maximum(rupees, 500) * 100, credit=False, type_=e.TRANSFER, channel=channel
    )
