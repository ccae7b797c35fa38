"""A PostgreSQL database, filled with COPY in one transaction."""

from __future__ import annotations

from io import BytesIO
from types import TracebackType

import pyarrow as pa
import pyarrow.csv
import sqlalchemy as sa

from data.schema import BY_NAME, TABLES, comment_statements, create_statement, index_statements


class NotOurDatabase(Exception):
    """The database holds tables that this builder did not make."""


class PostgreSQLLoader:
    """Replaces the sample bank in a database that holds nothing else; nothing changes before `finish`."""

    def __init__(self, url: str) -> None:
        self._engine = sa.create_engine(url)
        self._connection = self._engine.connect()
        try:
            self._refuse_foreign_tables()
            for table in reversed(TABLES):
                self._execute(f"DROP TABLE IF EXISTS {table.name}")
            for table in TABLES:
                self._execute(create_statement(table))
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
        """Build indexes and statistics, then commit."""
        for table in TABLES:
            for statement in index_statements(table):
                self._execute(statement)
            self._execute(f"ANALYZE {table.name}")
        self._connection.commit()

    def __enter__(self) -> PostgreSQLLoader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _refuse_foreign_tables(self) -> None:
        """Raise unless the default schema is empty or holds exactly this builder's tables."""
        inspector = sa.inspect(self._connection)
        present = {*inspector.get_table_names(), *inspector.get_view_names()}
        strange = sorted(present - BY_NAME.keys())
        changed = sorted(
            name
            for name in present & BY_NAME.keys()
            if [column["name"] for column in inspector.get_columns(name)] != [c.name for c in BY_NAME[name].columns]
        )
        if strange or changed:
            raise NotOurDatabase(f"refusing to build: the database already holds {', '.join(strange + changed)}")

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
