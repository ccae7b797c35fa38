from __future__ import annotations

import os
import pickle
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.databases.frames import BrokenFrame, FrameReader, encode

CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.decimals(allow_nan=False),
    st.dates(),
    st.times(),
    st.timedeltas(),
    st.datetimes(timezones=st.sampled_from([None, timezone(timedelta(hours=5))])),
)


@given(st.lists(st.lists(CELLS), min_size=1, max_size=4), st.integers(1, 64))
def test_messages_arrive_whole_whatever_the_pieces(messages, size):
    stream = b"".join(encode(message) for message in messages)
    reader = FrameReader(1 << 20)
    arrived = []
    for start in range(0, len(stream), size):
        message = reader.feed(stream[start : start + size])
        while message is not None:
            arrived.append(message)
            message = reader.next()
    assert arrived == messages


def test_a_frame_that_would_build_anything_else_is_refused():
    for object_ in (os.system, print, object()):
        with pytest.raises(BrokenFrame):
            FrameReader(1 << 20).feed(encode(object_))


class Attack:
    def __reduce__(self):
        return os.system, ("true",)


def test_a_frame_cannot_run_code():
    assert b"system" in pickle.dumps(Attack())
    with pytest.raises(BrokenFrame, match="may not travel"):
        FrameReader(1 << 20).feed(encode(Attack()))


def test_a_frame_beyond_its_bound_is_refused_before_it_is_read():
    with pytest.raises(BrokenFrame, match="bytes"):
        FrameReader(100).feed(encode("x" * 200)[:20])


def test_the_end_of_the_stream_is_told():
    with pytest.raises(BrokenFrame, match="closed"):
        FrameReader(100).feed(b"")


@given(st.binary(min_size=8, max_size=60))
def test_noise_is_a_broken_frame_or_nothing_yet(noise):
    reader = FrameReader(40)
    try:
        reader.feed((len(noise) - 8).to_bytes(8) + noise[8:])
    except BrokenFrame:
        return


def test_decimals_and_zones_travel_exactly():
    row = (Decimal("1.10"), datetime.fromisoformat("2024-01-31T10:00:00+05:30"))
    arrived = FrameReader(1 << 20).feed(encode(row))
    assert [str(cell) for cell in arrived] == [str(cell) for cell in row]
