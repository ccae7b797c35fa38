"""What goes over the wire, as the OpenAPI page documents it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, JsonValue

from ai_engine.json_values import scalar_to_json
from ai_engine.main import format_output
from ai_engine.run_log import new_question_id
from ai_engine.tie_out.finding import CauseKind, TieOutOutcome
from ai_engine.types import Answer, ChartKind, Status, Trust
from ai_engine.verified import intent_to_text
from backend.answers.json_values import answer_to_json


class AskRequest(BaseModel):
    """One question."""

    query: str = Field(
        max_length=100_000,  # which also has it be text that can be written: half of a surrogate pair is none
        description="A question in plain English, at most BANK_MAX_QUESTION_CHARS characters.",
        examples=["How many active customers does each state have?"],
    )
    source: str | None = Field(
        None,
        max_length=64,
        description="Data source to ask, one of `GET /sources`; the first where it is unset.",
    )
    figure: ChartKind | Literal["suggested"] | None = Field(
        None,
        description="Return the chart too, as a Plotly figure: the suggested one, or of this kind where the result can "
        "carry it.",
    )
    anew: bool = Field(False, description="Run the statement, also where its result is kept from an earlier run.")


class ExecutionResult(BaseModel):
    """What the database returned; only `error` is filled when it said no."""

    data: list[dict[str, JsonValue]] = Field([], description="One object per row, keys in the order of the columns.")
    row_count: int = Field(0, description="Rows in `data`.")
    execution_time_seconds: float = Field(0.0, description="The database's own time.")
    truncated: bool = Field(False, description="More rows existed than were kept.")
    total_rows: int | None = Field(None, description="Rows there are without the limit; null when not counted.")
    error: str | None = Field(None, description="Why the last statement failed.")


class OtherReadingFields(BaseModel):
    """Another reading of the question, with its rows."""

    restatement: str
    sql: str
    columns: list[str]
    rows: list[list[JsonValue]]


class TieOutCauseFields(BaseModel):
    """Rows that stand in no group, or in a group several times."""

    kind: CauseKind
    rows: int
    amount: JsonValue = Field(description="What the groups have more by these rows; negative where they are missing.")
    said: str


class TiedFigureFields(BaseModel):
    """One figure with its total."""

    column: str
    shown: JsonValue = Field(description="Sum of the rows.")
    total: JsonValue = Field(description="The same figure without groups.")
    difference: JsonValue = Field(description="`shown` less `total`.")
    causes: list[TieOutCauseFields]


class TieOutFields(BaseModel):
    """Whether figures by group add up to the same figure without groups."""

    outcome: TieOutOutcome
    said: str
    figures: list[TiedFigureFields]
    sql: list[str] = Field(description="The statements that computed the totals.")


class ModelUseFields(BaseModel):
    """What the language model was asked for one question."""

    calls: int = Field(0, description="Requests that got a reply.")
    input_tokens: int = Field(0, description="Tokens of the requests, where the service counts them.")
    output_tokens: int = Field(0, description="Tokens of the replies.")
    cost_usd: float | None = Field(None, description="By BANK_MODEL_PRICES_USD; null without a price.")


ECHOED_CHARS = 2_000
"""Of a question that was not answered, in the failure."""


class ExpectedScanFields(BaseModel):
    """An estimate of the database's own, made from its plan."""

    rows: int | None = Field(description="Rows of stored tables that are looked at.")
    bytes: int | None = Field(description="What is read of them.")


class AskResponse(BaseModel):
    """The answer to one question; every key is always there."""

    status: Status = Field(
        description="`answered`; `clarify`: pick one of `choices`; `refused`: not understood; `failed`: see `error`."
    )
    question: str
    restatement: str = Field(description="The question as it was understood, standing alone.")
    validated_sql: str | None = Field(description="The statement that ran.")
    execution_result: ExecutionResult | None = Field(description="None when nothing ran.")
    summary: str | None = Field(description="The answer in words.")
    headline: str = Field("", description="The beginning of the summary, which stands alone.")
    period: str = Field("", description='The days that the figures are about: "August 2026"; empty without a period.')
    scope: str = Field(
        "", description='All that narrows the figures, for a title: "where channel is UPI, August 2026".'
    )
    part_steps: dict[str, list[list[JsonValue]]] = Field(
        {},
        description="Column of a run of time to its cells that are covered only in part, each with the days covered.",
    )
    chart_suggestion: ChartKind | None = Field(description="The chart that fits the result, None without one.")
    figure: dict[str, JsonValue] | None = Field(
        None,
        description="The chart as plotly.js draws it (`data`, `layout`); None where nobody asked, or nothing is drawn.",
    )
    units: dict[str, str] = Field(description='Column to unit: a currency code, "percent", "days", "count" ...')
    assumptions: list[str] = Field(description="Choices that were made on your behalf.")
    choices: list[str] = Field(description="Full questions to pick from, when `clarify`.")
    suggestions: list[str] = Field(description="Near questions that can be answered.")
    error: str | None = Field(description="One sentence for people, None when answered.")
    error_kind: str | None = Field(description="Class of the error, None unless `failed`.")
    model: str
    model_use: ModelUseFields = Field(ModelUseFields(), description="Calls, tokens and cost of the language model.")
    timings_ms: dict[str, float] = Field(description="Per step, and `total`.")
    trust: Trust | None = Field(
        None,
        description="What a figure rests on: `verified` by a person, `agreed` by two readers, `compiled` from one "
        "reading, `free SQL` that a language model wrote, whose `restatement` is its own and compared by no program.",
    )
    verified_by: str | None = Field(None, description="Who checked the statement, when `verified`.")
    other_reading: OtherReadingFields | None = Field(
        None, description="What the built-in reader understood, where a language model's reading gives other rows."
    )
    expected_scan: ExpectedScanFields | None = Field(
        None, description="What the database expected to read, before it ran; null where it does not tell."
    )
    rows_as_of: datetime | None = Field(
        None,
        description="When the statement ran, where these are the kept rows of an earlier run; null for this one's.",
    )
    tie_out: TieOutFields | None = Field(
        None, description="Whether figures by group add up to their total; null where there is none to compare."
    )
    intent: dict[str, JsonValue] | None = Field(
        None, description="The structured question; `POST /verified` takes it as it is."
    )
    stands_alone: bool = Field(True, description="No earlier turn was given.")
    question_id: str = Field(description="What the lines about this question in the server's log bear.")


class Health(BaseModel):
    """Whether this server answers; nothing of what it answers from, as whoever reaches it may ask."""

    status: Literal["ok", "unavailable"]
    error: str | None = Field(None, description="What is wrong, for people.")


def response_of(answer: Answer, figure: dict[str, JsonValue] | None = None) -> AskResponse:
    """Write an answer in the documented shape."""
    documented = format_output(answer)
    fields = answer_to_json(answer) | {key: documented[key] for key in ("validated_sql", "summary", "chart_suggestion")}
    return AskResponse.model_validate(
        fields
        | {"execution_result": _execution_result(documented["execution_result"]), "error_kind": answer.error_kind}
        | {"intent": json.loads(intent_to_text(answer.intent) or "null"), "stands_alone": answer.stands_alone}
        | {"question_id": answer.question_id or new_question_id(), "figure": figure}
    )


def failed_response(question: str, error: str, error_kind: str) -> AskResponse:
    """Write a failure that came before any answer."""
    question = question[:ECHOED_CHARS]
    return response_of(Answer(question=question, status="failed", model="", error=error, error_kind=error_kind))


def _execution_result(documented: dict[str, object] | None) -> dict[str, object] | None:
    """Rename `rows` to `data`, and write every cell as JSON."""
    if documented is None or "rows" not in documented:
        return documented
    rows = documented["rows"]
    assert isinstance(rows, list), "format_output gives a list of rows"  # noqa: S101
    data = [{name: scalar_to_json(cell) for name, cell in row.items()} for row in rows]
    return {**{key: value for key, value in documented.items() if key != "rows"}, "data": data}
