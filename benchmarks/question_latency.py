"""How long a question takes beyond the database's own time: built-in model, sample bank, summary and chart included.

    python -m benchmarks.question_latency

Rewrites the table in benchmarks/question_latency.md.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from ai_engine.formats import Formats
from backend.charts import draw
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import SAMPLE_BANK_FILE, read_settings

REPORT = Path(__file__).with_suffix(".md")
ROUNDS = 5
TARGET_P50_MS, TARGET_P95_MS = 100, 250
STEPS = ("intent", "sql", "validation", "execution", "insight")
QUESTIONS = (
    "How many customers are there?",
    "How many active accounts do we have?",
    "What is the total balance of savings accounts?",
    "Total deposits by state",
    "Average balance by account type",
    "Top 10 branches by deposits",
    "Which 5 cities have the most customers?",
    "Number of transactions by channel last month",
    "Total transaction amount by month this year",
    "UPI transactions by month in 2025",
    "How many customers joined since March?",
    "Average credit score by segment",
    "What is the NPA ratio?",
    "NPA ratio by region",
    "Total outstanding loans by loan type",
    "Loans with more than 90 days past due",
    "How many home loans were disbursed last quarter?",
    "Average interest rate of personal loans",
    "What is the CASA ratio by branch?",
    "Customers with income over 10 lakh",
    "How many customers have KYC pending?",
    "List the 20 oldest customers",
    "Largest transaction last week",
    "Total ATM withdrawals by city in the last 90 days",
    "Average ticket size by channel",
    "How many accounts were opened in Q1 2025?",
    "How many accounts were closed last year?",
    "Customers per occupation",
    "Total deposits of NRI customers",
    "Median balance of current accounts",
    "Highest loan outstanding per branch",
    "Failed transactions by channel this month",
    "Share of deposits by segment",
    "Deposits by region and account type",
    "How many cards are active?",
    "Cards by type",
    "Total balance in Mumbai",
    "Number of branches in each state",
    "Minimum, maximum and average balance of fixed deposits",
    "Monthly number of new customers in 2025",
)


def main() -> None:
    """Ask every question several times, one after the other, and write the table."""
    assistant = open_assistant(
        read_settings(database_url=str(SAMPLE_BANK_FILE), openai_api_key=None, openai_base_url=None)
    )
    try:
        for question in QUESTIONS:
            measure(assistant, question)
        measured = [measure(assistant, question) for _ in range(ROUNDS) for question in QUESTIONS]
    finally:
        assistant.close()
    report = table(measured)
    REPORT.write_text(report, encoding="utf-8")
    print(report)


def measure(assistant: Assistant, question: str) -> dict[str, float | str]:
    """Ask, draw, and return milliseconds by part; `beyond` is all of it without the database's own time."""
    cpu_started, started = time.process_time(), time.perf_counter()
    answer = assistant.ask(question)
    answered = time.perf_counter()
    if answer.result is not None:
        formats = Formats(assistant.vocabulary.model.currency)
        draw(answer.result, answer.columns, answer.chart, formats).to_json()
    ended = time.perf_counter()
    database_ms = answer.result.elapsed_ms if answer.result is not None else 0.0
    return {
        "status": answer.status,
        **answer.timings_ms,
        "execution": answer.timings_ms["execution"] - database_ms,
        "chart": (ended - answered) * 1_000,
        "database": database_ms,
        "beyond": (ended - started) * 1_000 - database_ms,
        "processor": (time.process_time() - cpu_started) * 1_000,
    }


def table(measured: list[dict[str, float | str]]) -> str:
    """Write the percentiles of every part as Markdown."""
    columns: dict[str, list[float]] = defaultdict(list)
    for row in measured:
        for name, value in row.items():
            if isinstance(value, float):
                columns[name].append(value)
    named = {
        **{step: step for step in STEPS},
        "execution": "execution, beyond the database",
        "chart": "chart",
        "beyond": "**all, beyond the database**",
        "processor": "processor time of it, which other work on the machine does not lengthen",
        "database": "the database's own time",
    }
    lines = [
        f"| {label} | {' | '.join(f'{value:.1f}' for value in percentiles(columns[name]))} |"
        for name, label in named.items()
    ]
    answered = sum(row["status"] == "answered" for row in measured)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return "\n".join(
        [
            "# Time per question",
            "",
            f"{len(QUESTIONS)} questions on the sample bank (DuckDB), {ROUNDS} times each, one after the other in one",
            f"process, with the built-in model; {answered / len(measured):.0%} answered. {python},",
            f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}. Milliseconds;",
            f"wanted beyond the database: p50 under {TARGET_P50_MS}, p95 under {TARGET_P95_MS}.",
            "",
            "| part | p50 | p95 | worst |",
            "|---|---:|---:|---:|",
            *lines,
            "",
            "Written by `python -m benchmarks.question_latency`.",
            "",
        ]
    )


def percentiles(values: Iterable[float]) -> tuple[float, float, float]:
    """Return median, 95th percentile and maximum."""
    ordered = sorted(values)
    return statistics.median(ordered), statistics.quantiles(ordered, n=20)[-1], ordered[-1]


if __name__ == "__main__":
    main()
