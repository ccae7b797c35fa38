"""The bank's year: festivals, year ends, salary days, hours of the day."""

from __future__ import annotations

import numpy as np

# Diwali by year; other years take the last week of October.
DIWALI = {
    2020: "2020-11-14", 2021: "2021-11-04", 2022: "2022-10-24", 2023: "2023-11-12", 2024: "2024-10-31",
    2025: "2025-10-20", 2026: "2026-11-08", 2027: "2027-10-29", 2028: "2028-10-17", 2029: "2029-11-05",
    2030: "2030-10-26",
}  # fmt: skip
MONTH_FACTOR = (0.98, 0.9, 1.14, 0.97, 0.99, 0.96, 0.96, 1.0, 1.02, 1.06, 1.02, 1.06)
GROWTH_PER_MONTH = 0.008
DAYS_BEFORE_DIWALI = 20

# Weight of each hour, midnight first.
HOURS = np.array([1, 0.5, 0.3, 0.2, 0.3, 1, 2, 4, 6, 8, 10, 10, 9, 8, 7, 7, 8, 9, 10, 10, 9, 7, 4, 2.0])
OFFICE_HOURS = np.array([0] * 10 + [9, 10, 8, 7, 7, 5] + [0] * 8, dtype=float)


def diwali(year: int) -> np.datetime64:
    """Return the day of Diwali."""
    return np.datetime64(DIWALI.get(year, f"{year}-10-28"), "D")


def month_factors(months: np.ndarray) -> np.ndarray:
    """Return how busy each datetime64[M] is: season times growth, mean near 1, shape (n,)."""
    calendar = np.array(MONTH_FACTOR)[months.astype(np.int64) % 12]
    trend = 1 + GROWTH_PER_MONTH * (np.arange(len(months)) - len(months) / 2)
    festive = np.array([diwali(month.astype(object).year).astype("datetime64[M]") == month for month in months])
    return calendar * trend * np.where(festive, 1.3, 1.0)


def days_of(random: np.random.Generator, months: np.ndarray, festive_pull: float = 0.0) -> np.ndarray:
    """Draw a day in each datetime64[M]; in Diwali's month some move into the weeks before it.

    `festive_pull` is the share of entries that do so, 0-1.
    """
    start = months.astype("datetime64[D]")
    length = ((months + 1).astype("datetime64[D]") - start).astype(np.int64)
    days = start + (random.random(len(months)) * length).astype(np.int64)
    if not festive_pull:
        return days
    years, position = np.unique(months.astype("datetime64[Y]"), return_inverse=True)
    feast = np.array([diwali(1970 + int(year)) for year in years.astype(np.int64)], dtype="datetime64[D]")[position]
    pulled = (feast.astype("datetime64[M]") == months) & (random.random(len(months)) < festive_pull)
    before = feast - (random.random(len(months)) * DAYS_BEFORE_DIWALI).astype(np.int64)
    return np.where(pulled, np.maximum(before, start), days)


def seconds_of(random: np.random.Generator, count: int, hours: np.ndarray = HOURS) -> np.ndarray:
    """Draw times of day in seconds, shape (count,), by the weight of each hour."""
    edges = np.cumsum(hours / hours.sum())
    hour = np.searchsorted(edges, random.random(count), side="right").clip(max=23)
    return hour * 3600 + random.integers(0, 3600, count)


def salary_day(months: np.ndarray, habit: np.ndarray) -> np.ndarray:
    """Return pay day by employer habit: 0 the last day of the month, else that day; Sundays move back a day."""
    last = (months + 1).astype("datetime64[D]") - 1
    days = np.where(habit == 0, last, months.astype("datetime64[D]") + habit - 1)
    return np.where(is_sunday(days) & (habit != 1), days - 1, days)


def is_sunday(days: np.ndarray) -> np.ndarray:
    """Tell Sundays; 1 January 1970 was a Thursday."""
    return (days.astype(np.int64) + 4) % 7 == 0
