"""What a language model must reply, as pydantic models.

Every optional key is null when absent, with no other default: strict JSON schema modes demand that each key is present.
"""

from __future__ import annotations

from collections.abc import Sized
from datetime import date
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict

from ai_engine.semantics.intent import Comparison, Grain, Intent, Operator, Transform
from ai_engine.semantics.model import Aggregate
from ai_engine.types import ChartKind

_LONGEST_SENTENCE_CHARS = 1_000
_LONGEST_TEXT_CHARS = 4_000
_LONGEST_SQL_CHARS = 100_000
_LONGEST_LABEL_CHARS = 200
_MOST_PARTS = 50
_MOST_VALUES = 1_000

_Bounded = TypeVar("_Bounded", bound=Sized)


def _at_most(size: int) -> AfterValidator:
    """Bound a text or a list; not by the JSON schema, whose strict modes know no lengths."""

    def check(value: _Bounded) -> _Bounded:
        if len(value) > size:
            raise ValueError(f"longer than {size}")
        return value

    return AfterValidator(check)


_T = TypeVar("_T")
Label: TypeAlias = Annotated[str, _at_most(_LONGEST_LABEL_CHARS)]
Sentence: TypeAlias = Annotated[str, _at_most(_LONGEST_SENTENCE_CHARS)]
Text: TypeAlias = Annotated[str, _at_most(_LONGEST_TEXT_CHARS)]
Sentences: TypeAlias = Annotated[list[Sentence], _at_most(_MOST_PARTS)]
Parts: TypeAlias = Annotated[list[_T], _at_most(_MOST_PARTS)]


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")


class OtherFieldReply(_Reply):
    """A field by the vocabulary's names, from which the days to another are counted."""

    dataset: Label
    field: Label
    via: Parts[Label] | None = None
    grain: Grain | None = None


class FieldReply(OtherFieldReply):
    """A field by the vocabulary's names."""

    since: OtherFieldReply | None = None


class ConditionReply(_Reply):
    """A field compared with values."""

    kind: Literal["condition"]
    field: FieldReply
    operator: Operator
    values: Annotated[list[bool | int | float | Sentence], _at_most(_MOST_VALUES)] | None = None
    other: FieldReply | None = None
    times: float | None = None


class MembershipReply(_Reply):
    """The subject has, or has no, related rows."""

    kind: Literal["membership"]
    dataset: Label
    negated: bool | None = None
    at_least: int | None = None
    at_most: int | None = None
    filters: Parts[ConditionReply] | None = None
    via: Parts[Label] | None = None


class AnyOfReply(_Reply):
    """At least one of several conditions holds."""

    kind: Literal["any"]
    filters: Parts[ConditionReply]


class FigureReply(_Reply):
    """A measure that stands below a ratio's line, after a minus or in a comparison."""

    metric: Label | None = None
    aggregate: Aggregate | None = None
    field: FieldReply | None = None
    dataset: Label | None = None
    quantile: float | None = None
    filters: Parts[ConditionReply | MembershipReply | AnyOfReply] | None = None
    weight: FieldReply | None = None


class MeasureReply(FigureReply):
    """A figure that is asked for."""

    denominator: FigureReply | None = None
    minus: FigureReply | None = None
    percent: bool | None = None
    shown_in: float | None = None
    transform: Transform | None = None
    window: int | None = None
    label: Label | None = None


class DimensionReply(_Reply):
    """What the figures are grouped by."""

    field: FieldReply
    edges: Parts[float] | None = None


class PeriodReply(_Reply):
    """Half open range of days."""

    start: date | None = None
    end: date | None = None
    label: Label
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

    subject: Label | None = None
    measures: Parts[MeasureReply] | None = None
    dimensions: Parts[DimensionReply] | None = None
    columns: Parts[FieldReply] | None = None
    distinct: bool | None = None
    filters: Parts[ConditionReply | MembershipReply | AnyOfReply] | None = None
    period: PeriodReply | None = None
    compare: Literal["previous_period", "same_period_last_year"] | None = None
    having: Parts[HavingReply] | None = None
    order: Parts[OrderReply] | None = None
    limit: int | None = None
    skip: int | None = None
    limit_within: Parts[FieldReply] | None = None
    with_ties: bool | None = None
    fill_gaps: bool | None = None
    over_groups: Literal["count", "sum", "avg", "min", "max"] | None = None

    def to_intent(self) -> Intent:
        """Return the same question as the compiler takes it; names and values are not looked at yet."""
        return Intent.model_validate_json(self.model_dump_json(exclude_none=True))


class IntentReply(_Reply):
    """Reply to the intent prompt."""

    outcome: Literal["query", "clarify", "refused", "about"]
    restatement: Sentence
    intent: StructuredQuestion | None = None
    assumptions: Sentences | None = None
    choices: Sentences | None = None
    unplaced: Sentences | None = None
    suggestions: Sentences | None = None
    reply: Text | None = None


class SqlReply(_Reply):
    """Reply to the SQL prompt; `sql` is null when the tables cannot answer."""

    sql: Annotated[str, _at_most(_LONGEST_SQL_CHARS)] | None = None
    assumptions: Sentences | None = None
    reason: Text | None = None


class InsightReply(_Reply):
    """Reply to the insight prompt."""

    summary: Text
    chart: ChartKind
