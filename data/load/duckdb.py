"""A DuckDB file."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import duckdb
import pyarrow as pa

from data.schema import TABLES, comment_statements, create_statement


class DuckDBLoader:
    """Writes tables into a new DuckDB file."""

    def __init__(self, file: Path) -> None:
        self._connection = duckdb.connect(file, config={"memory_limit": "1500MB", "preserve_insertion_order": "true"})
        self._connection.begin()
        for table in TABLES:
            self._connection.execute(create_statement(table))
            for statement in comment_statements(table):
                self._connection.execute(statement)
        self._connection.commit()

    def append(self, name: str, rows: pa.Table) -> None:
        """Add rows, columns matched by name."""
        self._connection.register("incoming", rows)
        self._connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM incoming")
        self._connection.unregister("incoming")

    def finish(self) -> None:
        """Make the file complete and compact."""
        self._connection.execute("CHECKPOINT")

    def __enter__(self) -> DuckDBLoader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
