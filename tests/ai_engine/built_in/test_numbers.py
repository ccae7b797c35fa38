from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.built_in.numbers import number_at
from ai_engine.built_in.tokens import tokenise
from tests.ai_engine.built_in.cases import table

UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def read(text: str) -> tuple[int, Decimal, str | None] | None:
    tokens = tokenise(text)
    found = number_at(tokens, 0)
    return None if found is None else (len(tokens) - found[0], found[1].value, found[1].unit)


def indian(value: int) -> str:
    digits = str(value)
    head, tail = digits[:-3], digits[-3:]
    pairs = []
    while head:
        head, pair = head[:-2], head[-2:]
        pairs.insert(0, pair)
    return ",".join([*pairs, tail])


def in_words(value: int) -> str:
    if value < 20:
        return UNITS[value]
    return TENS[value // 10 - 2] + (f" {UNITS[value % 10]}" if value % 10 else "")


@pytest.mark.parametrize(("written", "value", "unit"), table("numbers.txt"))
def test_every_number_of_the_table_reads_as_it_says(written, value, unit):
    assert read(written) == (0, Decimal(value), unit or None)


@pytest.mark.parametrize(
    "text", ["a", "half", "k", "percent", ",", "₹", "Rs.", "lakhs", "a customer", "half the loans"]
)
def test_what_is_no_number_is_not_read_as_one(text):
    assert read(text) is None


def test_nothing_is_read_past_the_end():
    tokens = tokenise("Rs. 5")
    assert number_at(tokens[:2], 0) is None
    assert number_at(tokens, len(tokens)) is None


def test_a_number_ends_where_other_words_begin():
    assert read("5 lakh customers") == (1, Decimal(500_000), None)


@given(st.integers(0, 10**15))
def test_an_integer_grouped_the_indian_the_western_or_no_way_reads_as_itself(value):
    for written in (indian(value), f"{value:,}", str(value), f"₹{indian(value)}", f"Rs. {value:,}"):
        left, found, _ = read(written)
        assert (left, found) == (0, value), written


@given(st.integers(0, 99))
def test_an_integer_in_words_reads_as_itself(value):
    for written in (in_words(value), in_words(value).replace(" ", "-"), in_words(value).upper()):
        assert read(written) == (0, value, None)


@given(st.integers(1, 9_999), st.sampled_from([("lakh", 10**5), ("crore", 10**7), ("thousand", 1_000), ("k", 1_000)]))
def test_a_scale_multiplies_exactly(value, scale):
    name, factor = scale
    assert read(f"{value}.25 {name}") == (0, (Decimal(value) + Decimal("0.25")) * factor, None)
