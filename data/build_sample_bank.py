"""Build the sample bank: `python -m data.build_sample_bank --help`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from data.generate.bank import tables
from data.generate.plan import Plan
from data.schema import BY_NAME

FOLDER = Path(__file__).parent
SUFFIXES = {"duckdb": ".duckdb", "sqlite": ".sqlite"}
SPARK = "spark://"


class Loader(Protocol):
    """Takes tables into one database."""

    def append(self, name: str, rows: pa.Table) -> None:
        """Add rows to a table."""

    def finish(self) -> None:
        """Make what was added visible."""


def build(out: Path, *, as_of: date, scale: float = 1.0, engine: str = "duckdb") -> Path:
    """Build the bank into a file and return it; an existing file is replaced only when the new one is complete.

    Args:
        engine: "duckdb" or "sqlite".
        scale: 1 gives 12,000 customers and about 600,000 transactions.
    """
    with _replacing(out) as unfinished, _file_loader(engine)(unfinished) as loader:
        _fill(loader, Plan(as_of, scale))
    return out


def build_in_server(url: str, *, as_of: date, scale: float = 1.0, folder: Path | None = None) -> None:
    """Build the bank into a database of PostgreSQL or Spark that is empty or holds an earlier build.

    Args:
        folder: for Spark alone: where its files are to lie, which the server must be able to read too.

    Raises:
        CannotBuild: the database cannot be reached, or holds other tables.
    """
    with _server_loader(url, folder) as loader:
        _fill(loader, Plan(as_of, scale))


def _server_loader(url: str, folder: Path | None):
    if folder is not None:
        from data.load.spark import SparkLoader

        return SparkLoader(url, folder)
    from data.load.postgresql import PostgreSQLLoader

    return PostgreSQLLoader(url)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.engine.startswith(SPARK):
        if not options.out:
            parser.error("--out names the folder for the files of Spark's tables, which the server reads too")
    elif options.out and options.engine not in SUFFIXES:
        parser.error("--out names a file; a server is named by --engine alone")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that a terminated build still tidies up
    started = time.perf_counter()
    if options.engine in SUFFIXES:
        out = options.out or FOLDER / f"sample_bank{SUFFIXES[options.engine]}"
        place = str(build(out, as_of=options.as_of, scale=options.scale, engine=options.engine))
    else:
        from data.load.postgresql import CannotBuild

        try:
            build_in_server(options.engine, as_of=options.as_of, scale=options.scale, folder=options.out)
        except CannotBuild as refusal:
            print(refusal, file=sys.stderr)
            return 1
        place = "the database"
    print(f"Sample bank as of {options.as_of} built in {place} ({time.perf_counter() - started:.1f} s)")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m data.build_sample_bank", description="Build the sample bank.")
    parser.add_argument(
        "--out",
        type=Path,
        help="file to write (default: data/sample_bank.duckdb or .sqlite), with spark:// the folder of its files",
    )
    parser.add_argument(
        "--as-of", type=_day, default=_today(), help="last day of the data, YYYY-MM-DD (default: today)"
    )
    parser.add_argument("--scale", type=_positive, default=1.0, help="1 = 12,000 customers (default)")
    parser.add_argument(
        "--engine", type=_engine, default="duckdb", help="duckdb, sqlite, a postgresql+psycopg:// or spark:// URL"
    )
    return parser


def _today() -> date:
    return date.today()  # noqa: DTZ011 - the day on the builder's own calendar is meant


def _day(text: str) -> date:
    day = date.fromisoformat(text)
    if not 2000 <= day.year <= 2200:
        raise argparse.ArgumentTypeError("the year must lie between 2000 and 2200")
    return day


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number <= 100:
        raise argparse.ArgumentTypeError("the scale must be above 0 and at most 100")
    return number


def _engine(text: str) -> str:
    if text not in SUFFIXES and not text.startswith(("postgresql+psycopg://", SPARK)):
        raise argparse.ArgumentTypeError("choose duckdb, sqlite, a postgresql+psycopg:// or a spark:// URL")
    return text


def _file_loader(engine: str):
    if engine == "duckdb":
        from data.load.duckdb import DuckDBLoader

        return DuckDBLoader
    from data.load.sqlite import SQLiteLoader

    return SQLiteLoader


def _fill(loader: Loader, plan: Plan) -> None:
    for name, rows in tables(plan):
        expected = [column.name for column in BY_NAME[name].columns]
        if rows.column_names != expected:
            raise ValueError(f"{name} was generated with {rows.column_names}, the schema says {expected}")
        loader.append(name, rows)
    loader.finish()


@contextmanager
def _replacing(out: Path) -> Iterator[Path]:
    """Offer a neighbouring file to write, put in place of `out` at the end, removed on failure."""
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_name(f"{out.stem}.{os.getpid()}{out.suffix}.building")
    leftovers = [unfinished.with_name(unfinished.name + suffix) for suffix in ("", ".wal", "-journal")]
    try:
        yield unfinished
        unfinished.replace(out)
    finally:
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
