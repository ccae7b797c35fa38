"""Frozen values that travel between the steps, the models and the faces of the assistant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from ai_engine.model_use import ModelCall
    from ai_engine.semantics.intent import Intent
    from ai_engine.tie_out.finding import TieOut
    from ai_engine.verified import VerifiedAnswer

Scalar: TypeAlias = bool | int | float | Decimal | str | date | datetime | time | timedelta | bytes | None
ColumnType: TypeAlias = Literal["integer", "decimal", "float", "text", "boolean", "date", "timestamp", "time", "other"]
ChartKind: TypeAlias = Literal[
    "metric", "bar", "horizontal_bar", "line", "area", "pie", "scatter", "histogram", "heatmap", "table"
]
Status: TypeAlias = Literal["answered", "refused", "clarify", "failed"]
Readers: TypeAlias = Literal["model", "built-in", "built-in-first"]
SendRows: TypeAlias = Literal["none", "aggregates", "sample"]
Trust: TypeAlias = Literal["verified", "agreed", "compiled", "free SQL", "given SQL"]
StepName: TypeAlias = Literal["intent_agent", "sql_agent", "validation_agent", "execution_tool", "insight_agent"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run; the defaults are the product's, the settings override them."""

    timeout_s: float = 30.0
    max_rows: int = 1_000
    default_limit_rows: int = 100
    max_retries: int = 2
    max_question_chars: int = 2_000
    model_total_timeout_s: float = 120.0


@dataclass(frozen=True, slots=True)
class ScanEstimate:
    """What a database expects of a statement before it is run; each None where it does not tell.

    Attributes:
        rows: rows of stored tables that it will look at, whatever is left of them behind filters.
        bytes: what it will read of them.
        work: a number that is larger for more work on the same database, in a unit of its own.
    """

    rows: int | None = None
    bytes: int | None = None
    work: float | None = None


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows as the database returned them.

    Attributes:
        columns: names in order, unique; a repeated or empty name got a number.
        types: one per column.
        rows: one tuple per row, values aligned with `columns`; decimals exact, dates as dates, NULL as None.
        truncated: more rows existed than were kept, because of a limit that nobody asked for.
        elapsed_ms: the database's own time, queueing excluded.
        total_rows: how many rows there are without that limit, where they were counted; None when not known.
        level_rows: rows left out by the limit that was asked for though level with the last one kept, as far as looked.
        more_level_rows: there may be more of those than `level_rows`.
        unkept_rows: rows that were there when it was answered, and were too many to be kept with the answer.
        expected: what the database had expected to read for them, where that was asked; no part of what they are.
        ran_at: when the statement ran, with its zone, where these are the rows of an earlier run; None for this one's.
    """

    columns: tuple[str, ...]
    types: tuple[ColumnType, ...]
    rows: tuple[tuple[Scalar, ...], ...]
    truncated: bool = False
    elapsed_ms: float = 0.0
    total_rows: int | None = None
    level_rows: int = 0
    more_level_rows: bool = False
    unkept_rows: int = 0
    expected: ScanEstimate | None = field(default=None, compare=False)
    ran_at: datetime | None = field(default=None, compare=False)

    @property
    def row_count(self) -> int:
        """Rows kept, which is fewer than exist when `truncated`."""
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """What one column of a statement means.

    Attributes:
        name: the column's name in the result.
        label: what a person calls it.
        unit: currency code ("INR"), "percent", "fraction" (0.95 is 95 percent), "days", "years", "count" or None when
            it has none.
        role: a measure is a figure, a time an axis position, a category names a group, an identifier names one row.
        adds_up: the figures are parts of one whole: sums or counts over separate groups, none of which is left out.
        compared: of a figure beside the asked one: the same for an earlier period, or the change between the two.
        part_steps: of a run of time, the cells whose month, quarter or other step is covered only in part, by the
            period or by the data, each with the days that are covered: (date(2026, 11, 1), "1 to 22 November 2026").
    """

    name: str
    label: str
    unit: str | None = None
    role: Literal["measure", "category", "time", "identifier", "text"] = "category"
    adds_up: bool = False
    compared: Literal["earlier", "change"] | None = None
    part_steps: tuple[tuple[Scalar, str], ...] = ()


@dataclass(frozen=True, slots=True)
class WordMeaning:
    """Which words of the question became what; shown on the details page."""

    words: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What a model made of a question.

    Attributes:
        outcome: `query` goes on to SQL; `clarify`, `refused` and `about` end the run with what is here.
        restatement: the question as understood, standing alone.
        intent: the structured question when the vocabulary covers it; None lets the model write SQL freely.
        assumptions: choices made on the analyst's behalf, one sentence each.
        choices: full restatements to pick from, when `clarify`.
        unplaced: words that could not be understood, when `refused`.
        suggestions: near questions that can be answered.
        reply: the text to show when the run ends here.
        meanings: which words became what.
    """

    outcome: Literal["query", "clarify", "refused", "about"]
    restatement: str
    intent: Intent | None = None
    assumptions: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    reply: str = ""
    meanings: tuple[WordMeaning, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier exchange of the conversation, oldest first where several are given.

    `outcome` is how it ended; `choices` are what was asked back.
    """

    question: str
    restatement: str
    intent: Intent | None = None
    outcome: Status = "answered"
    assumptions: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FailedDraft:
    """A statement that was rejected or failed, as the next draft needs to know it.

    Attributes:
        sql: the statement, None when none could be written.
        reason: for the model: what is wrong, the offending part, the nearest known names.
        user_message: the same for people.
        stage: the step that said no.
        error_kind: name of the class in `errors/` that said it.
        part: the offending piece of the statement, empty where none is known.
        place: line and column where it begins, counted from 1; known of a syntax error.
    """

    sql: str | None
    reason: str
    user_message: str
    stage: Literal["sql", "validation", "execution"] = "validation"
    error_kind: str = "AssistantError"
    part: str = ""
    place: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """One statement, and what its columns mean where its writer knows.

    `ranked_by` counts the leading ORDER BY keys that rank the rows; None where its writer does not say. `first_of_each`
    is the same statement as it also looks behind the last row of each group.
    """

    sql: str
    columns: tuple[OutputColumn, ...] = ()
    assumptions: tuple[str, ...] = ()
    ranked_by: int | None = None
    first_of_each: FirstOfEach | None = None


@dataclass(frozen=True, slots=True)
class FirstOfEach:
    """The first rows of each group, with a few behind the last that are level with it.

    Attributes:
        sql: the statement; its last column numbers the rows of each group.
        last: the number of the last row that was asked for.
        places: how many numbers behind it are looked at.
    """

    sql: str
    last: int
    places: int


@dataclass(frozen=True, slots=True)
class FurtherRows:
    """What is fetched beyond a limit that was asked for, to see whether the rows behind it are level with the last one.

    Attributes:
        count: rows fetched beyond the limit.
        keys: places in a fetched row of what ranks the rows.
        added_columns: columns at the end of each row that only serve as such keys.
    """

    count: int
    keys: tuple[int, ...]
    added_columns: int = 0


@dataclass(frozen=True, slots=True)
class CheckedStatement:
    """A statement that the guard let through.

    Attributes:
        sql: canonical text, as shown to people: with line breaks.
        run_sql: what runs: the same with every name written out, in one line, fetching one row more where the limit is
            ours, so that "there is more" is known, and the `further` rows where a ranking has a limit of its own. Its
            columns are called as those of `sql`.
        max_rows: rows to keep.
        notes: what the guard changed, one sentence each.
        groups: the rows are groups.
        further: what is fetched beyond `max_rows`, None for nothing.
        first_of_each: what runs in its place as long as all of its rows can be fetched.
    """

    sql: str
    run_sql: str
    max_rows: int
    notes: tuple[str, ...] = ()
    groups: bool = False
    further: FurtherRows | None = None
    first_of_each: FirstOfEach | None = None


@dataclass(frozen=True, slots=True)
class Insight:
    """The answer in words, and how to draw it.

    Attributes:
        summary: one to three sentences.
        headline: how the summary begins, which stands alone; empty where all of it does.
    """

    summary: str
    chart: ChartKind
    headline: str = ""


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step of the pipeline began; `attempt` counts from 1 and grows with each retry."""

    step: StepName
    attempt: int


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A step ended; `note` says in one line what came out, `failed` that another attempt or the end follows.

    `sql` is the statement that the step wrote, changed or ran, `row_count` the rows that it fetched.
    """

    step: StepName
    attempt: int
    note: str
    failed: bool = False
    sql: str | None = None
    row_count: int | None = None


@dataclass(frozen=True, slots=True)
class StillWorking:
    """Nothing new yet; sent a few times a second so that whoever listens can show the time and notice a stop."""

    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class OtherStatement:
    """What the built-in reader would run, where a language model's reading was taken; `columns` say what it gives."""

    restatement: str
    statement: CheckedStatement
    columns: tuple[OutputColumn, ...]


@dataclass(frozen=True, slots=True)
class OtherReading:
    """What the built-in reader understood, where a language model's reading was answered and gives other rows."""

    restatement: str
    sql: str
    result: QueryResult
    columns: tuple[OutputColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything one question produced; the page, the API and the command line all draw from this.

    Attributes:
        headline: the beginning of the summary that stands alone.
        period: the days that the figures are about, "August 2026"; empty where no period was asked.
        scope: all that narrows the figures, as it follows a title: "where channel is UPI, August 2026".
        things: what a list lists, "loans"; empty where figures are asked.
        chart_size: how many times its usual height the chart is drawn.
        timings_ms: per step (intent, sql, validation, execution, insight) and total; a retried step counts each try.
        error: for people, None when answered.
        error_kind: when failed, the name of the class in `errors/` that ended the run.
        question_id: what the run's lines in the log bear.
        trust: what a figure rests on: a person has checked this statement; two readers came to the same rows; one
            reading, compiled; a statement that a language model wrote; one that was given. None without a statement.
        verified: the checked answer that was used.
        other_reading: what the built-in reader would have answered, where that differs.
        answered_at: when the run came to its end, with its zone; None for what no run gave.
        as_of: the day from which "last month" counted; None for what no run gave.
        tie_out: whether figures by group add up to the same figure without groups; None where there is none to hold.
        model_calls: what a language model was asked on the way, in order; those that got no reply are not among them.
        derived_from: `question_id` of the answer that this one was made of by a click; empty for what was asked.
        stands_alone: the question says it all: it was read, and without an earlier turn that it could lean on.
        unplaced: words of the question that were not understood.
        closed: a mark of what might not be read then; empty where nobody noted that.
    """

    question: str
    status: Status
    model: str
    restatement: str = ""
    sql: str | None = None
    result: QueryResult | None = None
    columns: tuple[OutputColumn, ...] = ()
    summary: str = ""
    chart: ChartKind = "table"
    chart_size: float = 1.0
    assumptions: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    error: str | None = None
    error_kind: str | None = None
    intent: Intent | None = None
    headline: str = ""
    period: str = ""
    scope: str = ""
    things: str = ""
    meanings: tuple[WordMeaning, ...] = ()
    failures: tuple[FailedDraft, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    question_id: str = ""
    trust: Trust | None = None
    verified: VerifiedAnswer | None = None
    other_reading: OtherReading | None = None
    stands_alone: bool = True
    derived_from: str = ""
    model_calls: tuple[ModelCall, ...] = ()
    answered_at: datetime | None = None
    as_of: date | None = None
    tie_out: TieOut | None = None
    unplaced: tuple[str, ...] = ()
    closed: str = ""


@dataclass(frozen=True, slots=True)
class ResultReady:
    """The whole answer but for what follows: a model's summary, until which it is told by rule, or the tie-out.

    `summary_follows` tells the first from the second alone.
    """

    answer: Answer
    summary_follows: bool = True


@dataclass(frozen=True, slots=True)
class SummaryGrew:
    """The sentences that a language model's summary has so far, all of whose figures the result bears out."""

    text: str


Event: TypeAlias = StepStarted | StepFinished | StillWorking | ResultReady | SummaryGrew | Answer
