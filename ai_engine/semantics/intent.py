"""The structured question: what is asked, in the words of the semantic model, before any SQL.

Both models produce it, the compiler turns it into SQL, follow-up questions edit it. Everything is resolved here:
periods are absolute dates, values are spelled as stored, and a field that can be reached by several paths says which.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

from ai_engine.semantics.model import Aggregate

Grain: TypeAlias = Literal[
    "hour", "day", "week", "month", "quarter", "year", "fiscal_quarter", "fiscal_year",  # truncated, in order of time
    "hour_of_day", "weekday", "day_of_month", "month_of_year",  # parts, cyclic; weekday 1 = Monday
    "age_years",  # whole years from the field's date to the as-of date
]  # fmt: skip
Comparison: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">="]
Operator: TypeAlias = Literal[
    "=", "!=", "<", "<=", ">", ">=", "in", "not in", "between", "is null", "is not null",
    "contains", "not contains", "starts with", "not starts with", "ends with", "not ends with",
]  # fmt: skip
Value: TypeAlias = bool | int | Decimal | datetime | date | str
Transform: TypeAlias = Literal[
    "share_of_total",  # percent of the column's total
    "running_total",  # cumulative along the first time dimension
    "change",  # against the previous row in time, or against the comparison period
    "change_percent",
    "rolling_average",  # mean over `window` rows ending at this one
    "rolling_sum",  # total over the same rows
    "rank",
]


_Part = TypeVar("_Part")


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FieldRef(_Value):
    """A field of a dataset, seen at a grain where it is a time.

    `via` names the relationships to walk from the asking dataset; empty means the only, shortest or preferred path.
    `since` makes of a date the number of days from another one, of the same row or of one that it belongs to.
    """

    dataset: str
    field: str
    via: tuple[str, ...] = ()
    grain: Grain | None = None
    since: FieldRef | None = None


class Measure(_Value):
    """One figure: a `metric` of the vocabulary, or an `aggregate` of a `field` or of the rows of a `dataset`.

    `filters` narrow this figure alone ("female customers" beside all). `quantile` (0-1) goes with aggregate "median" to
    ask for another percentile. `weight` makes an "avg" a weighted one. `denominator` makes a ratio, `percent`
    multiplies it by 100. `minus` is taken off instead; rows that one side lacks add nothing to it. `shown_in` divides
    the figure by what it is counted in: 100000 for lakhs. `transform` is applied after grouping.
    """

    metric: str | None = None
    aggregate: Aggregate | None = None
    field: FieldRef | None = None
    dataset: str | None = None
    quantile: float | None = None
    filters: tuple[Filter, ...] = ()
    weight: FieldRef | None = None
    denominator: Measure | None = None
    minus: Measure | None = None
    percent: bool = False
    shown_in: Decimal | None = None
    transform: Transform | None = None
    window: int | None = None
    label: str | None = None


class Dimension(_Value):
    """What the figures are grouped by; `edges` cut a number into bands: below e1, e1 to below e2, ..., en and over."""

    field: FieldRef
    edges: tuple[Decimal, ...] = ()


class Condition(_Value):
    """A field compared with values, with another field (`other`), or with a figure over all rows (`versus`).

    `times` is what the other field is multiplied by first: above 0.6 times the limit.
    """

    kind: Literal["condition"] = "condition"
    field: FieldRef
    operator: Operator
    values: tuple[Value, ...] = ()
    other: FieldRef | None = None
    times: Decimal | None = None
    versus: Measure | None = None


class Membership(_Value):
    """The subject has related rows of `dataset` that satisfy `filters`.

    Without bounds: at least one, or none when `negated`. `at_least` and `at_most` count related rows.
    `via` as in FieldRef, walked from the subject.
    """

    kind: Literal["membership"] = "membership"
    dataset: str
    negated: bool = False
    at_least: int | None = None
    at_most: int | None = None
    filters: tuple[Filter, ...] = ()
    via: tuple[str, ...] = ()


class AnyOf(_Value):
    """At least one of several filters holds."""

    kind: Literal["any"] = "any"
    filters: tuple[Filter, ...]


Filter: TypeAlias = Condition | Membership | AnyOf


class Period(_Value):
    """Days from `start` up to but not including `end`; None leaves that side open.

    `field` None dates every measure by its own time field. `until` is the last day that the data can cover, where that
    lies before the end: a period that is not over, or data that ends earlier, also before the start.
    """

    start: date | None = None
    end: date | None = None
    label: str
    field: FieldRef | None = None
    until: date | None = None


class Having(_Value):
    """Groups are kept when a measure compares so; `measure` need not be one that is shown."""

    measure: Measure
    operator: Comparison
    value: Decimal | None = None
    versus: Measure | None = None


class Order(_Value):
    """Sort by a measure, or by a field that is a dimension or a listed column."""

    measure: Measure | None = None
    field: FieldRef | None = None
    descending: bool = False


class Intent(_Value):
    """One question.

    With measures: one row per combination of dimensions. Without: a list of the subject's rows, showing `columns`
    (the dataset's display fields when empty).

    `subject` is the dataset whose rows are listed, or the things that dimensions stand for.
    `compare` adds the same figures for another period. `limit_within` makes `limit` apply to each group of those
    fields. `skip` leaves out that many rows before the first that `limit` shows: the second largest is `skip` 1 and
    `limit` 1.
    `with_ties` keeps rows equal to the last one. `fill_gaps` shows missing steps of a time series as zero, and
    every thing that is grouped by, also one to which no rows belong; what cannot be kept so is refused.
    `over_groups` answers in one row about the groups that `having` and `limit` leave: how many there are ("count"), or
    that aggregate of each measure over them.
    """

    subject: str | None = None
    measures: tuple[Measure, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    columns: tuple[FieldRef, ...] = ()
    distinct: bool = False
    filters: tuple[Filter, ...] = ()
    period: Period | None = None
    compare: Literal["previous_period", "same_period_last_year"] | None = None
    having: tuple[Having, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    skip: int = 0
    limit_within: tuple[FieldRef, ...] = ()
    with_ties: bool = False
    fill_gaps: bool = False
    over_groups: Literal["count", "sum", "avg", "min", "max"] | None = None


FieldRef.model_rebuild()
Measure.model_rebuild()
Membership.model_rebuild()
AnyOf.model_rebuild()


def parts_of(intent: Intent, kind: type[_Part]) -> list[_Part]:
    """Return every part of this kind, however deep it lies."""
    found: list[_Part] = []

    def walk(value: object) -> None:
        if isinstance(value, kind):
            found.append(value)
        if isinstance(value, tuple):
            for part in value:
                walk(part)
        elif hasattr(value, "model_fields_set"):
            for part in vars(value).values():
                walk(part)

    walk(intent)
    return found
