"""What a ranking costs beyond the raw client, on a large bank: `python -m benchmarks.rankings FILE`.

Build the file with `python -m data.build_sample_bank --scale 9.5 --out FILE` (six million transactions). Each question
and the statement that answers it are run in turns, in one process. Rewrites the table in benchmarks/rankings.md.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import duckdb

from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import read_settings

REPORT = Path(__file__).with_suffix(".md")
ROUNDS = 15
TARGET_RATIO = 1.15
QUESTIONS = (
    "Top 10 customers by transaction amount",
    "Top 5 branches by number of transactions",
    "Which 10 accounts have the most transactions?",
    "Which channel has the highest transaction amount?",
    "Top 10 cities by transaction amount last year",
)


def main() -> None:
    """Measure every question and write the table."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    file = Path(sys.argv[1])
    assistant = open_assistant(read_settings(database_url=str(file), openai_api_key=None, openai_base_url=None))
    try:
        with duckdb.connect(file, read_only=True, config={"threads": 2}) as client:
            counted = client.execute("SELECT COUNT(*) FROM transactions").fetchone()
            rows = [measure(assistant, client, question) for question in QUESTIONS]
    finally:
        assistant.close()
    report = table(rows, transactions=counted[0] if counted else 0)
    REPORT.write_text(report, encoding="utf-8")
    print(report)


def measure(assistant: Assistant, client: duckdb.DuckDBPyConnection, question: str) -> tuple[str, float, float, float]:
    """Return the question, and medians in ms: the raw client, the assistant's own statements, the whole answer."""
    first = assistant.ask(question)
    if first.result is None or first.sql is None:
        raise SystemExit(f"not answered: {question}: {first.error}")
    sql = first.sql
    raw, database, whole = [], [], []
    for _ in range(ROUNDS):
        raw.append(time_ms(lambda: client.execute(sql).fetchall()))
        began = time.perf_counter()
        answer = assistant.ask(question)
        whole.append((time.perf_counter() - began) * 1_000)
        database.append(answer.timings_ms["execution"] + answer.timings_ms["insight"])
    return question, median(raw), median(database), median(whole)


def time_ms(work: Callable[[], object]) -> float:
    """Return how long a piece of work takes, in ms."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1_000


def table(rows: list[tuple[str, float, float, float]], *, transactions: int) -> str:
    """Write the medians as Markdown."""
    raw_ms, database_ms, whole_ms = (sum(row[place] for row in rows) for place in (1, 2, 3))
    measured = [*rows, ("**all of them**", raw_ms, database_ms, whole_ms)]
    lines = [
        f"| {question} | {raw:.0f} | {database:.0f} | {database / raw:.2f} | {whole:.0f} |"
        for question, raw, database, whole in measured
    ]
    return "\n".join(
        [
            "# Rankings on a large bank",
            "",
            f"The sample bank with {transactions:,} transactions (DuckDB, 2 threads). Medians of {ROUNDS} runs, the",
            "raw client and the assistant in turns. Execution and insight hold every statement that a question runs: a",
            f"ranking runs one. Wanted: at most {TARGET_RATIO} times the raw client. {os.cpu_count()} cores,",
            f"Python {platform.python_version()}, DuckDB {duckdb.__version__}, load {os.getloadavg()[0]:.1f}.",
            "",
            "| question | raw client ms | execution and insight ms | ratio | whole answer ms |",
            "|---|---:|---:|---:|---:|",
            *lines,
            "",
            "Written by `python -m benchmarks.rankings FILE`.",
            "",
        ]
    )


if __name__ == "__main__":
    main()
