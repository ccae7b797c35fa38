"""An SQLite file: dates as ISO text, money as the nearest number of two decimals."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa

from data.schema import TABLES, create_statement, index_statements


class SQLiteLoader:
    """Writes tables into a new SQLite file, indexes last."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, isolation_level=None)
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF", "page_size = 8192"):
            self._connection.execute(f"PRAGMA {pragma}")
        for table in TABLES:
            self._connection.execute(create_statement(table))
        self._connection.execute("BEGIN")

    def append(self, name: str, rows: pa.Table) -> None:
        """Add rows."""
        places = ", ".join("?" * rows.num_columns)
        columns = ", ".join(rows.column_names)
        values = [_values(column.combine_chunks()) for column in rows.columns]
        self._connection.executemany(f"INSERT INTO {name} ({columns}) VALUES ({places})", zip(*values, strict=True))

    def finish(self) -> None:
        """Commit, then build the indexes and the statistics."""
        self._connection.execute("COMMIT")
        for table in TABLES:
            for statement in index_statements(table):
                self._connection.execute(statement)
        self._connection.execute("ANALYZE")

    def __enter__(self) -> SQLiteLoader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()


def _values(column: pa.Array) -> list:
    """Return what SQLite stores for an Arrow column."""
    if pa.types.is_dictionary(column.type):
        return column.dictionary_decode().to_pylist()
    if pa.types.is_decimal(column.type):
        return _numbers(column)
    if pa.types.is_timestamp(column.type):
        moments = np.datetime_as_string(column.to_numpy(zero_copy_only=False))
        return [moment.replace("T", " ") for moment in moments.tolist()]
    if pa.types.is_date(column.type):
        return column.cast(pa.string()).to_pylist()
    return column.to_pylist()


def _numbers(column: pa.Array) -> list:
    words = np.frombuffer(column.buffers()[1], dtype=np.int64)[::2]
    numbers = (words[column.offset : column.offset + len(column)] / 100).tolist()
    if not column.null_count:
        return numbers
    return [number if known else None for number, known in zip(numbers, column.is_valid().to_pylist(), strict=True)]
