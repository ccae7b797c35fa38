"""What is compiled for Spark, run by a real one: the rows of every shape, and dates as DuckDB sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any, get_args

import duckdb
import pytest

from ai_engine.catalogue import Catalogue, Column, Dialect, Table
from ai_engine.guard import Policy, check
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Grain, Intent, Measure, Period
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.spelled_days import day_expression
from tests.ai_engine.guard.spark_session import spark

from .bank import AS_OF, MODEL, ROWS, TABLES, catalogue, comparable
from .intents import SHAPES
from .test_shapes import expected, written

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.timeout(900)]
GRAINS: tuple[Grain, ...] = get_args(Grain)
DAYS = [
    *("1900-01-01", "1999-12-31", "2000-02-29", "2004-02-29", "2021-01-01", "2021-01-03", "2021-01-04", "2023-03-31"),
    *("2023-04-01", "2024-02-28", "2024-02-29", "2024-03-01", "2024-12-29", "2024-12-30", "2024-12-31", "2025-01-01"),
    *("2025-03-31", "2025-04-01", "2025-06-30", "2025-07-01", "2025-09-30", "2025-10-01", "2025-11-20", "2025-11-21"),
    *("2025-11-22", "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-10-31", "2026-11-21", "2099-12-31"),
]
HOURS = ["00:00:00", "23:59:59", "12:30:15", "06:00:00"]
MOMENTS = Dataset(
    "moments",
    "moments",
    (
        Field("moment_id", "moment_id", "integer", "identifier", "number"),
        Field("day", "day", "date", "time", "day"),
        Field("noted", "noted", "timestamp", "time", "moment"),
        Field("key", day_expression("day_key", number=True), "date", "time", "day of the key"),
        Field("spelled", day_expression("day_text", number=False), "date", "time", "day of the text"),
    ),
    "moment",
    ("moment_id",),
    default_time="day",
)
DATES = ("day", "noted", "key", "spelled")
_COLUMNS = (
    Column("moment_id", "integer"), Column("day", "date"), Column("noted", "timestamp"), Column("day_key", "integer"),
    Column("day_text", "text"),
)  # fmt: skip
KNOWN = Catalogue("spark", (*catalogue("spark").tables, Table("moments", _COLUMNS)))


def with_moments(fiscal_start: int) -> SemanticModel:
    return replace(MODEL, datasets=(*MODEL.datasets, MOMENTS), fiscal_year_start_month=fiscal_start)


def table_statements(types: dict[str, str]) -> Iterator[str]:
    """Create and fill all tables; both engines read the same literals."""
    for name, columns in TABLES.items():
        listed = ", ".join(_typed(column.replace(" primary key", ""), types) for column in columns)
        yield f"CREATE TABLE {name} ({listed})"
        yield f"INSERT INTO {name} VALUES {', '.join('(' + ', '.join(map(_literal, row)) + ')' for row in ROWS[name])}"
    listed = ", ".join(
        _typed(column, types)
        for column in ("moment_id integer", "day date", "noted timestamp", "day_key integer", "day_text varchar(40)")
    )
    yield f"CREATE TABLE moments ({listed})"
    rows = [
        f"({number}, DATE '{day}', CAST('{day} {HOURS[number % 4]}' AS {types['timestamp']}), "
        f"{day.replace('-', '')}, '{day.replace('-', '')}')"
        for number, day in enumerate(DAYS)
    ]
    yield f"INSERT INTO moments VALUES {', '.join(rows)}, (1000, NULL, NULL, -1, NULL), (1001, NULL, NULL, NULL, 'x')"


def _typed(column: str, types: dict[str, str]) -> str:
    name, kind = column.split(" ", 1)
    return f"{name} {types.get(kind, kind)}"


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return f"'{value}'" if isinstance(value, str) else f"CAST('{value}' AS {_kind(value)})"


def _kind(value: Any) -> str:
    return {"date": "DATE", "datetime": "TIMESTAMP", "Decimal": "DECIMAL(12,3)"}[type(value).__name__]


@pytest.fixture(scope="module")
def lake() -> Iterator[Any]:
    with spark() as session:
        types = {"varchar(40)": "STRING", "timestamp": "TIMESTAMP_NTZ", "integer": "INT"}
        session.sql("CREATE DATABASE compiled")
        session.sql("USE compiled")
        for statement in table_statements(types):
            session.sql(f"{statement} USING parquet" if statement.startswith("CREATE") else statement)
        yield session


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        for statement in table_statements({"timestamp": "TIMESTAMP"}):
            connection.execute(statement)
        yield connection


def sql_of(intent: Intent, dialect: Dialect, fiscal_start: int = 4) -> str:
    return compile_intent(intent, with_moments(fiscal_start), dialect, AS_OF).sql


def on_spark(lake: Any, sql: str) -> list[tuple[Any, ...]]:
    """Run what the guard makes of a statement."""
    return comparable(map(tuple, lake.sql(check(sql, KNOWN, Policy()).run_sql).collect()))


def on_duckdb(duck: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return comparable(duck.execute(sql).fetchall())


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_gives_the_rows_of_its_file(lake: Any, name: str):
    assert written(on_spark(lake, sql_of(SHAPES[name], "spark")), name) == expected(name)[1]


def ref(field: str, grain: Grain | None = None, since: str | None = None) -> FieldRef:
    start = FieldRef(dataset="moments", field=since) if since else None
    return FieldRef(dataset="moments", field=field, grain=grain, since=start)


@pytest.mark.parametrize("fiscal_start", [1, 4, 7, 12])
@pytest.mark.parametrize("field", DATES)
def test_every_date_is_the_same_at_every_grain(lake: Any, duck: duckdb.DuckDBPyConnection, field, fiscal_start):
    grains = [grain for grain in GRAINS if grain not in ("hour", "hour_of_day") or field == "noted"]
    columns = (ref("moment_id"), *(ref(field, grain) for grain in grains), *(ref(field, since=one) for one in DATES))
    intent = Intent(subject="moments", columns=columns)
    there, here = (
        on_spark(lake, sql_of(intent, "spark", fiscal_start)),
        on_duckdb(duck, sql_of(intent, "duckdb", fiscal_start)),
    )
    names = ["moment_id", *grains, *(f"days since {one}" for one in DATES)]
    differing = [
        (DAYS[int(one[0])] if one[0] < len(DAYS) else None, name, left, right)
        for one, other in zip(sorted(there), sorted(here), strict=True)
        for name, left, right in zip(names, one, other, strict=True)
        if left != right and (name != "age_years" or DAYS[int(one[0])] <= AS_OF.isoformat())
    ]
    assert differing == []


COUNT = Measure(aggregate="count", dataset="moments")
SPAN = Period(start=date(2024, 1, 1), end=date(2026, 12, 1), label="a while")
STEPS: tuple[Grain, ...] = ("day", "week", "month", "quarter", "year", "fiscal_quarter", "fiscal_year")


@pytest.mark.parametrize("field", DATES)
@pytest.mark.parametrize("grain", STEPS)
def test_steps_without_data_are_shown_alike(lake: Any, duck: duckdb.DuckDBPyConnection, grain, field):
    start = date(2024, 2, 1) if grain in ("day", "week") else SPAN.start
    end = date(2024, 4, 15) if grain in ("day", "week") else SPAN.end
    period = SPAN.model_copy(update={"start": start, "end": end, "field": ref(field)})
    intent = Intent(measures=(COUNT,), dimensions=(Dimension(field=ref(field, grain)),), period=period, fill_gaps=True)
    assert on_spark(lake, sql_of(intent, "spark")) == on_duckdb(duck, sql_of(intent, "duckdb"))


COMPARED = [
    (grain, compare, start, end)
    for grain, start, end in (
        ("day", date(2024, 3, 1), date(2024, 4, 1)),
        ("week", date(2024, 12, 30), date(2025, 1, 27)),
        ("month", date(2025, 1, 1), date(2026, 1, 1)),
        ("quarter", date(2025, 1, 1), date(2026, 1, 1)),
        ("year", date(2025, 1, 1), date(2026, 1, 1)),
        ("fiscal_quarter", date(2025, 4, 1), date(2026, 4, 1)),
        ("fiscal_year", date(2025, 4, 1), date(2026, 4, 1)),
    )
    for compare in ("previous_period", "same_period_last_year")
]


@pytest.mark.parametrize("field", ["day", "noted"])
@pytest.mark.parametrize(("grain", "compare", "start", "end"), COMPARED)
def test_a_period_lies_alike_on_the_one_before(
    lake: Any, duck: duckdb.DuckDBPyConnection, grain, compare, start, end, field
):
    period = Period(start=start, end=end, label="a while", field=ref(field))
    intent = Intent(measures=(COUNT,), dimensions=(Dimension(field=ref(field, grain)),), period=period, compare=compare)
    assert on_spark(lake, sql_of(intent, "spark")) == on_duckdb(duck, sql_of(intent, "duckdb"))


CONDITIONS = [
    *(Condition(field=ref(field), operator=operator, values=(date(2024, 2, 29),))
      for field in DATES for operator in ("=", "!=", "<", "<=", ">", ">=")),
    *(Condition(field=ref(field), operator="between", values=(date(2024, 2, 29), date(2025, 4, 1))) for field in DATES),
    *(Condition(field=ref(field, "month"), operator="=", values=(date(2024, 2, 1),)) for field in DATES),
    *(Condition(field=ref(field, "week"), operator=">", values=(date(2024, 12, 30),)) for field in DATES),
    *(Condition(field=ref(field, "year"), operator="in", values=(2024, 2026)) for field in DATES),
    *(Condition(field=ref(field, "weekday"), operator="=", values=(7,)) for field in DATES),
    *(Condition(field=ref(field, "fiscal_year"), operator="=", values=("FY2025",)) for field in DATES),
    *(Condition(field=ref(field, "age_years"), operator=">=", values=(1,)) for field in DATES),
    Condition(field=ref("noted", "hour_of_day"), operator=">=", values=(12,)),
    Condition(field=ref("day"), operator="is null"),
]  # fmt: skip


def test_conditions_on_dates_choose_the_same_rows(lake: Any, duck: duckdb.DuckDBPyConnection):
    differing = []
    for condition in CONDITIONS:
        intent = Intent(subject="moments", columns=(ref("moment_id"),), filters=(condition,))
        there, here = on_spark(lake, sql_of(intent, "spark")), on_duckdb(duck, sql_of(intent, "duckdb"))
        if sorted(there) != sorted(here):
            differing.append((condition, there, here))
    assert differing == []
