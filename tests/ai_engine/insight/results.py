"""Small results to tell about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from ai_engine.catalogue import Catalogue
from ai_engine.insight import Judge
from ai_engine.ports import InsightTask
from ai_engine.semantics.model import Dataset, Field, Metric, SemanticModel
from ai_engine.semantics.scope_words import Scope
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import ColumnType, OutputColumn, QueryResult, Scalar

ACCOUNTS = Dataset(
    name="accounts",
    source="accounts",
    label="account",
    fields=(
        Field("account_id", "account_id", "integer", "identifier", "Account id"),
        Field("balance", "balance", "decimal", "measure", "Balance", unit="INR", default_aggregate="sum"),
        Field("opened_on", "opened_on", "date", "time", "Opened on"),
        Field("account_type", "account_type", "text", "category", "Account type"),
        Field("branch", "branch", "text", "category", "Branch"),
    ),
)
CLIENTS = Dataset(
    name="customers",
    source="customers",
    label="customer",
    fields=(Field("city", "city", "text", "category", "City"),),
)
CASA = Metric("casa_ratio", "SUM(accounts.balance)", "CASA ratio", unit="percent")


def vocabulary(currency: str | None = "INR") -> Vocabulary:
    model = SemanticModel("bank", (ACCOUNTS, CLIENTS), metrics=(CASA,), currency=currency)
    return Vocabulary(Catalogue("duckdb", ()), model, ValueIndex(), date(2030, 3, 31))


BRANCH = OutputColumn("branch", "Branch name")
CITY = OutputColumn("city", "City")
MONTH = OutputColumn("month", "Month", None, "time")
BALANCE = OutputColumn("balance", "Total balance", "INR", "measure")
AVERAGE = OutputColumn("average", "Average balance", "INR", "measure")
CUSTOMERS = OutputColumn("customers", "Number of customers", "count", "measure")
SHARE = OutputColumn("share", "Share of total", "percent", "measure")
ACCOUNT_ID = OutputColumn("account_id", "Account id", None, "identifier")

BY_BRANCH = "SELECT branch, SUM(balance) AS balance FROM accounts GROUP BY branch"
RANKED = f"{BY_BRANCH} ORDER BY balance DESC"

EVERYTHING = Scope()

_TYPES: dict[str, ColumnType] = {"measure": "decimal", "time": "date", "identifier": "integer"}


def result_of(
    columns: Sequence[OutputColumn], rows: Sequence[tuple[Scalar, ...]], *, truncated: bool = False
) -> QueryResult:
    types = tuple(_TYPES.get(column.role, "text") for column in columns)
    return QueryResult(tuple(column.name for column in columns), types, tuple(rows), truncated)


def task_of(
    columns: Sequence[OutputColumn],
    rows: Sequence[tuple[Scalar, ...]],
    sql: str,
    *,
    truncated: bool = False,
    scope: Scope = EVERYTHING,
    restatement: str = "",
    question: str = "",
) -> InsightTask:
    result = result_of(columns, rows, truncated=truncated)
    return InsightTask(question, restatement, sql, result, tuple(columns), scope)


THREE_BRANCHES: list[tuple[Scalar, ...]] = [
    ("Mumbai Fort", Decimal("300.10")),
    ("Pune", Decimal("200")),
    ("Delhi", Decimal("99.90")),
]


_JUDGES: dict[int, tuple[InsightTask, Judge]] = {}


def judge_of(task: InsightTask) -> Judge:
    """Return the judge of a result, which reads it once."""
    if id(task) not in _JUDGES:
        _JUDGES[id(task)] = (task, Judge(task, vocabulary()))
    return _JUDGES[id(task)][1]


def refused(text: str, task: InsightTask) -> tuple[str, ...]:
    """Return what a summary may not say of a result."""
    return judge_of(task).not_borne_out(text)


def unfounded(text: str, task: InsightTask) -> tuple[str, ...]:
    """Return the figures of a text that nobody computed, whatever else it says."""
    return judge_of(task).unfounded(text)
