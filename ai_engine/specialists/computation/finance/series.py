"""Values in order of time: averages, growth, and forecasts with the error they would have made."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.specialists.computation.finance.exact import exact_list

_SHARE_HELD_BACK = 4  # a quarter of the values tests the forecast


def moving_average(values: list[Decimal], window: int) -> list[Decimal | None]:
    """Return the mean of each value and those before it.

    Args:
        values: in order of time.
        window: values that each mean is taken of, 1 to `len(values)`.

    Returns:
        As many as `values`; None where fewer than `window` values have come.

    Raises:
        ValueError: the window does not fit.
    """
    numbers = exact_list(values)
    if not 1 <= window <= len(numbers):
        raise ValueError(f"the window must be between 1 and {len(numbers)}")
    means: list[Decimal | None] = [None] * (window - 1)
    for end in range(window, len(numbers) + 1):
        means.append(sum(numbers[end - window : end], Decimal(0)) / window)
    return means


def growth_percent(values: list[Decimal]) -> list[Decimal | None]:
    """Return the change of each value against the one before it, in percent.

    Args:
        values: in order of time.

    Returns:
        As many as `values`; None for the first and where the one before is 0.
    """
    numbers = exact_list(values)
    changes: list[Decimal | None] = [None] * min(1, len(numbers))
    for i in range(1, len(numbers)):
        before = numbers[i - 1]
        changes.append((numbers[i] - before) / abs(before) * 100 if before else None)
    return changes


def share_percent(values: list[Decimal]) -> list[Decimal]:
    """Return the part of each value in their sum, in percent.

    Raises:
        ValueError: the values add up to 0, or some are below 0, so that shares mean nothing.
    """
    numbers = exact_list(values)
    total = sum(numbers, Decimal(0))
    if total == 0 or any(number < 0 for number in numbers):
        raise ValueError("shares need values of 0 or above that do not add up to 0")
    return [number / total * 100 for number in numbers]


def linear_forecast(values: list[Decimal], ahead: int) -> dict[str, object]:
    """Carry on the straight line that fits values best.

    Args:
        values: in order of time, equal steps apart; at least 3.
        ahead: steps to forecast, 1 to `len(values)`.

    Returns:
        `forecast` (list of `ahead` values), `slope` per step, `start` (the line at the first value), and how it would
        have done: `error` is the mean absolute error over the last `tested_on` values, forecast from those before
        them; None where too few values are left to try.

    Raises:
        ValueError: too few values, or more steps ahead than values.

    Source: ordinary least squares on the number of the step.
    """
    numbers = exact_list(values)
    _check_forecast(numbers, ahead, 3)
    start, slope = _line(numbers)
    forecast = [start + slope * (len(numbers) + step) for step in range(ahead)]
    error = None
    held = max(1, len(numbers) // _SHARE_HELD_BACK)
    if len(numbers) - held >= 3:
        known = numbers[:-held]
        past_start, past_slope = _line(known)
        guessed = [past_start + past_slope * (len(known) + step) for step in range(held)]
        error = _mean_absolute_error(guessed, numbers[-held:])
    return {"forecast": forecast, "slope": slope, "start": start, "error": error, "tested_on": held}


def seasonal_forecast(values: list[Decimal], ahead: int, season: int) -> dict[str, object]:
    """Repeat the values of the last season: the seasonal naive forecast.

    Args:
        values: in order of time, equal steps apart; at least one season.
        ahead: steps to forecast, 1 to `len(values)`.
        season: steps after which the pattern repeats: 12 for months of a year, 4 for quarters, 7 for weekdays.

    Returns:
        `forecast`, and `error` and `tested_on` as in `linear_forecast`: each value of the last season against the one
        a season earlier; None where there is only one season.

    Raises:
        ValueError: too few values, or more steps ahead than values.

    Source: Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 3rd edition, section 5.2.
    """
    numbers = exact_list(values)
    if season < 1:
        raise ValueError("a season has at least one step")
    _check_forecast(numbers, ahead, season)
    last = numbers[-season:]
    forecast = [last[step % season] for step in range(ahead)]
    tested = min(season, len(numbers) - season)
    error = None
    if tested > 0:
        earlier = numbers[len(numbers) - tested - season : len(numbers) - season]
        error = _mean_absolute_error(earlier, numbers[-tested:])
    return {"forecast": forecast, "error": error, "tested_on": tested}


def _check_forecast(values: list[Decimal], ahead: int, fewest: int) -> None:
    if len(values) < fewest:
        raise ValueError(f"a forecast needs at least {fewest} values, there are {len(values)}")
    if not 1 <= ahead <= len(values):
        raise ValueError(f"{len(values)} values allow a forecast of 1 to {len(values)} steps")


def _line(values: list[Decimal]) -> tuple[Decimal, Decimal]:
    """Least squares on steps 0, 1, 2 ...: value at step 0, and slope."""
    n = len(values)
    mean_step = Decimal(n - 1) / 2
    mean = sum(values, Decimal(0)) / n
    together = sum(((step - mean_step) * (value - mean) for step, value in enumerate(values)), Decimal(0))
    spread = sum(((step - mean_step) ** 2 for step in range(n)), Decimal(0))
    slope = together / spread
    return mean - slope * mean_step, slope


def _mean_absolute_error(guessed: list[Decimal], real: list[Decimal]) -> Decimal:
    total = Decimal(0)
    for guess, value in zip(guessed, real, strict=True):
        total += abs(guess - value)
    return total / len(real)
