from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.column_types import column_type
from backend.databases.cells import (
    CellTooLarge,
    append_columns,
    number_names,
    plain_columns,
    preview_bytes,
    typed_columns,
)

PLAIN = (int, float, bool, str, Decimal, date, datetime, timedelta, type(None))


@given(st.lists(st.one_of(st.none(), st.sampled_from(["a", "A", "a_2", "", " ", "sum", "?column?", "column_2"]))))
def test_numbered_names_are_unique_without_regard_to_case(names):
    numbered = number_names(names)
    assert len(numbered) == len(names)
    assert len({name.lower() for name in numbered}) == len(names)
    assert all(name.strip() for name in numbered)


@given(st.lists(st.sampled_from(["a", "b", "sum", "Total"]), unique=True))
def test_names_that_are_unique_already_stay_as_they_are(names):
    assert number_names(names) == tuple(names)


CELLS = st.one_of(
    st.none(), st.binary(max_size=100), st.text(), st.integers(), st.lists(st.integers()), st.uuids(), st.datetimes()
)


@given(st.lists(CELLS, min_size=1))
def test_every_cell_becomes_a_plain_value(cells):
    columns, held = plain_columns([(cell,) for cell in cells], max_cell_bytes=10_000)
    assert all(type(cell) in PLAIN for cell in columns[0].cells)
    assert columns[0].kinds == set(map(type, columns[0].cells))
    assert held >= sum(len(cell) for cell in columns[0].cells if isinstance(cell, str))


@given(st.binary(max_size=5_000))
def test_bytes_are_shown_as_short_text_that_tells_their_length(content):
    shown = preview_bytes(content)
    assert shown.startswith("0x")
    assert len(shown) < 90
    assert len(content) <= 32 or f"{len(content):,} bytes" in shown


def test_a_text_is_measured_in_bytes():
    plain_columns([("ä" * 50,)], max_cell_bytes=100)
    with pytest.raises(CellTooLarge):
        plain_columns([("ä" * 51,)], max_cell_bytes=100)
    plain_columns([("ä" * 50,), ("ä" * 50,)], max_cell_bytes=100)


def test_null_is_told_from_empty_and_from_not_a_number():
    columns, _ = plain_columns([(None, "", float("nan"), 0, False)], max_cell_bytes=10)
    null, empty, no_number, zero, no = (column.cells[0] for column in columns)
    assert null is None
    assert empty == ""
    assert isinstance(no_number, float)
    assert (zero, no) == (0, False)


@given(st.lists(st.lists(CELLS, min_size=1), min_size=1))
def test_pieces_put_together_are_the_whole(pieces):
    together = []
    for piece in pieces:
        together = append_columns(together, plain_columns([(cell,) for cell in piece], max_cell_bytes=10_000)[0])
    whole, _ = plain_columns([(cell,) for piece in pieces for cell in piece], max_cell_bytes=10_000)
    assert together == whole


def typed(column, declared=None):
    """Judge one column of plain values; return its type and its cells."""
    plain, _ = plain_columns([(cell,) for cell in column], max_cell_bytes=1_000)
    types, (judged,) = typed_columns(plain, [declared])
    assert judged.kinds == set(map(type, judged.cells))
    return types[0], judged.cells


@given(st.lists(st.one_of(st.none(), st.dates(date(1000, 1, 1))), min_size=1))
def test_text_of_strict_dates_is_read_as_dates(days):
    kind, cells = typed([None if day is None else day.isoformat() for day in days])
    assert cells == days
    assert kind == ("date" if any(days) else "other")


ZONES = st.sampled_from([None, timezone(timedelta(0)), timezone(timedelta(hours=5, minutes=30))])


@given(st.lists(st.datetimes(datetime.fromisoformat("1000-01-01"), timezones=ZONES), min_size=1))
def test_text_of_strict_timestamps_is_read_as_timestamps(moments):
    kind, column = typed([moment.isoformat(" ") for moment in moments])
    assert kind == "timestamp"
    assert column == moments
    assert [moment.utcoffset() for moment in column] == [moment.utcoffset() for moment in moments]


@pytest.mark.parametrize("odd", ["2024-02-30", "2024-2-3", "20240203", "2024-02-03 ", "2024-02", "", "٢٠٢٤-٠٢-٠٣"])
def test_one_value_that_is_no_date_leaves_the_column_text(odd):
    column = ["2024-01-31", odd, None]
    assert typed(column) == ("text", column)


def test_text_of_an_engine_that_has_dates_is_left_alone():
    assert typed(["2024-01-31"], "text") == ("text", ["2024-01-31"])


def test_decimals_of_one_column_get_one_scale_and_keep_their_value():
    kind, column = typed([Decimal("0.1"), Decimal("1.25"), None, Decimal("1E+3")])
    assert kind == "decimal"
    assert [str(cell) for cell in column] == ["0.10", "1.25", "None", "1000.00"]


def test_values_of_several_kinds_have_no_type():
    assert typed([1, "x"])[0] == "other"
    assert typed([1, 2.5])[0] == "float"


def test_a_date_the_client_could_only_spell_makes_its_column_text():
    assert typed([date(2024, 1, 31), None, "44-03-15 (BC)"], "date") == ("text", ["2024-01-31", None, "44-03-15 (BC)"])


def test_an_empty_result_keeps_its_declared_types():
    assert typed_columns([], ["date", None]) == (("date", "other"), [])


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        ("DECIMAL(18,2)", "decimal"),
        ("NUMERIC(10, 0)", "decimal"),
        ("character varying(20)", "text"),
        ("TIMESTAMP WITH TIME ZONE", "timestamp"),
        ("timestamp(6) without time zone", "timestamp"),
        ("TIME WITH TIME ZONE", "time"),
        ("DOUBLE PRECISION", "float"),
        ("tinyint(1)", "boolean"),
        ("INTEGER(11)", "integer"),
        ("BIGINT UNSIGNED", "integer"),
        ("INTEGER[]", "other"),
        ("STRUCT(a INTEGER)", "other"),
        ("ENUM('x', 'y')", "text"),
        ("BLOB", "other"),
        ("", "other"),
    ],
)
def test_a_native_type_is_one_of_ours(native, expected):
    assert column_type(native) == expected
