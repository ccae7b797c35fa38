from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.semantics.schema_words import WORDS
from ai_engine.semantics.words import name_key, stem, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Account Number", ("account", "number")),
        ("account_number", ("account", "number")),
        ("AC1001", ("ac", "1001")),
        ("customer's", ("customer", "s")),
        ("U.P.", ("u", "p")),
        ("São Paulo", ("são", "paulo")),
        ("", ()),
        ("_-!", ()),
    ],
)
def test_a_text_is_cut_at_everything_that_is_no_letter_or_digit(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("branches", "branch"),
        ("loans", "loan"),
        ("saving", "savings"),
        ("settlement", "settled"),
        ("disbursement", "disbursed"),
        ("deposited", "deposits"),
        ("accountants", "accountant"),
        ("yearly", "annual"),
        ("percentages", "percent"),
    ],
)
def test_forms_of_one_word_share_a_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("person", "thing"),
    [("accountant", "account"), ("officers", "office"), ("applicants", "application"), ("managers", "management")],
)
def test_who_does_a_thing_is_not_what_is_done(person, thing):
    assert stem(person) != stem(thing)


@pytest.mark.parametrize(("one", "other"), [("statement", "state"), ("account", "accent"), ("loan", "lean")])
def test_different_words_keep_different_stems(one, other):
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("date of birth", "birth date"),
        ("number of the account", "account numbers"),
        ("the city of the branch", "branch city"),
    ],
)
def test_two_spellings_of_one_name_share_a_key(one, other):
    assert name_key(words(one)) == name_key(words(other))


def test_a_name_of_articles_alone_has_no_key():
    assert name_key(("the", "of", "a")) == ()


@given(st.text(max_size=80))
def test_words_are_lower_case_and_cutting_them_again_changes_nothing(text):
    found = words(text)
    assert words(" ".join(found)) == found
    assert all(not word.isspace() and word for word in found)


@given(
    st.lists(st.sampled_from("account number city branch of the opening".split()), max_size=5).flatmap(
        lambda name: st.tuples(st.just(name), st.permutations(name))
    )
)
def test_a_key_forgets_the_order_of_the_words(pair):
    one, other = pair
    assert name_key(tuple(one)) == name_key(tuple(other))


def test_many_threads_stem_as_one_does():
    vocabulary = sorted(WORDS)
    alone = list(map(stem.__wrapped__, vocabulary))
    between_switches_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(16) as threads:
            together = list(threads.map(lambda _: list(map(stem.__wrapped__, vocabulary)), range(16)))
    finally:
        sys.setswitchinterval(between_switches_s)
    assert all(found == alone for found in together)
