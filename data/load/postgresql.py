"""A PostgreSQL database, filled with COPY in one transaction."""

from __future__ import annotations

from io import BytesIO
from types import TracebackType

import pyarrow as pa
import pyarrow.csv
import sqlalchemy as sa

from data.generate.bank import BANK_NAME
from data.schema import (
    BANK_INFO,
    BY_NAME,
    TABLES,
    comment_statements,
    create_statement,
    foreign_key_statements,
    index_statements,
)


class CannotBuild(Exception):
    """The database cannot be reached, or it holds tables that this builder did not make."""


class PostgreSQLLoader:
    """Replaces the sample bank in a database that holds nothing else; nothing changes before `finish`."""

    def __init__(self, url: str) -> None:
        self._engine = sa.create_engine(url)
        try:
            self._connection = self._engine.connect()
        except sa.exc.OperationalError as fault:
            raise CannotBuild(f"no connection: {str(fault.orig).strip()}") from fault
        try:
            self._refuse_what_is_not_ours()
            for table in reversed(TABLES):
                self._execute(f"DROP TABLE IF EXISTS {table.name}")
            for table in TABLES:
                self._execute(create_statement(table, foreign_keys=False))
                for statement in comment_statements(table):
                    self._execute(statement)
        except BaseException:
            self._close()
            raise

    def append(self, name: str, rows: pa.Table) -> None:
        """Add rows."""
        text = BytesIO()
        options = pa.csv.WriteOptions(include_header=False)
        pa.csv.write_csv(_plain(rows), text, options)
        driver = self._connection.connection.driver_connection
        copy = f"COPY {name} ({', '.join(rows.column_names)}) FROM STDIN (FORMAT csv)"
        with driver.cursor() as cursor, cursor.copy(copy) as sink:
            sink.write(text.getbuffer())

    def finish(self) -> None:
        """Check the foreign keys, build indexes and statistics, then commit."""
        for table in TABLES:
            for statement in (*index_statements(table), *foreign_key_statements(table)):
                self._execute(statement)
            self._execute(f"ANALYZE {table.name}")
        self._connection.commit()

    def __enter__(self) -> PostgreSQLLoader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _refuse_what_is_not_ours(self) -> None:
        """Raise unless the default schema is empty or holds an earlier build and nothing else."""
        inspector = sa.inspect(self._connection)
        present = {*inspector.get_table_names(), *inspector.get_view_names()}
        if not present:
            return
        strange = sorted(present - BY_NAME.keys()) or sorted(present)
        if present <= BY_NAME.keys() and BANK_INFO.name in present:
            columns = [column["name"] for column in inspector.get_columns(BANK_INFO.name)]
            query = f"SELECT bank_name FROM {BANK_INFO.name}"
            if "bank_name" in columns and self._connection.exec_driver_sql(query).scalars().all() == [BANK_NAME]:
                return
        raise CannotBuild(f"refusing to build: the database already holds {', '.join(strange)}")

    def _execute(self, statement: str) -> None:
        self._connection.exec_driver_sql(statement)

    def _close(self) -> None:
        self._connection.close()
        self._engine.dispose()


def _plain(rows: pa.Table) -> pa.Table:
    """Spell dictionary columns out, which the CSV writer does not take."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in rows.columns
    ]
    return pa.table(columns, names=rows.column_names)
