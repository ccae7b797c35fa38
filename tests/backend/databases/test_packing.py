from __future__ import annotations

from datetime import timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from backend.databases.cells import PlainColumn
from backend.databases.packing import pack_columns, unpack_rows

ZONES = st.sampled_from([None, timezone(timedelta(0)), timezone(timedelta(hours=5, minutes=30))])
COLUMN_KINDS = (
    st.decimals(allow_nan=False),
    st.dates(),
    st.datetimes(timezones=ZONES),
    st.times(),
    st.text(),
    st.text(st.sampled_from("a \0")),
    st.integers(),
    st.booleans(),
    st.one_of(st.decimals(allow_nan=False), st.floats(allow_nan=False), st.dates()),
)
CELLS = st.sampled_from([*COLUMN_KINDS, *(st.one_of(st.none(), kind) for kind in COLUMN_KINDS)])
ROWS = st.lists(CELLS, min_size=1, max_size=4).flatmap(lambda kinds: st.lists(st.tuples(*kinds), max_size=5))


@given(ROWS)
def test_rows_arrive_as_they_left(rows):
    columns = [PlainColumn(list(cells), set(map(type, cells))) for cells in zip(*rows, strict=True)]
    arrived = unpack_rows(pack_columns(columns))
    assert arrived == tuple(rows)
    assert [[(type(cell), str(cell)) for cell in row] for row in arrived] == [
        [(type(cell), str(cell)) for cell in row] for row in rows
    ]
