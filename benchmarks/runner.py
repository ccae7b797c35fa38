"""What the worker path costs, and how many analysts one sample bank carries: `python -m benchmarks.runner [FILE]`.

Prints the table that is kept in `benchmarks/runner.md`.
"""

from __future__ import annotations

import os
import platform
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

import duckdb

from backend.databases import Database, open_database

SAMPLE_BANK = Path(__file__).resolve().parents[1] / "data" / "sample_bank.duckdb"
REPEATS = 200
ANALYSTS = 16
QUESTIONS_EACH = 25
THOUSAND_ROWS = "SELECT * FROM transactions LIMIT 1000"
QUESTIONS = (
    "SELECT COUNT(*) FROM transactions",
    "SELECT channel, COUNT(*), SUM(amount) FROM transactions GROUP BY channel ORDER BY 3 DESC",
    "SELECT b.city, SUM(a.balance) FROM accounts a JOIN branches b USING (branch_id) GROUP BY b.city ORDER BY 2 DESC",
    "SELECT DATE_TRUNC('month', t.posted_at) AS month, b.branch_name, SUM(t.amount) FROM transactions t "
    "JOIN accounts a USING (account_id) JOIN branches b USING (branch_id) GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT c.segment, AVG(t.amount) FROM transactions t JOIN accounts a USING (account_id) "
    "JOIN customers c USING (customer_id) WHERE t.status = 'Posted' GROUP BY 1",
    "SELECT loan_type, COUNT(*) FROM loans WHERE npa_status = 'NPA' GROUP BY 1",
)


def ask(database: Database, sql: str) -> int:
    return database.runner.run(sql, max_rows=1_000, timeout_s=30, stop=threading.Event()).row_count


def time_ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1_000


def overhead(file: Path) -> tuple[list[float], list[float]]:
    """Time the same 1,000 rows over the raw client and over a worker, in turns; ms each."""
    raw, through_worker = [], []
    with open_database(str(file)) as database, duckdb.connect(file, read_only=True, config={"threads": 2}) as client:
        ask(database, THOUSAND_ROWS)
        client.execute(THOUSAND_ROWS).fetchall()
        for _ in range(REPEATS):
            raw.append(time_ms(lambda: client.execute(THOUSAND_ROWS).fetchall()))
            through_worker.append(time_ms(lambda: ask(database, THOUSAND_ROWS)))
    return raw, through_worker


def analysts(file: Path) -> tuple[list[float], int, float]:
    """Let all analysts ask at once; return ms per question, failures, and seconds for everything."""
    times: list[float] = []
    failures: list[BaseException] = []

    def work(number: int) -> None:
        order = random.Random(number)
        for _ in range(QUESTIONS_EACH):
            try:
                times.append(time_ms(lambda: ask(database, order.choice(QUESTIONS))))
            except Exception as failure:  # noqa: BLE001  counted, whatever it is
                failures.append(failure)

    with open_database(str(file)) as database:
        ask(database, QUESTIONS[0])
        threads = [threading.Thread(target=work, args=(number,)) for number in range(ANALYSTS)]
        whole_s = time_ms(lambda: ([one.start() for one in threads], [one.join() for one in threads])) / 1_000
    return times, len(failures), whole_s


WITHHELD = frozenset({("customers", "email"), ("bookings", "note")})
VIEW_REPEATS = 15
BOOKINGS = 10_000_000
LARGE_BANK = f"""
    CREATE TABLE customers AS SELECT i AS customer_id, 'Segment ' || i % 4 AS segment, 'mail ' || i AS email
        FROM range(100000) r(i);
    CREATE TABLE accounts AS SELECT i AS account_id, i % 100000 AS customer_id, 'Branch ' || i % 40 AS branch
        FROM range(200000) r(i);
    CREATE TABLE bookings AS SELECT i AS booking_id, hash(i) % 200000 AS account_id, DATE '2024-01-01' + (i % 730)::INT
        AS day, (hash(i) % 100000 / 100)::DECIMAL(12, 2) AS amount, 'note ' || i AS note FROM range({BOOKINGS}) r(i);
"""
LARGE_QUESTIONS = {
    "join of three tables, by month and branch": "SELECT DATE_TRUNC('month', b.day), a.branch, c.segment, SUM(b.amount)"
    " FROM bookings b JOIN accounts a USING (account_id) JOIN customers c USING (customer_id) GROUP BY ALL",
    "sum of one month": "SELECT SUM(amount) FROM bookings WHERE day BETWEEN '2025-03-01' AND '2025-03-31'",
    "count": "SELECT COUNT(*) FROM bookings",
    "largest ten": "SELECT booking_id, day, amount FROM bookings ORDER BY amount DESC, booking_id LIMIT 10",
}


def views(folder: Path) -> dict[str, tuple[list[float], list[float]]]:
    """Time each question on the file itself and through the views that withhold columns, in turns; ms each."""
    file = folder / "large.duckdb"
    with duckdb.connect(file) as writer:
        writer.execute(LARGE_BANK)
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in LARGE_QUESTIONS}
    with open_database(str(file)) as plain, open_database(str(file)) as other:
        runners = plain.runner, other.without(WITHHELD)
        for name, sql in LARGE_QUESTIONS.items():
            for attempt in range(VIEW_REPEATS + 1):
                for runner, took in zip(runners, times[name], strict=True):
                    result = runner.run(sql, max_rows=10_000, timeout_s=120, stop=threading.Event())
                    if attempt:  # the first one warms up
                        took.append(result.elapsed_ms)
    return times


EXPORTED_ROWS = 1_000_000
EXPORT = """
import resource, sys, time
from datetime import date
from decimal import Decimal
from ai_engine.types import QueryResult
from backend.answers.excel import to_excel
from backend.answers.exports import to_csv

amounts, branches = [Decimal(n) / 100 for n in range(1_000)], [f"Branch {n}" for n in range(40)]
rows = tuple((n, branches[n % 40], amounts[n % 1_000], date(2026, 9, 30)) for n in range(int(sys.argv[1])))
result = QueryResult(("number", "branch", "amount", "day"), ("integer", "text", "decimal", "date"), rows)
began = time.perf_counter()
size = sum(map(len, to_csv(result))) if sys.argv[2] == "CSV" else len(to_excel(result))
print(time.perf_counter() - began, size / 1e6, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def export(kind: str) -> tuple[float, float, float]:
    """Write a million rows of four columns; return seconds, and megabytes of the file and of the process at most."""
    command = [sys.executable, "-c", EXPORT, str(EXPORTED_ROWS), kind]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    duration_s, file_mb, process_mb = map(float, told.split())
    return duration_s, file_mb, process_mb


def main() -> None:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE_BANK
    raw, through_worker = overhead(file)
    times, failures, whole_s = analysts(file)
    extra = [ours - theirs for ours, theirs in zip(through_worker, raw, strict=True)]
    cut = quantiles(times, n=100)
    print("# The runner\n\n`python -m benchmarks.runner`, on the sample bank at scale 1.\n")
    load = f"load average {os.getloadavg()[0]:.1f} (other work on the machine counts in every figure)"
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}, DuckDB {duckdb.__version__}, {load}.\n")
    print("| 1,000 rows of `transactions` | p50 ms | p95 ms |\n|---|---:|---:|")
    for name, values in (("raw client", raw), ("worker", through_worker), ("overhead (target p50 under 5)", extra)):
        print(f"| {name} | {median(values):.2f} | {quantiles(values, n=20)[-1]:.2f} |")
    print(f"\n| {ANALYSTS} analysts at once, {QUESTIONS_EACH} questions each | |\n|---|---:|")
    print(f"| questions answered | {len(times)} |\n| failures (target 0) | {failures} |")
    print(
        f"| p50 ms | {median(times):.0f} |\n| p95 ms (target under 1,000) | {cut[94]:.0f} |\n| p99 ms | {cut[98]:.0f} |"
    )
    print(f"| questions per second | {len(times) / whole_s:.0f} |")
    print(f"\n| {BOOKINGS:,} rows, columns withheld | file p50 ms | views p50 ms | ratio |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, (plain, kept) in views(Path(folder)).items():
            print(f"| {name} | {median(plain):.0f} | {median(kept):.0f} | {median(kept) / median(plain):.2f} |")
    print(f"\n| {EXPORTED_ROWS:,} rows of 4 columns | s | file MB | process MB, rows included (target under 300) |")
    print("|---|---:|---:|---:|")
    for kind in ("CSV", "Excel"):
        duration_s, file_mb, process_mb = export(kind)
        print(f"| {kind} | {duration_s:.1f} | {file_mb:.0f} | {process_mb:.0f} |")


if __name__ == "__main__":
    main()
