"""What a vocabulary file says of the columns by which a warehouse keeps rows apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import BadVocabulary
from ai_engine.semantics.kept_back import with_kept_back
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary
from ai_engine.semantics.partitions import Partition, has_zone

PAYMENTS = Table(
    "payments",
    (
        Column("payment_id", "integer", "INT"),
        Column("paid_at", "timestamp", "TIMESTAMP_NTZ"),
        Column("seen_at", "timestamp", "TIMESTAMP"),
        Column("Paid_Year", "integer", "INT"),
        Column("ds", "text", "STRING"),
        Column("flag", "boolean", "BOOLEAN"),
    ),
    primary_key=("payment_id",),
    partition_columns=("Paid_Year", "ds"),
)
PARTED = Catalogue("spark", (PAYMENTS,))
WHOLE = Catalogue("duckdb", (replace(PAYMENTS, columns=PAYMENTS.columns[:3], partition_columns=()),))
FILE = """\
semantic_model:
  - name: bank
    datasets:
      - name: payments
        source: payments
        custom_extensions:
          - vendor_name: BANKING_ASSISTANT
            data: '{"partitions": PARTITIONS}'
"""


def read(partitions: str, catalogue: Catalogue = PARTED) -> tuple[Partition, ...]:
    return load_vocabulary(FILE.replace("PARTITIONS", partitions), catalogue).dataset("payments").partitions


def test_a_partition_is_a_grain_of_a_date_under_the_spelling_of_the_database():
    assert read('{"paid_year": {"field": "paid_at", "grain": "year"}}') == (
        Partition("Paid_Year", "paid_at", "year", type="integer"),
    )
    assert read('{"ds": {"field": "paid_at", "grain": "day", "format": "%Y%m%d"}}') == (
        Partition("ds", "paid_at", "day", "%Y%m%d", "text"),
    )


def test_the_day_of_a_moment_with_a_zone_is_not_sure():
    [partition] = read('{"paid_year": {"field": "seen_at", "grain": "year"}}')
    assert partition.zoned


@pytest.mark.parametrize(
    ("dialect", "native", "zoned"),
    [
        ("spark", "TIMESTAMP", True), ("spark", "TIMESTAMP_NTZ", False), ("duckdb", "TIMESTAMP", False),
        ("duckdb", "TIMESTAMP WITH TIME ZONE", True), ("postgres", "TIMESTAMPTZ", True),
        ("trino", "timestamp(6)", False), ("trino", "timestamp(3) with time zone", True),
        ("oracle", "TIMESTAMP(6) WITH LOCAL TIME ZONE", True), ("tsql", "datetime2", False),
        ("tsql", "datetimeoffset", True), ("bigquery", "TIMESTAMP", True),
        ("bigquery", "DATETIME", False), ("clickhouse", "DateTime", True), ("snowflake", "TIMESTAMP_LTZ", True),
        ("postgres", "timestamp without time zone", False), ("snowflake", "TIMESTAMP_NTZ", False),
    ],
)  # fmt: skip
def test_which_moments_depend_on_a_zone(dialect, native, zoned):
    assert has_zone(native, dialect) is zoned


@pytest.mark.parametrize(
    ("partitions", "problem"),
    [
        ('{"paid_yaer": {"field": "paid_at", "grain": "year"}}', "no column 'paid_yaer', did you mean 'Paid_Year'"),
        ('{"paid_year": {"field": "paid_on", "grain": "year"}}', "no date 'paid_on', did you mean 'paid_at'"),
        ('{"paid_year": {"field": "payment_id", "grain": "year"}}', "no date 'payment_id'"),
        ('{"paid_year": {"field": "paid_at", "grain": "week"}}', "'week' is not one of year, month"),
        ('{"paid_year": {"field": "paid_at"}}', "'grain' is missing"),
        ('{"paid_year": "year of paid_at"}', "expected a mapping"),
        ('{"ds": {"field": "paid_at", "grain": "day"}}', "holds texts: say how they are spelled, as format %Y%m%d"),
        ('{"ds": {"field": "paid_at", "grain": "day", "format": "%d.%m.%Y"}}', "a day is spelled as %Y%m%d or"),
        ('{"flag": {"field": "paid_at", "grain": "day"}}', "holds no day: its type is BOOLEAN"),
        ('{"seen_at": {"field": "paid_at", "grain": "day"}}', "holds no day: its type is TIMESTAMP"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_at_its_place(partitions, problem):
    with pytest.raises(BadVocabulary) as fault:
        read(partitions)
    assert problem in str(fault.value)
    assert fault.value.line == 8


def test_where_the_table_is_in_one_piece_the_file_still_holds_and_keeps_what_it_says():
    said = '{"paid_year": {"field": "paid_at", "grain": "year"}}'
    [partition] = read(said, WHOLE)
    assert partition.type is None
    again = dump_vocabulary(load_vocabulary(FILE.replace("PARTITIONS", said), WHOLE))
    [parted] = load_vocabulary(again, PARTED).dataset("payments").partitions
    assert (parted.column, parted.type) == ("Paid_Year", "integer")


def test_a_written_file_reads_back_equal():
    said = '{"ds": {"field": "paid_at", "grain": "month", "format": "%Y-%m"}}'
    model = load_vocabulary(FILE.replace("PARTITIONS", said), PARTED)
    assert load_vocabulary(dump_vocabulary(model), PARTED) == model


def test_a_column_that_may_not_be_read_is_not_asked():
    said = '{"paid_year": {"field": "paid_at", "grain": "year"}}'
    model = load_vocabulary(FILE.replace("PARTITIONS", said), PARTED)
    held = with_kept_back(model, PARTED, {"payments": frozenset({"paid_year"})})
    assert held.dataset("payments").partitions == ()
