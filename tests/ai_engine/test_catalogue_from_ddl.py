"""Catalogues out of CREATE TABLE statements."""

from __future__ import annotations

import pytest

from ai_engine.catalogue import ForeignKey, Index
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import BadConfiguration

SCRIPT = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, born DATE, income DECIMAL(12, 2));
CREATE TABLE accounts (
    id INTEGER, customer_id INTEGER REFERENCES customers (id), opened TIMESTAMP,
    PRIMARY KEY (id), UNIQUE (customer_id, opened), FOREIGN KEY (customer_id) REFERENCES customers (id)
);
CREATE INDEX i ON accounts (customer_id);
INSERT INTO customers VALUES (1, 'x', NULL, 0);
CREATE VIEW rich AS SELECT c.id, c.income * 12 AS yearly FROM customers c;
CREATE VIEW everyone AS SELECT * FROM customers;
"""


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql"])
def test_tables_columns_and_types_are_read(dialect):
    catalogue = catalogue_from_ddl(SCRIPT, dialect)
    customers = catalogue.table("customers")
    assert [column.name for column in customers.columns] == ["id", "name", "born", "income"]
    assert [column.type for column in customers.columns] == ["integer", "text", "date", "decimal"]
    assert customers.primary_key == ("id",)
    assert not customers.column("name").nullable


def test_a_key_of_sqlite_is_never_null_where_it_is_the_number_of_the_row():
    script = "CREATE TABLE t (id INTEGER, PRIMARY KEY (id)); CREATE TABLE u (a INTEGER, b TEXT, PRIMARY KEY (a, b))"
    numbered, other = catalogue_from_ddl(script, "sqlite").tables
    assert not numbered.column("id").nullable
    assert other.column("a").nullable


WAREHOUSES = {
    "trino": "CREATE TABLE tx (n BIGINT, a DECIMAL(38, 2), t TIMESTAMP(3) WITH TIME ZONE, l ARRAY(VARCHAR), "
    "ds VARCHAR) WITH (format = 'PARQUET', partitioned_by = ARRAY['ds'])",
    "spark": "CREATE TABLE tx (n BIGINT, a DECIMAL(38,2), t TIMESTAMP_NTZ, l ARRAY<STRING>, ds STRING) USING PARQUET "
    "PARTITIONED BY (ds)",
    "databricks": "CREATE TABLE tx (n BIGINT, a DECIMAL(38,2), t TIMESTAMP, l MAP<STRING,INT>, ds STRING) "
    "PARTITIONED BY (ds)",
    "clickhouse": "CREATE TABLE tx (n UInt64, a Nullable(Decimal(38, 2)), t DateTime64(3, 'UTC'), l Array(String), "
    "ds LowCardinality(String)) ENGINE = MergeTree PARTITION BY lower(ds) ORDER BY n",
    "bigquery": "CREATE TABLE tx (n INT64, a NUMERIC(38,2), t DATETIME, l STRUCT<a INT64>, ds STRING) PARTITION BY ds",
    "snowflake": "CREATE TABLE tx (n BIGINT, a NUMBER(38,2), t TIMESTAMP_LTZ, l VARIANT, ds STRING)",
    "oracle": "CREATE TABLE tx (n INTEGER, a NUMBER(38,2), t TIMESTAMP(6) WITH TIME ZONE, l BLOB, ds VARCHAR2(8 CHAR))",
    "tsql": "CREATE TABLE tx (n BIGINT, a MONEY, t DATETIMEOFFSET, l VARBINARY(8), ds NVARCHAR(8))",
}


@pytest.mark.parametrize("dialect", WAREHOUSES)
def test_types_and_partitions_of_warehouses_are_read(dialect):
    table = catalogue_from_ddl(WAREHOUSES[dialect], dialect).table("tx")
    assert [column.type for column in table.columns] == ["integer", "decimal", "timestamp", "other", "text"]
    told = dialect not in ("snowflake", "oracle", "tsql")
    assert table.partition_columns == (("ds",) if told else ())


def test_a_partition_by_a_function_of_a_column_is_one_by_the_column():
    script = "CREATE TABLE tx (n BIGINT, t TIMESTAMP(6)) WITH (partitioning = ARRAY['day(t)', 'bucket(n, 16)'])"
    assert catalogue_from_ddl(script, "trino").table("tx").partition_columns == ("t", "n")


def test_keys_are_read_from_columns_and_tables():
    accounts = catalogue_from_ddl(SCRIPT, "duckdb").table("accounts")
    assert accounts.primary_key == ("id",)
    assert accounts.unique_keys == (("customer_id", "opened"),)
    assert ForeignKey(("customer_id",), "customers", ("id",)) in accounts.foreign_keys


def test_views_give_the_columns_of_their_query():
    catalogue = catalogue_from_ddl(SCRIPT, "duckdb")
    assert [column.name for column in catalogue.table("rich").columns] == ["id", "yearly"]
    assert [column.name for column in catalogue.table("everyone").columns] == ["id", "name", "born", "income"]
    assert catalogue.table("rich").is_view


def test_a_schema_other_than_the_default_is_kept():
    catalogue = catalogue_from_ddl("CREATE TABLE core.t (a INT); CREATE TABLE public.u (a INT)", "postgres")
    assert catalogue.table("t").schema == "core"
    assert catalogue.table("u").schema is None


def test_a_script_without_tables_is_refused():
    with pytest.raises(BadConfiguration, match="no table"):
        catalogue_from_ddl("SELECT 1", "duckdb")


def test_indexes_are_read_and_what_they_compute_has_no_name():
    script = "CREATE TABLE t (a INT, b INT); CREATE UNIQUE INDEX one ON t (b DESC, a); CREATE INDEX two ON t (a + b)"
    indexes = catalogue_from_ddl(script, "sqlite").table("t").indexes
    assert indexes == (Index("one", ("b", "a")), Index("two", ("",)))


def test_heirs_and_partitions_know_their_kin():
    script = """CREATE TABLE kid (id INT, phone TEXT); CREATE TABLE old (left_on DATE) INHERITS (kid);
        CREATE TABLE parted (id INT, wealth INT) PARTITION BY RANGE (wealth);
        CREATE TABLE parted_0 PARTITION OF parted FOR VALUES FROM (0) TO (10) PARTITION BY LIST (lower(id));"""
    kid, old, parted = catalogue_from_ddl(script, "postgres").tables
    assert (kid.name, kid.kin, kid.parted_by) == ("kid", ("old",), ("",))
    assert (old.name, old.kin, [column.name for column in old.columns]) == ("old", ("kid",), ["id", "phone", "left_on"])
    assert (parted.name, parted.kin, parted.parted_by) == ("parted", ("parted_0",), ("id", "wealth"))


def test_partitions_of_mysql_are_told_by_their_columns():
    script = "CREATE TABLE t (a INT, b DATE) PARTITION BY RANGE (YEAR(b)) (PARTITION p0 VALUES LESS THAN (2))"
    assert catalogue_from_ddl(script, "mysql").table("t").parted_by == ("b",)
