from __future__ import annotations

import pytest

from ai_engine.errors import NotPermitted
from ai_engine.types import Answer
from backend.store import Store
from backend.trust.feedback_book import FeedbackBook
from backend.trust.verified_book import Permissions

ANSWER = Answer("Deposits by branch", "answered", "built-in", "Total deposits by branch", "SELECT 1", question_id="q1")


@pytest.fixture
def book(store: Store) -> FeedbackBook:
    return FeedbackBook(lambda: store, "duckdb:///bank", Permissions(frozenset({"asha"})), most_chars=20)


def test_what_a_person_says_of_an_answer_takes_the_place_of_what_they_said_before(book: FeedbackBook):
    book.say(ANSWER, "right", "", "meera")
    book.say(ANSWER, "wrong", "  closed accounts are in it  ", "meera")
    book.say(ANSWER, "right", "", "vikram")
    mine = book.of_answer("q1", "meera")
    assert mine is not None
    assert (mine.verdict, mine.reason, mine.question, mine.sql) == (
        "wrong", "closed accounts are ", "Deposits by branch", "SELECT 1",
    )  # fmt: skip
    assert [one.said_by for one in book.listed("asha")] == ["vikram", "meera"]
    assert book.of_answer("q1", "asha") is None


def test_only_who_may_verify_reads_what_others_said_and_settles_it_once(book: FeedbackBook):
    said = book.say(ANSWER, "wrong", "", "meera")
    for forbidden in (lambda: book.listed("meera"), lambda: book.settle(said.id, "meera")):
        with pytest.raises(NotPermitted):
            forbidden()
    assert book.settle(said.id, "asha")
    assert not book.settle(said.id, "asha")
    assert book.listed("asha", only_open=True) == []
    assert [one.settled_by for one in book.listed("asha")] == ["asha"]


def test_what_was_said_of_one_database_is_not_told_of_another(book: FeedbackBook, store: Store):
    book.say(ANSWER, "wrong", "", "meera")
    other = FeedbackBook(lambda: store, "duckdb:///other", Permissions(frozenset({"*"})), most_chars=20)
    assert other.listed("meera") == []
    assert other.of_answer("q1", "meera") is None
