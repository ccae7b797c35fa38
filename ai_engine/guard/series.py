"""generate_series and range in FROM: the only table functions, and only between constants."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written

_DAYS_PER_UNIT = {"MICROSECOND": 1e-6 / 86400, "MILLISECOND": 1e-3 / 86400, "SECOND": 1 / 86400, "MINUTE": 1 / 1440} | {
    **{"HOUR": 1 / 24, "DAY": 1, "WEEK": 7, "MONTH": 28, "QUARTER": 90, "YEAR": 365, "DECADE": 3650, "CENTURY": 36500}
}
_SERIES = (exp.GenerateSeries, exp.ExplodingGenerateSeries)
_NOT_CONSTANT = "a series must run between constants, such as generate_series(1, 12)"


def series_of(table: exp.Table, max_rows: int) -> tuple[str, int] | None:
    """The engine's own name for the column of a series, and how many rows it has at most; None for anything else.

    Raises:
        SqlRejected: the series is not constant, or longer than `max_rows`.
    """
    series = table.this
    if not isinstance(series, _SERIES):
        return None
    extra = [arg for arg, value in table.args.items() if value and arg not in {"this", "alias"}]
    if extra:
        raise refuse("a series may only be given an alias", written(series))
    first, last, step = (series.args.get(arg) for arg in ("start", "end", "step"))
    if last is None:
        first, last = exp.Literal.number(0), first
    length = abs(_position(last) - _position(first))
    stride = _stride(step) if step is not None else 1.0
    if stride <= 0 or length / stride + 1 > max_rows:
        raise refuse(f"a series may have at most {max_rows} rows", written(series))
    return "range" if series.args.get("is_end_exclusive") else "generate_series", int(length / stride) + 1


def _position(value: exp.Expr | None) -> float:
    """Where a bound lies: numbers as they are, dates and timestamps in days."""
    sign = 1.0
    while isinstance(value, (exp.Paren, exp.Neg)):
        sign = -sign if isinstance(value, exp.Neg) else sign
        value = value.this
    if isinstance(value, exp.Cast):
        value = value.this
    if not isinstance(value, exp.Literal):
        raise refuse(_NOT_CONSTANT, written(value) if value is not None else "")
    if not value.is_string:
        return sign * float(value.this)
    try:
        moment = datetime.fromisoformat(value.this)
    except ValueError as error:
        raise refuse(_NOT_CONSTANT, value.this) from error
    naive = moment.replace(tzinfo=None)
    return (naive - datetime.combine(date(1970, 1, 1), naive.time().min)) / timedelta(days=1)


def _stride(step: exp.Expr) -> float:
    value = step.this if isinstance(step, exp.Cast) else step
    if isinstance(value, exp.Literal) and value.is_string:
        value = exp.to_interval(value)
    if isinstance(value, exp.Interval):
        unit = value.args.get("unit")
        amount = value.this
        if isinstance(amount, exp.Literal) and unit is not None and amount.this.isdecimal():
            return float(amount.this) * _DAYS_PER_UNIT.get(unit.name.upper().removesuffix("S"), 0.0)
        raise refuse(_NOT_CONSTANT, written(step))
    return abs(_position(value))
