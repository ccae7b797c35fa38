"""A database of a Spark Thrift server: Parquet files in a folder that the server reads too, and tables over them."""

from __future__ import annotations

import shutil
import uuid
from collections import Counter
from pathlib import Path
from types import TracebackType

import duckdb
import pyarrow as pa
from pyhive import exc, hive
from thrift.Thrift import TException

from backend.databases.address import parse_address
from backend.databases.engine import EngineFault
from backend.databases.spark_session import open_session
from data.generate.bank import BANK_NAME
from data.load.postgresql import CannotBuild
from data.schema import BANK_INFO, BY_NAME, TABLES, Table

_CONNECT_TIMEOUT_S = 60.0
_BUILD = "sample-bank-"
_TYPES = {"INTEGER": "INT", "VARCHAR": "STRING", "TIMESTAMP": "TIMESTAMP_NTZ"}
_PARTITIONS = {
    "transactions": ("posted_year", "INT", "Year of posting, by which the rows are kept apart", "year(posted_at)"),
    "monthly_balances": ("month_end", "DATE", "Last day of the month", "month_end"),
}
"""Table → the column it is partitioned by, its type and description, and what it is computed from."""


class SparkLoader:
    """Replaces the sample bank in a database that holds nothing else; nothing changes before `finish`."""

    def __init__(self, url: str, folder: Path) -> None:
        address = parse_address(url)
        self._location = {
            **dict(address.options), "host": address.host, "port": str(address.port), "user": address.user,
            "password": address.password, "database": address.database,
        }  # fmt: skip
        self._folder = folder.resolve() / f"{_BUILD}{uuid.uuid4().hex[:12]}"
        self._parts: Counter[str] = Counter()
        self._done = False
        try:
            self._session: hive.Connection = open_session(self._location, _CONNECT_TIMEOUT_S)
        except EngineFault as fault:
            raise CannotBuild(f"no connection: {fault.detail}") from None
        self._files = duckdb.connect(config={"memory_limit": "1500MB"})
        try:
            self._refuse_what_is_not_ours()
        except BaseException:
            self._close()
            raise

    def append(self, name: str, rows: pa.Table) -> None:
        """Write rows into files of their own."""
        place = self._folder / name
        place.mkdir(parents=True, exist_ok=True)
        self._parts[name] += 1
        part = f"part-{self._parts[name]}"
        self._files.register("incoming", rows)
        if name in _PARTITIONS:
            column, _, _, source = _PARTITIONS[name]
            select = f"SELECT *, {source} AS {column} FROM incoming" if column != source else "FROM incoming"
            options = f"PARTITION_BY ({column}), APPEND, FILENAME_PATTERN '{part}-{{uuid}}'"
            self._files.execute(f"COPY ({select}) TO '{_escaped(place)}' (FORMAT parquet, {options})")
        else:
            self._files.execute(f"COPY incoming TO '{_escaped(place / part)}.parquet' (FORMAT parquet)")
        self._files.unregister("incoming")

    def finish(self) -> None:
        """Put the tables over the new files, count their rows, and remove the files of earlier builds."""
        try:
            for table in TABLES:
                self._execute(f"DROP TABLE IF EXISTS {table.name}")
                self._execute(create_statement(table, self._folder / table.name))
                if table.name in _PARTITIONS:
                    self._execute(f"MSCK REPAIR TABLE {table.name}")
                self._execute(f"ANALYZE TABLE {table.name} COMPUTE STATISTICS")
        except (exc.Error, TException, OSError) as fault:
            raise CannotBuild(
                f"the server does not take the tables from {self._folder}: {type(fault).__name__}"
            ) from fault
        self._done = True
        for earlier in self._folder.parent.glob(f"{_BUILD}*"):
            if earlier != self._folder:
                shutil.rmtree(earlier, ignore_errors=True)

    def __enter__(self) -> SparkLoader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        if not self._done:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _refuse_what_is_not_ours(self) -> None:
        """Raise unless the database is empty or holds an earlier build and nothing else."""
        present = {name for _, name, _ in self._execute("SHOW TABLES")}
        strange = sorted(present - BY_NAME.keys())
        if present and not strange:
            strange = sorted(present)
            if BANK_INFO.name in present and self._execute(f"SELECT bank_name FROM {BANK_INFO.name}") == [(BANK_NAME,)]:
                return
        if present:
            raise CannotBuild(f"refusing to build: the database already holds {', '.join(strange)}")

    def _execute(self, statement: str) -> list[tuple]:
        with self._session.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def _close(self) -> None:
        self._files.close()
        self._session.close()


def create_statement(table: Table, place: Path) -> str:
    """Return CREATE TABLE over the files of a folder; Spark keeps descriptions, and neither keys nor NOT NULL."""
    by, kind, description, _ = _PARTITIONS.get(table.name, ("", "", "", ""))
    lines = [
        _column(one.name, _TYPES.get(one.type, one.type), one.description) for one in table.columns if one.name != by
    ]
    partitioned = ""
    if by:
        lines.append(_column(by, kind, description))
        partitioned = f" PARTITIONED BY ({by})"
    body = ",\n    ".join(lines)
    return (
        f"CREATE TABLE {table.name} (\n    {body}\n) USING parquet{partitioned} "
        f"LOCATION '{_escaped(place)}' COMMENT '{_escaped(table.description)}'"
    )


def _column(name: str, kind: str, description: str) -> str:
    return f"{name} {kind} COMMENT '{_escaped(description)}'"


def _escaped(text: object) -> str:
    return str(text).replace("\\", "\\\\").replace("'", "\\'")
