"""The structured question: what is asked, in the words of the semantic model, before any SQL.

Both models produce it, the compiler turns it into SQL, follow-up questions edit it. Everything is resolved here:
periods are absolute dates, values are spelled as stored, and a field that can be reached by several paths says which.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict

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
_MOST_DIGITS = 40
_TOO_MANY_DIGITS = f"a number has at most {_MOST_DIGITS} digits before and behind the point"
_MOST_ROWS = 1_000_000_000
FIRST_YEAR, LAST_YEAR = 1000, 9998  # what every database holds, and a day more on either side


_Part = TypeVar("_Part")


def bounded(number: Decimal) -> Decimal:
    """Return a number that can be written out; a short text may stand for one of a thousand million digits.

    Raises:
        ValueError: it is none, or has more digits than any figure of a bank.
    """
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _MOST_DIGITS or abs(number.adjusted()) > _MOST_DIGITS:
        raise ValueError(_TOO_MANY_DIGITS)
    return number


def _within(first: float, last: float, said: str) -> AfterValidator:
    """Refuse what lies beyond two bounds, and what is no number."""

    def within(value: Any) -> Any:
        if not first <= value <= last:
            raise ValueError(said)
        return value

    return AfterValidator(within)


def _in_known_years(day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(f"a period lies in the years {FIRST_YEAR} to {LAST_YEAR}")
    return day


def _not_empty(filters: tuple[_Part, ...]) -> tuple[_Part, ...]:
    if not filters:
        raise ValueError("one of several conditions has to be given")
    return filters


def _rising(edges: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    if any(low >= high for low, high in pairwise(edges)):
        raise ValueError("the edges of bands rise, and none stands twice")
    return edges


Number: TypeAlias = Annotated[Decimal, AfterValidator(bounded)]
Whole: TypeAlias = Annotated[int, _within(-(10**_MOST_DIGITS), 10**_MOST_DIGITS, _TOO_MANY_DIGITS)]
Share: TypeAlias = Annotated[float, _within(0, 1, "a percentile lies between 0 and 1, the median at 0.5")]
Divisor: TypeAlias = Annotated[
    Number, _within(10**-_MOST_DIGITS, 10**_MOST_DIGITS, "a figure is counted in a number above 0")
]
Rows: TypeAlias = Annotated[int, _within(1, _MOST_ROWS, f"a number of rows lies between 1 and {_MOST_ROWS:,}")]
RowsOrNone: TypeAlias = Annotated[int, _within(0, _MOST_ROWS, f"a number of rows lies between 0 and {_MOST_ROWS:,}")]
Day: TypeAlias = Annotated[date, AfterValidator(_in_known_years)]
Edges: TypeAlias = Annotated[tuple[Number, ...], AfterValidator(_rising)]
Value: TypeAlias = bool | Whole | Number | datetime | date | str
Transform: TypeAlias = Literal[
    "share_of_total",  # percent of the column's total
    "running_total",  # cumulative along the first time dimension
    "change",  # against the previous row in time, or against the comparison period
    "change_percent",
    "rolling_average",  # mean over `window` rows ending at this one
    "rolling_sum",  # total over the same rows
    "rank",
]


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
    multiplies it by 100. `minus` is taken off first; rows that one side lacks add nothing to it. `shown_in` divides
    the figure by what it is counted in: 100000 for lakhs. `transform` is applied after grouping.
    """

    metric: str | None = None
    aggregate: Aggregate | None = None
    field: FieldRef | None = None
    dataset: str | None = None
    quantile: Share | None = None
    filters: tuple[Filter, ...] = ()
    weight: FieldRef | None = None
    denominator: Measure | None = None
    minus: Measure | None = None
    percent: bool = False
    shown_in: Divisor | None = None
    transform: Transform | None = None
    window: Rows | None = None
    label: str | None = None


class Dimension(_Value):
    """What the figures are grouped by; `edges` cut a number into bands: below e1, e1 to below e2, ..., en and over."""

    field: FieldRef
    edges: Edges = ()


class Condition(_Value):
    """A field compared with values, with another field (`other`), or with a figure over all rows (`versus`).

    `times` is what the other field or the figure is multiplied by first: above 0.6 times the limit. `alike` takes the
    figure over the rows that have the same there only: above the average of its own loan type.
    """

    kind: Literal["condition"] = "condition"
    field: FieldRef
    operator: Operator
    values: tuple[Value, ...] = ()
    other: FieldRef | None = None
    times: Number | None = None
    versus: Measure | None = None
    alike: FieldRef | None = None


class Membership(_Value):
    """The subject has related rows of `dataset` that satisfy `filters`.

    Without bounds: at least one, or none when `negated`. `at_least` and `at_most` count related rows.
    `via` as in FieldRef, walked from the subject.
    """

    kind: Literal["membership"] = "membership"
    dataset: str
    negated: bool = False
    at_least: RowsOrNone | None = None
    at_most: RowsOrNone | None = None
    filters: tuple[Filter, ...] = ()
    via: tuple[str, ...] = ()


class AnyOf(_Value):
    """At least one of several filters holds."""

    kind: Literal["any"] = "any"
    filters: Annotated[tuple[Filter, ...], AfterValidator(_not_empty)]


Filter: TypeAlias = Condition | Membership | AnyOf


class Period(_Value):
    """Days from `start` up to but not including `end`; None leaves that side open.

    `field` None dates every measure by its own time field. `until` is the last day that the data can cover, where that
    lies before the end: a period that is not over, or data that ends earlier, also before the start.
    """

    start: Day | None = None
    end: Day | None = None
    label: str
    field: FieldRef | None = None
    until: Day | None = None


class Having(_Value):
    """Groups are kept when a measure compares so with a value, or with `times` a figure over all rows (`versus`).

    `measure` need not be one that is shown.
    """

    measure: Measure
    operator: Comparison
    value: Number | None = None
    versus: Measure | None = None
    times: Number | None = None


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
    limit: Rows | None = None
    skip: RowsOrNone = 0
    limit_within: tuple[FieldRef, ...] = ()
    with_ties: bool = False
    fill_gaps: bool = False
    over_groups: Literal["count", "sum", "avg", "min", "max"] | None = None


FieldRef.model_rebuild()
Measure.model_rebuild()
Membership.model_rebuild()
AnyOf.model_rebuild()


def parts_of(intent: BaseModel, kind: type[_Part]) -> list[_Part]:
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
