"""The twins on Spark: two sessions of one Spark, each with its own temporary views."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ai_engine.catalogue import Catalogue
from tests.ai_engine.guard.spark_session import spark
from tests.ai_engine.guard.twins import (
    IN_ONE_BANK,
    TABLES,
    VIEWS_AS_WRITTEN,
    Answer,
    Twins,
    rows_of,
    twins_catalogue,
)

_VIEW = re.compile(r"CREATE VIEW (\w+) AS (.*)")
_TYPES = {"people.contact": "STRUCT<email: STRING, phone: STRING>", "tokens.token": "INT"}


class SparkBank:
    """One of the twins."""

    def __init__(self, session: Any, twin: int) -> None:
        self._session = session
        for table, columns in (TABLES if twin else {**TABLES, **IN_ONE_BANK}).items():
            values = "), (".join(rows_of("spark", twin, table))
            names = ", ".join(f"`{name}`" for name in columns)
            typed = ", ".join(
                f"CAST(`{name}` AS {_TYPES.get(f'{table}.{name}', 'STRING')}) AS `{name}`" for name in columns
            )
            session.sql(f"SELECT {typed} FROM VALUES ({values}) AS t({names})").createOrReplaceTempView(f"`{table}`")
        for view in VIEWS_AS_WRITTEN:
            name, query = _VIEW.fullmatch(view).groups()  # type: ignore[union-attr]
            session.sql(query).createOrReplaceTempView(name)

    def execute(self, sql: str) -> None:
        """Run a statement that has to succeed."""
        self._session.sql(sql).collect()

    def answer(self, sql: str) -> Answer:
        """Run any statement."""
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        try:
            frame = self._session.sql(sql)
            return "rows", frame.columns, [tuple(row) for row in frame.collect()]
        except PySparkException as error:
            return "error", error.getCondition() or type(error).__name__, None
        except Py4JJavaError as error:  # of a part that another thread has worked on
            return "error", _condition_within(error.java_exception), None

    def catalogue(self) -> Catalogue:
        """What was made."""
        return twins_catalogue("spark")


def _condition_within(wrapped: Any) -> str:
    """Spark's name for what went wrong first; the name of the outermost exception where it has none."""
    from py4j.java_gateway import is_instance_of
    from pyspark import SparkContext

    fault = wrapped
    while fault is not None:
        if is_instance_of(SparkContext._gateway, fault, "org.apache.spark.SparkThrowable"):
            return str(fault.getCondition())
        fault = fault.getCause()
    return str(wrapped.getClass().getName())


@contextmanager
def spark_twins() -> Iterator[Twins]:
    """Both banks, readable in full: nothing but the guard keeps a statement from their secrets."""
    with spark() as session:
        first, second = (SparkBank(session.newSession(), twin) for twin in (0, 1))
        yield Twins(first, second, first.catalogue(), {})
