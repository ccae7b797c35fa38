"""What a kept result saves, and what an estimate costs: `python -m benchmarks.kept_results [FILE]`.

FILE is a sample bank as `data.build_sample_bank` makes it, else the one in `data/`. Each statement is run anew (and its
result kept), taken from what is kept, and estimated, in turns. Rewrites the table in benchmarks/kept_results.md.
"""

from __future__ import annotations

import os
import platform
import sys
import threading
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import duckdb

from ai_engine.ports import EstimatesCost, QueryRunner, runs_anew
from ai_engine.types import QueryResult
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import SAMPLE_BANK_FILE, read_settings
from benchmarks.rankings import time_ms

REPORT = Path(__file__).with_suffix(".md")
ROUNDS = 25
QUESTIONS = (
    "How many customers are there?",
    "Total transaction amount by branch and month",
    "Top 10 customers by transaction amount",
    "Which channel has the highest transaction amount?",
)
LONG_LIST = (
    "SELECT transaction_id, account_id, posted_at, amount, channel FROM transactions ORDER BY transaction_id LIMIT 1000"
)


def main() -> None:
    """Measure every statement and write the table."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE_BANK_FILE
    with TemporaryDirectory() as folder:
        known = read_settings(
            database_url=str(file), cache_dir=Path(folder), store_url=f"sqlite:///{folder}/store.sqlite",
            openai_api_key=None, openai_base_url=None, result_cache_mb=64,
        )  # fmt: skip
        assistant = open_assistant(known)
        try:
            counted = _run(assistant.runner, "SELECT COUNT(*) FROM transactions").rows[0][0]
            rows = [measure(assistant, *named) for named in statements(assistant)]
        finally:
            assistant.close()
    report = table(rows, int(str(counted)))
    REPORT.write_text(report, encoding="utf-8")
    print(report)


def statements(assistant: Assistant) -> list[tuple[str, str]]:
    """Return what each statement is called by, and what runs for it."""
    answers = [assistant.ask(question) for question in QUESTIONS]
    asked = [(answer.question, answer.sql or "") for answer in answers]
    return [(name, assistant.check(sql).run_sql) for name, sql in (*asked, ("A list of 1,000 rows", LONG_LIST))]


def measure(assistant: Assistant, name: str, sql: str) -> tuple[str, float, float, float, float]:
    """Return its name, and medians in ms: the bare engine, run and kept, taken from what is kept, estimated."""
    keeping = assistant.runner
    bare, estimates = assistant.database.runner, assistant.database.runner
    assert isinstance(estimates, EstimatesCost), "DuckDB tells"
    bare_ms, run_ms, kept_ms, estimate_ms = [], [], [], []
    for _ in range(ROUNDS):
        bare_ms.append(time_ms(lambda: _run(bare, sql)))
        run_ms.append(time_ms(lambda: _run(runs_anew(keeping), sql)))
        kept_ms.append(time_ms(lambda: _run(keeping, sql)))
        estimate_ms.append(time_ms(lambda: estimates.cost(sql, timeout_s=60, stop=threading.Event())))
    if _run(keeping, sql).ran_at is None:
        raise SystemExit(f"not kept: {sql}")
    return name, median(bare_ms), median(run_ms), median(kept_ms), median(estimate_ms)


def _run(runner: QueryRunner, sql: str) -> QueryResult:
    return runner.run(sql, max_rows=2_000, timeout_s=60, stop=threading.Event())


def table(rows: list[tuple[str, float, float, float, float]], transactions: int) -> str:
    """Write the medians as Markdown."""
    lines = [
        f"| {name} | {bare:.1f} | {run:.1f} | {kept:.1f} | {bare / kept:.1f} | {estimate:.1f} |"
        for name, bare, run, kept, estimate in rows
    ]
    return "\n".join(
        [
            "# Kept results and estimates",
            "",
            f"The sample bank with {transactions:,} transactions (DuckDB, 2 threads). Medians of {ROUNDS} runs in",
            "turns: the engine alone, the same with its result being kept, the kept result, and how many times",
            f"faster that is; beside it what the estimate of rows and bytes takes. {os.cpu_count()} cores, Python",
            f"{platform.python_version()}, DuckDB {duckdb.__version__}, load {os.getloadavg()[0]:.1f}.",
            "",
            "| statement | engine ms | run and kept ms | from what is kept ms | times faster | estimate ms |",
            "|---|---:|---:|---:|---:|---:|",
            *lines,
            "",
            "Written by `python -m benchmarks.kept_results [FILE]`.",
            "",
        ]
    )


if __name__ == "__main__":
    main()
