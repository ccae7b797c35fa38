from __future__ import annotations

from datetime import timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from backend.databases.packing import pack_columns, unpack_rows

ZONES = st.sampled_from([None, timezone(timedelta(0)), timezone(timedelta(hours=5, minutes=30))])
COLUMN_KINDS = (
    st.decimals(allow_nan=False),
    st.dates(),
    st.datetimes(timezones=ZONES),
    st.times(),
    st.text(),
    st.integers(),
    st.booleans(),
    st.one_of(st.decimals(allow_nan=False), st.floats(allow_nan=False), st.dates()),
)
ROWS = st.lists(st.sampled_from(COLUMN_KINDS), min_size=1, max_size=4).flatmap(
    lambda kinds: st.lists(st.tuples(*(st.one_of(st.none(), kind) for kind in kinds)), max_size=5)
)


@given(ROWS)
def test_rows_arrive_as_they_left(rows):
    arrived = unpack_rows(pack_columns(zip(*rows, strict=True)))
    assert arrived == tuple(rows)
    assert [[(type(cell), str(cell)) for cell in row] for row in arrived] == [
        [(type(cell), str(cell)) for cell in row] for row in rows
    ]
