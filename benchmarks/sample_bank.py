"""Measure how long the sample bank takes to build and how much memory; rewrites benchmarks/sample_bank.md.

Run `python -m benchmarks.sample_bank`; the scale 20 build needs about 1.5 GB of disk in the temporary folder.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import sqlalchemy as sa

TABLE = Path(__file__).with_suffix(".md")
AS_OF = "2026-11-21"
POSTGRES = os.environ.get("BENCH_POSTGRES_URL", "postgresql+psycopg://postgres@127.0.0.1:5432")
LIMITS = {1: "30 s", 20: "480 s, 4 GB"}


@dataclass(frozen=True)
class Build:
    engine: str
    scale: int
    transactions: int
    elapsed_s: float
    cpu_s: float
    peak_mb: float
    size_mb: float


def measure(arguments: list[str]) -> tuple[float, float, float]:
    """Return wall-clock seconds, processor seconds and peak resident megabytes of one build in a process of its own."""
    command = [sys.executable, "-m", "data.build_sample_bank", "--as-of", AS_OF, *arguments]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def in_file(engine: str, scale: int, folder: Path) -> Build:
    file = folder / f"bank.{engine}"
    elapsed_s, cpu_s, peak_mb = measure(["--engine", engine, "--scale", str(scale), "--out", str(file)])
    size_mb = file.stat().st_size / 2**20
    transactions = count(f"{engine}:///{file}")
    file.unlink()
    return Build(engine, scale, transactions, elapsed_s, cpu_s, peak_mb, size_mb)


def in_postgresql(scale: int) -> Build | None:
    """Build in a database of its own, dropped afterwards; None when no server answers."""
    name = f"sample_bank_{uuid4().hex}"
    server = sa.create_engine(f"{POSTGRES}/postgres", isolation_level="AUTOCOMMIT")
    try:
        connection = server.connect()
    except sa.exc.OperationalError:
        return None
    with connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
        try:
            elapsed_s, cpu_s, peak_mb = measure(["--engine", f"{POSTGRES}/{name}", "--scale", str(scale)])
            size = connection.exec_driver_sql(f"SELECT pg_database_size('{name}')").scalar_one()
            transactions = count(f"{POSTGRES}/{name}")
        finally:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    server.dispose()
    return Build("postgresql (client)", scale, transactions, elapsed_s, cpu_s, peak_mb, size / 2**20)


def count(url: str) -> int:
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT COUNT(*) FROM transactions").scalar_one()
    engine.dispose()
    return found


def report(builds: list[Build]) -> str:
    busy = os.getloadavg()[2]
    lines = [
        "# Building the sample bank",
        "",
        f"Python {platform.python_version()}, {os.cpu_count()} cores, as of {AS_OF}, "
        f"load average {busy:.1f} over the last 15 minutes. "
        "Written by `python -m benchmarks.sample_bank`.",
        "",
        "| engine | scale | transactions | time | limit | processor time | peak memory | size |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {one.engine} | {one.scale} | {one.transactions:,} | {one.elapsed_s:.1f} s | {LIMITS[one.scale]} "
        f"| {one.cpu_s:.1f} s "
        f"| {one.peak_mb:,.0f} MB | {one.size_mb:,.0f} MB |"
        for one in builds
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        builds = [in_file("duckdb", 1, Path(folder)), in_file("sqlite", 1, Path(folder))]
        builds += filter(None, [in_postgresql(1)])
        builds.append(in_file("duckdb", 20, Path(folder)))
    TABLE.write_text(report(builds), encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
