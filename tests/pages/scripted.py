"""An assistant that answers from a script, for what a real database cannot be made to show on demand."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

from ai_engine.catalogue import Catalogue
from ai_engine.guard.policy import Policy
from ai_engine.insight.chart_wishes import redrawn
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import (
    Answer,
    CheckedStatement,
    Event,
    FailedDraft,
    OutputColumn,
    QueryResult,
    StepFinished,
    StepStarted,
    StillWorking,
    Turn,
    WordMeaning,
)
from backend.answers.withheld import with_mark
from backend.databases.runner import Load
from backend.metrics import Metrics
from backend.settings import Settings, read_settings
from backend.trust.verified_book import Permissions

HOSTILE = (
    "<img src=https://evil.example/x.png onerror=\"document.title='owned'\"> **bold** $x^2$ :smile: "
    "![i](https://evil.example/i.png) [link](https://evil.example) https://evil.example :red[red] <b>b</b> &lt; "
    ":material/home: a@evil.example www.evil.example `code` -> -- # h"
)
SQL = """SELECT
  b.name AS branch,
  SUM(a.balance) AS deposits
FROM accounts AS a
JOIN branches AS b USING (branch_id)
GROUP BY b.name"""
MONTHS = tuple(date(2024 + (i + 3) // 12, (i + 3) % 12 + 1, 1) for i in range(18))


def result_of(columns: Sequence[OutputColumn], types: Sequence[str], rows, truncated: bool = False) -> QueryResult:
    return QueryResult(tuple(c.name for c in columns), tuple(types), tuple(rows), truncated, 12.0)


BRANCH = (OutputColumn("branch", "Branch"), OutputColumn("deposits", "Deposits", "INR", "measure"))
MONTH = (OutputColumn("month", "Month", None, "time"), OutputColumn("deposits", "Deposits", "INR", "measure"))
MIX = (
    OutputColumn("month", "Month", None, "time"),
    OutputColumn("segment", "Segment"),
    OutputColumn("transactions", "Number of transactions", "count", "measure"),
)
TOTAL = (OutputColumn("deposits", "Total deposits", "INR", "measure"),)
LIST = (
    OutputColumn("customer_id", "Customer", None, "identifier"),
    OutputColumn("name", "Name", None, "text"),
    OutputColumn("opened_on", "Opened on", None, "time"),
    OutputColumn("balance", "Balance", "INR", "measure"),
    OutputColumn("rate", "Interest rate", "percent", "measure"),
)


def answered(question: str, columns, result: QueryResult, summary: str, chart: str, **more) -> Answer:
    return Answer(
        question=question,
        status="answered",
        model="scripted",
        restatement=more.pop("restatement", "Total deposits by branch, as of 30 September 2025"),
        sql=SQL,
        result=result,
        columns=columns,
        summary=summary,
        chart=chart,
        assumptions=more.pop("assumptions", ("Branch is taken as the branch that holds the account.",)),
        meanings=(WordMeaning("deposits", "sum of accounts.balance"), WordMeaning("by branch", "branches.name")),
        as_of=date(2025, 9, 30),
        timings_ms={"intent": 4.2, "sql": 1.1, "validation": 2.0, "execution": 12.4, "insight": 3.3, "total": 25.0},
        **more,
    )


def _branches(question: str) -> Answer:
    rows = [
        (f"Branch {n:02d}, {city}", Decimal(91_234_567 - n * 3_456_789) / 100 * 10)
        for n, city in enumerate(
            [
                "Mumbai Fort",
                "Bengaluru Indiranagar",
                "Thiruvananthapuram Medical College Road",
                "Delhi",
                "Pune",
                "Chennai",
                "Kolkata",
                "Jaipur",
                "Lucknow",
                "Surat",
                "Nagpur",
                "Indore",
            ]
        )
    ]
    return answered(
        question,
        BRANCH,
        result_of(BRANCH, ("text", "decimal"), rows),
        "Branch 00, Mumbai Fort holds the largest deposits, Rs.91,23,456.70 of Rs.8,66,73,324.26 in all.",
        "horizontal_bar",
    )


def _months(question: str) -> Answer:
    rows = [(m, Decimal(412_300_000 + (i * 7919 % 11) * 9_000_000 + i * 5_000_000)) for i, m in enumerate(MONTHS)]
    return answered(
        question,
        MONTH,
        result_of(MONTH, ("date", "decimal"), rows),
        "Deposits grew from Rs.41,23,00,000.00 in April 2024 to Rs.53,13,00,000.00 in September 2025.",
        "line",
        restatement="Deposits by month, April 2024 to September 2025",
        assumptions=(),
    )


def _mix(question: str) -> Answer:
    segments = ("Mass", "Affluent", "Corporate", "Senior citizens", "Non-resident")
    rows = [(m, s, 1000 * k + i * 137 % 900) for i, m in enumerate(MONTHS[:8]) for k, s in enumerate(segments, 1)]
    return answered(
        question,
        MIX,
        result_of(MIX, ("date", "text", "integer"), rows),
        "Non-resident customers made the most transactions in every month.",
        "line",
        assumptions=(),
    )


def _total(question: str) -> Answer:
    return answered(
        question,
        TOTAL,
        result_of(TOTAL, ("decimal",), [(Decimal("48231175206.00"),)]),
        "Total deposits are Rs.48,23,11,75,206.00 as of 30 September 2025.",
        "metric",
        assumptions=(),
    )


def _list(question: str) -> Answer:
    rows = [
        (
            10_000 + i,
            '=HYPERLINK("https://evil.example")' if i == 3 else HOSTILE if i == 1 else f"Customer {i}",
            date(2021, 1 + i % 12, 1 + i % 28) if i % 9 else None,
            Decimal(i * 7_654_321) / 100 - 500_000,
            Decimal("6.75") if i % 4 else None,
        )
        for i in range(100)
    ]
    return answered(
        question,
        LIST,
        result_of(LIST, ("integer", "text", "date", "decimal", "decimal"), rows, True),
        "The first 100 customers by number are listed; there are more.",
        "table",
    )


def _hostile(question: str) -> Answer:
    columns = (OutputColumn("b", HOSTILE), OutputColumn("d", f"Deposits {HOSTILE}", "INR", "measure"))
    rows = [(f"{n} {HOSTILE}", Decimal(1000 * n)) for n in range(1, 5)]
    return answered(
        question,
        columns,
        result_of(columns, ("text", "decimal"), rows),
        HOSTILE,
        "bar",
        restatement=HOSTILE,
        assumptions=(HOSTILE,),
        suggestions=(HOSTILE,),
    )


def _refused(question: str) -> Answer:
    return Answer(
        question=question,
        status="refused",
        model="scripted",
        restatement="",
        error='I do not know what "flibbertigibbet" means here.',
        suggestions=("Total deposits by branch", "Deposits by month"),
    )


def _clarify(question: str) -> Answer:
    return Answer(
        question=question,
        status="clarify",
        model="scripted",
        error="Which branch do you mean: the one that holds the account, or the customer's home branch?",
        choices=("Total deposits by branch", "Total deposits by home branch"),
    )


def _failed(question: str) -> Answer:
    drafts = tuple(
        FailedDraft(SQL, "no such column: b.nme (nearest: name)", "The query was not run: no column b.nme.")
        for _ in range(3)
    )
    return Answer(
        question=question,
        status="failed",
        model="scripted",
        restatement="Deposits by branch",
        sql=None,
        error="The query was not run: there is no column b.nme; the nearest is b.name.",
        failures=drafts,
        timings_ms={"intent": 4.0, "sql": 3.0, "total": 12.0},
    )


ANSWERS = {
    "Total deposits by branch": _branches,
    "Deposits by month": _months,
    "Transactions by month and segment": _mix,
    "What are the total deposits?": _total,
    "List customers": _list,
    "hostile": _hostile,
    "Which branch?": _clarify,
    "fail": _failed,
}


@dataclass
class ScriptedModel:
    name: str = "scripted"


def _vocabulary() -> Vocabulary:
    model = SemanticModel(
        name="scripted",
        datasets=(
            Dataset("accounts", "accounts", (Field("status", "status", "text", "category", "Status"),), "account"),
        ),
        currency="INR",
    )
    return Vocabulary(Catalogue("duckdb", ()), model, ValueIndex(), date(2025, 9, 30))


@dataclass
class ScriptedBook:
    """Nobody may verify here."""

    permissions: Permissions = field(default_factory=Permissions)


@dataclass
class ScriptedAssistant:
    """Answers what its script knows and refuses the rest; "slow" runs until it is stopped and notes when it was."""

    vocabulary: Vocabulary = field(default_factory=_vocabulary)
    model: ScriptedModel = field(default_factory=ScriptedModel)
    examples: tuple[str, ...] = tuple(ANSWERS)[:5]
    notes: tuple[str, ...] = ()
    metrics: Metrics = field(default_factory=lambda: Metrics(lambda: Load(waiting=0, replaced=0)))
    asked: list[tuple[str, int]] = field(default_factory=list)
    stopped_after_s: list[float] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    verified: ScriptedBook = field(default_factory=ScriptedBook)
    settings: Settings = field(default_factory=read_settings)
    policy: Policy = field(default_factory=Policy)
    kept_as: str = "bank"

    def check(self, sql: str) -> CheckedStatement:
        return CheckedStatement(sql, sql, 10)

    def stream(
        self, question: str, history: Sequence[Turn] = (), *, above: Answer | None = None, who: str = "local"
    ) -> Iterator[Event]:
        wished = redrawn(question, above)
        if wished is not None:
            yield wished
            return
        self.asked.append((question, len(history)))
        yield StepStarted("intent_agent", 1)
        if question.startswith("slow"):
            yield from self._slow(60)
        if question.startswith("unhurried"):
            yield from self._slow(3)
            question = "Deposits by month"
        answer = ANSWERS.get(question, _refused)(question)
        if len(question) > 2_000:
            answer = replace(
                answer,
                suggestions=(),
                status="failed",
                error="The question is too long: 102,400 characters, 2,000 are allowed. Please shorten it.",
            )
        if answer.sql or answer.failures:
            yield StepFinished("intent_agent", 1, answer.restatement)
            yield StepStarted("sql_agent", 1)
            yield StepFinished("sql_agent", 1, "6 lines of SQL written")
            for attempt in range(1, len(answer.failures) + 1):
                yield StepStarted("validation_agent", attempt)
                yield StepFinished("validation_agent", attempt, answer.failures[0].reason, failed=True)
        yield with_mark(answer, self.policy)

    def _slow(self, for_s: float) -> Iterator[Event]:
        started = time.perf_counter()
        yield StepFinished("intent_agent", 1, "Everything, slowly")
        yield StepStarted("execution_tool", 1)
        try:
            while time.perf_counter() - started < for_s:
                time.sleep(0.2)
                yield StillWorking((time.perf_counter() - started) * 1_000)
        finally:
            self.stopped_after_s.append(time.perf_counter() - started)
            self.stopped.set()
            print("SLOW QUERY STOPPED", flush=True)
