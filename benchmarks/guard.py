"""How long the guard takes per statement: `python -m benchmarks.guard [--write]`.

Prints a table per dialect; `--write` stores it in benchmarks/guard.md.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from contextlib import suppress
from pathlib import Path
from random import Random

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import SqlRejected
from ai_engine.guard import Policy, check
from tests.ai_engine.guard.nests import nest

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "tests/fixtures/sql/schema.sql"
DIALECTS = ("duckdb", "sqlite", "postgres", "mysql")
FIVE_JOINS = """
SELECT b.region, c.segment, a.account_type, t.channel, SUM(t.amount) AS volume, COUNT(DISTINCT k.card_id) AS cards
FROM transactions t JOIN accounts a ON a.account_id = t.account_id JOIN customers c ON c.customer_id = a.customer_id
JOIN branches b ON b.branch_id = a.branch_id LEFT JOIN cards k ON k.account_id = a.account_id
LEFT JOIN loans l ON l.customer_id = c.customer_id
WHERE t.posted_on >= '2024-01-01' AND t.status = 'posted' GROUP BY b.region, c.segment, a.account_type, t.channel
HAVING SUM(t.amount) > 1000 ORDER BY volume DESC LIMIT 20
"""
WIDE = ", ".join(
    f"SUM(CASE WHEN t.channel = 'UPI' AND t.amount > {step} THEN t.amount ELSE 0 END) AS over_{step}"
    for step in range(112)
)
TEN_KILOBYTES = (
    f"SELECT a.branch_id, {WIDE} FROM transactions t JOIN accounts a USING (account_id) GROUP BY a.branch_id"
)


def measure(sql: str, dialect: str, runs: int) -> list[float]:
    """Milliseconds of processor time per check, ascending; other work on the machine does not count.

    What is loaded is left out of garbage collections, as in the process that judges a batch.
    """
    catalogue = catalogue_from_ddl(SCHEMA.read_text(), dialect)
    policy = Policy(restricted_columns={"customers": frozenset({"phone"})})
    check(sql, catalogue, policy)
    gc.collect()
    gc.freeze()
    taken = []
    for _ in range(runs):
        begun = time.process_time()
        check(sql, catalogue, policy)
        taken.append((time.process_time() - begun) * 1000)
    return sorted(taken)


def slowest_nest(dialect: str) -> float:
    """Milliseconds of processor time for the worst of many statements made to be hard to parse."""
    catalogue = catalogue_from_ddl(SCHEMA.read_text(), dialect)
    slowest = 0.0
    for seed in range(2_000):
        statement = nest(Random(seed))
        begun = time.process_time()
        with suppress(SqlRejected):
            check(statement, catalogue, Policy(allow_union=True))
        slowest = max(slowest, time.process_time() - begun)
    return slowest * 1000


def table() -> str:
    """A Markdown table of all dialects."""
    lines = [
        "| dialect | five joins: best | p50 | p99 | 10 kB p50 | slowest of 2,000 nests |",
        "|---|---|---|---|---|---|",
    ]
    for dialect in DIALECTS:
        five = measure(FIVE_JOINS, dialect, 200)
        long = measure(TEN_KILOBYTES, dialect, 7)
        nests = slowest_nest(dialect)
        usual = f"{five[0]:.2f} ms | {five[100]:.2f} ms | {five[197]:.2f} ms"
        lines.append(f"| {dialect} | {usual} | {long[3]:.1f} ms | {nests:.0f} ms |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, and store it when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    text = table()
    print(text)
    if parser.parse_args().write:
        head = (
            "# The guard\n\nMilliseconds of processor time per checked statement; "
            f"the long one has {len(TEN_KILOBYTES)} characters. The best of 200 runs is the one that other work on the "
            "machine disturbed least. Garbage is collected meanwhile, as in the process of `check --batch`. "
            f"Meanwhile {os.getloadavg()[0]:.1f} processes wanted one of {os.cpu_count()} processors.\n\n"
        )
        (ROOT / "benchmarks/guard.md").write_text(f"{head}{text}\n")


if __name__ == "__main__":
    main()
