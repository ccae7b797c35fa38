"""Types of columns as every engine spells them."""

from __future__ import annotations

import pytest

from ai_engine.column_types import column_type


@pytest.mark.parametrize(
    ("kind", "spellings"),
    [
        ("integer", "bigint, INT64, Int64, Nullable(UInt32), LowCardinality(Nullable(Int8)), BYTEINT, tinyint"),
        ("decimal", "DECIMAL(38, 10); decimal(38,0); NUMBER; NUMBER(38,0); NUMERIC(38, 9); BIGNUMERIC; Decimal128(2)"),
        ("decimal", "Nullable(Decimal(18, 4)); money; smallmoney"),
        ("float", "double, FLOAT64, Nullable(Float32), BINARY_DOUBLE, real, double precision"),
        ("text", "varchar; varchar(max); STRING; VARCHAR2(20 CHAR); nvarchar(40); LowCardinality(String)"),
        ("text", "Enum8('a' = 1, 'b' = 2); uniqueidentifier; NCLOB; character varying(12)"),
        ("boolean", "boolean, Bool, Nullable(Bool), tinyint(1)"),
        ("date", "date, Date32, Nullable(Date)"),
        ("timestamp", "timestamp(3) with time zone; TIMESTAMP_NTZ(9); DateTime64(3, 'UTC'); datetimeoffset(7)"),
        ("timestamp", "timestamp_ltz; Nullable(DateTime); smalldatetime; TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        ("time", "time; time(3)"),
        ("other", "array(varchar); ARRAY<STRING>; Array(Nullable(Int8)); map(varchar, bigint); MAP<STRING,INT>"),
        ("other", "row(a bigint, b varchar); STRUCT<a: INT>; Tuple(Int8); VARIANT; JSON; bytea; varbinary; interval"),
    ],
)  # fmt: skip
def test_the_spellings_of_every_engine_are_one_type(kind: str, spellings: str) -> None:
    listed = spellings.split("; " if ";" in spellings else ", ")
    assert {spelled: column_type(spelled) for spelled in listed} == dict.fromkeys(listed, kind)
