"""Marks that nobody sees do not reach what is drawn, and letters that need them keep theirs."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.seen_text import seen

UNSEEN = frozenset("\x00\x1b\x9f\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff\U000e0001\U000e0041\U000e007f") | {
    chr(code) for first, last in ((0x202A, 0x202E), (0x2066, 0x2069)) for code in range(first, last + 1)
}
_KEPT_FORMATS = frozenset("\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd")


def unseen_texts(more=""):
    return st.text(alphabet=st.sampled_from(sorted(UNSEEN) + list(f"abc पुणे<&:\n{more}")), max_size=30)


MARKS = [*sorted(UNSEEN), "\u200c", "\u200d", "\ufe0f"]


@given(st.text())
def test_no_mark_without_a_shape_is_left(text):
    left = {mark for mark in seen(text) if unicodedata.category(mark) in {"Cf", "Cs", "Cc"}} - {"\n", "\t", "\r"}
    assert {mark for mark in left if mark not in _KEPT_FORMATS and ord(mark) < 0x11000} == set()
    assert seen(seen(text)) == seen(text)


@given(st.text(alphabet="abcÄ 1-", min_size=1), st.sampled_from(MARKS), st.data())
def test_two_texts_that_look_the_same_are_the_same(text, mark, data):
    place = data.draw(st.integers(0, len(text)))
    assert seen(text[:place] + mark + text[place:]) == text


@pytest.mark.parametrize("text", ["क्\u200dष", "می\u200cخواهم", "👨\u200d👩\u200d👧", "❤\ufe0f", "पुणे", "a\tb\nc"])
def test_letters_that_are_shaped_by_joiners_keep_them(text):
    assert seen(text) == text
