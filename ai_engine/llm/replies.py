"""What a language model must reply, as pydantic models.

Every optional key is null when absent, with no other default: strict JSON schema modes demand that each key is present.
"""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ai_engine.semantics.intent import Comparison, Grain, Intent, Operator, Transform
from ai_engine.semantics.model import Aggregate
from ai_engine.types import ChartKind


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")


class OtherFieldReply(_Reply):
    """A field by the vocabulary's names, from which the days to another are counted."""

    dataset: str
    field: str
    via: list[str] | None = None
    grain: Grain | None = None


class FieldReply(OtherFieldReply):
    """A field by the vocabulary's names."""

    since: OtherFieldReply | None = None


class ConditionReply(_Reply):
    """A field compared with values."""

    kind: Literal["condition"]
    field: FieldReply
    operator: Operator
    values: list[bool | int | float | str] | None = None
    other: FieldReply | None = None
    times: float | None = None


class MembershipReply(_Reply):
    """The subject has, or has no, related rows."""

    kind: Literal["membership"]
    dataset: str
    negated: bool | None = None
    at_least: int | None = None
    at_most: int | None = None
    filters: list[ConditionReply] | None = None
    via: list[str] | None = None


class AnyOfReply(_Reply):
    """At least one of several conditions holds."""

    kind: Literal["any"]
    filters: list[ConditionReply]


class FigureReply(_Reply):
    """A measure that stands below a ratio's line, after a minus or in a comparison."""

    metric: str | None = None
    aggregate: Aggregate | None = None
    field: FieldReply | None = None
    dataset: str | None = None
    quantile: float | None = None
    filters: list[ConditionReply | MembershipReply | AnyOfReply] | None = None
    weight: FieldReply | None = None


class MeasureReply(FigureReply):
    """A figure that is asked for."""

    denominator: FigureReply | None = None
    minus: FigureReply | None = None
    percent: bool | None = None
    shown_in: float | None = None
    transform: Transform | None = None
    window: int | None = None
    label: str | None = None


class DimensionReply(_Reply):
    """What the figures are grouped by."""

    field: FieldReply
    edges: list[float] | None = None


class PeriodReply(_Reply):
    """Half open range of days."""

    start: date | None = None
    end: date | None = None
    label: str
    field: FieldReply | None = None


class HavingReply(_Reply):
    """A condition on groups."""

    measure: MeasureReply
    operator: Comparison
    value: float | None = None
    versus: FigureReply | None = None


class OrderReply(_Reply):
    """One sort key."""

    measure: MeasureReply | None = None
    field: FieldReply | None = None
    descending: bool | None = None


class StructuredQuestion(_Reply):
    """The structured question in the shape a model writes it."""

    subject: str | None = None
    measures: list[MeasureReply] | None = None
    dimensions: list[DimensionReply] | None = None
    columns: list[FieldReply] | None = None
    distinct: bool | None = None
    filters: list[ConditionReply | MembershipReply | AnyOfReply] | None = None
    period: PeriodReply | None = None
    compare: Literal["previous_period", "same_period_last_year"] | None = None
    having: list[HavingReply] | None = None
    order: list[OrderReply] | None = None
    limit: int | None = None
    skip: int | None = None
    limit_within: list[FieldReply] | None = None
    with_ties: bool | None = None
    fill_gaps: bool | None = None
    over_groups: Literal["count", "sum", "avg", "min", "max"] | None = None

    def to_intent(self) -> Intent:
        """Return the same question as the compiler takes it; names and values are not looked at yet."""
        return Intent.model_validate_json(self.model_dump_json(exclude_none=True))


class IntentReply(_Reply):
    """Reply to the intent prompt."""

    outcome: Literal["query", "clarify", "refused", "about"]
    restatement: str
    intent: StructuredQuestion | None = None
    assumptions: list[str] | None = None
    choices: list[str] | None = None
    unplaced: list[str] | None = None
    suggestions: list[str] | None = None
    reply: str | None = None


class SqlReply(_Reply):
    """Reply to the SQL prompt; `sql` is null when the tables cannot answer."""

    sql: str | None = None
    assumptions: list[str] | None = None
    reason: str | None = None


class InsightReply(_Reply):
    """Reply to the insight prompt."""

    summary: str
    chart: ChartKind
