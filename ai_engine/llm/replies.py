"""What a language model must reply, as pydantic models.

Fields are written in one text, "transactions.posted_at by month"; every optional key may be left out or null. What the
JSON schema does not show is read all the same where it has one meaning: a field as an object, a lone value for a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence, Sized
from datetime import date
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    RootModel,
    Tag,
    WithJsonSchema,
)

from ai_engine.semantics.intent import Comparison, Grain, Intent, Operator, Transform
from ai_engine.semantics.model import Aggregate
from ai_engine.types import ChartKind

_LONGEST_SENTENCE_CHARS = 1_000
_LONGEST_TEXT_CHARS = 4_000
_LONGEST_SQL_CHARS = 100_000
_LONGEST_LABEL_CHARS = 200
_MOST_PARTS = 50
_MOST_VALUES = 1_000
_MOST_SAID = 2_000

_FIELD = re.compile(
    r"\s*(?P<dataset>[^\s.]+)\.(?P<field>\S+)"
    r"(?:\s+by\s+(?P<grain>\w+))?(?:\s+since\s+(?P<since>\S+))?(?:\s+via\s+(?P<via>[^,\s]+(?:\s*,\s*[^,\s]+)*))?\s*"
)

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


def _field_said(said: object) -> object:
    """Take a field apart that is written as one text."""
    if isinstance(said, str):
        found = _FIELD.fullmatch(said)
        if found is None:
            raise ValueError(f"{said!r} is no field; write dataset.field, or dataset.field by month")
        parts: dict[str, Any] = {name: part for name, part in found.groupdict().items() if part}
        if "via" in parts:
            parts["via"] = [name.strip() for name in parts["via"].split(",")]
        return parts
    if isinstance(said, dict) and "." in str(said.get("field")) and not said.get("dataset"):
        rest = {name: part for name, part in said.items() if name not in {"field", "dataset"} and part is not None}
        read = _field_said(said["field"])
        return {**read, **rest} if isinstance(read, dict) else read
    return said


def _as_list(said: object) -> object:
    return [said] if isinstance(said, (str, int, float)) else said


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

    since: Annotated[OtherFieldReply, BeforeValidator(_field_said)] | None = None


_Field: TypeAlias = Annotated[FieldReply, BeforeValidator(_field_said), WithJsonSchema({"type": "string"})]
_Value: TypeAlias = bool | int | float | Sentence


class ConditionReply(_Reply):
    """A field compared with values."""

    field: _Field
    operator: Operator
    values: Annotated[list[_Value], BeforeValidator(_as_list), _at_most(_MOST_VALUES)] | None = None
    other: _Field | None = None
    times: float | None = None
    versus: MeasureReply | None = None
    alike: _Field | None = None


class MembershipReply(_Reply):
    """The subject has, or has no, related rows."""

    dataset: Label
    negated: bool | None = None
    at_least: int | None = None
    at_most: int | None = None
    filters: Parts[ConditionReply] | None = None
    via: Parts[Label] | None = None


class AnyOfReply(_Reply):
    """At least one of several conditions holds."""

    any: Parts[ConditionReply]


def _kind_of(said: object) -> str:
    """Tell by its keys what a filter is; what has none is complained about as a condition."""
    keys = said.keys() if isinstance(said, dict) else getattr(said, "__dict__", {}).keys()
    if "any" in keys:
        return "any"
    return "membership" if "dataset" in keys and "operator" not in keys else "condition"


class FilterReply(
    RootModel[
        Annotated[
            Annotated[ConditionReply, Tag("condition")]
            | Annotated[MembershipReply, Tag("membership")]
            | Annotated[AnyOfReply, Tag("any")],
            Discriminator(_kind_of),
        ]
    ]
):
    """Any of the filters."""


class MeasureReply(_Reply):
    """A figure; what cannot stand below a ratio's line, after a minus or in a comparison, the compiler refuses."""

    metric: Label | None = None
    aggregate: Aggregate | None = None
    field: _Field | None = None
    dataset: Label | None = None
    quantile: float | None = None
    filters: Parts[FilterReply] | None = None
    weight: _Field | None = None
    denominator: MeasureReply | None = None
    minus: MeasureReply | None = None
    percent: bool | None = None
    shown_in: float | None = None
    transform: Transform | None = None
    window: int | None = None
    label: Label | None = None


class DimensionReply(_Reply):
    """What the figures are grouped by."""

    field: _Field
    edges: Parts[float] | None = None


def _dimension_said(said: object) -> object:
    """Read a lone field, and a grain that stands beside its field."""
    if isinstance(said, str):
        return {"field": said}
    if isinstance(said, dict) and isinstance(said.get("field"), str):
        beside = {name: said[name] for name in ("dataset", "grain", "via", "since") if said.get(name) is not None}
        return {"field": {"field": said["field"], **beside} if beside else said["field"], "edges": said.get("edges")}
    return said


_Dimension: TypeAlias = Annotated[DimensionReply, BeforeValidator(_dimension_said)]


class PeriodReply(_Reply):
    """Half open range of days."""

    start: date | None = None
    end: date | None = None
    label: Label
    field: _Field | None = None


class HavingReply(_Reply):
    """A condition on groups; the measure may be its place among those asked for, from 1."""

    measure: int | MeasureReply
    operator: Comparison
    value: float | None = None
    versus: MeasureReply | None = None
    times: float | None = None


class OrderReply(_Reply):
    """One sort key; the measure may be its place among those asked for, from 1."""

    measure: int | MeasureReply | None = None
    field: _Field | None = None
    descending: bool | None = None


class StructuredQuestion(_Reply):
    """The structured question in the shape a model writes it."""

    subject: Label | None = None
    measures: Parts[MeasureReply] | None = None
    dimensions: Parts[_Dimension] | None = None
    columns: Parts[_Field] | None = None
    distinct: bool | None = None
    filters: Parts[FilterReply] | None = None
    period: PeriodReply | None = None
    compare: Literal["previous_period", "same_period_last_year"] | None = None
    having: Parts[HavingReply] | None = None
    order: Parts[OrderReply] | None = None
    limit: int | None = None
    skip: int | None = None
    limit_within: Parts[_Field] | None = None
    with_ties: bool | None = None
    fill_gaps: bool | None = None
    over_groups: Literal["count", "sum", "avg", "min", "max"] | None = None

    def to_intent(self) -> Intent:
        """Return the same question as the compiler takes it; names and values are not looked at yet.

        Raises:
            ValueError: a measure is named by a place that there is not, or the whole is longer than anybody asks.
        """
        said = self.model_dump(mode="json", exclude_none=True)
        if _count(said) > _MOST_SAID:
            raise ValueError(f"the intent has more than {_MOST_SAID:,} names and values; say it with fewer")
        for part in (*said.get("having", ()), *said.get("order", ())):
            if isinstance(part.get("measure"), int):
                part["measure"] = _measure_at(part["measure"], said.get("measures", ()))
        return Intent.model_validate_json(json.dumps(_with_kinds(said)))


def _count(said: Any) -> int:
    if isinstance(said, (dict, list)):
        return sum(map(_count, said.values() if isinstance(said, dict) else said))
    return 1


def _measure_at(place: int, measures: Sequence[object]) -> object:
    if not 1 <= place <= len(measures):
        raise ValueError(f"there is no measure {place}; measures are counted from 1, and there are {len(measures)}")
    return measures[place - 1]


def _with_kinds(said: Any) -> Any:
    """Say of each filter what it is, as the intent has it."""
    if isinstance(said, list):
        return [_with_kinds(part) for part in said]
    if not isinstance(said, dict):
        return said
    kinds = [_kind_of(one) for one in said.get("filters", ())]
    parts = {name: _with_kinds(part) for name, part in said.items()}
    if "any" in parts:
        return {"filters": [{"kind": "condition", **one} for one in parts["any"]]}
    if kinds:
        parts["filters"] = [{"kind": kind, **one} for kind, one in zip(kinds, parts["filters"], strict=True)]
    return parts


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


ConditionReply.model_rebuild()
