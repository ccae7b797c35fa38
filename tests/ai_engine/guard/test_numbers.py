"""A number is accepted only where the engine reads the whole of it as the guard does."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from tests.ai_engine.guard.test_names import ENGINES
from tests.ai_engine.guard.twins import POLICY, reachable_twins, twins_catalogue

SPELLINGS = st.one_of(
    st.text("0123456789abefoxABELX_.+- '\"$", min_size=1, max_size=8),
    st.from_regex(r"\A(0[xXbBoO][0-9a-fA-F_]{1,17}|[0-9_]{1,5}(\.[0-9_]{0,3})?([eE][+-]?[0-9_]{0,2})?[a-zL]?)\Z"),
)


@pytest.mark.parametrize("dialect", ENGINES)
def test_a_number_however_spelled_is_refused_or_read_as_the_engine_reads_it(dialect):
    with reachable_twins(dialect) as pair:

        @settings(max_examples=250, deadline=None)
        @given(SPELLINGS, st.sampled_from(["SELECT {}", "SELECT {} AS n", "SELECT 2 + {}"]))
        @example("0x1F", "SELECT {}")
        @example("0b11", "SELECT {}")
        @example("1_000", "SELECT {}")
        @example("0xFFFFFFFFFFFFFFFF", "SELECT {}")
        def reads_alike(spelled, around):
            sql = around.format(spelled)
            try:
                checked = check(sql, twins_catalogue(dialect), POLICY)
            except SqlRejected:
                return
            assert pair.first.answer(checked.run_sql)[::2] == pair.first.answer(sql)[::2], checked.run_sql

        reads_alike()


@pytest.mark.parametrize("spelled", ["b'1'", "X'41'", "0x41"])
def test_a_literal_of_bits_or_digits_is_told_whole(spelled):
    with pytest.raises(SqlRejected, match=f"number {spelled} is not written plainly"):
        check(f"SELECT {spelled}", twins_catalogue("mysql"), POLICY)
