"""Words that were not understood: counted without who asked, and taught."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.errors import CannotChangeVocabulary
from ai_engine.model_use import LOCAL, begin_asking
from ai_engine.types import Answer
from backend.opening import open_assistant
from backend.renewal import renewed, trying
from backend.service import Assistant
from backend.settings import Settings
from backend.store import SharedStore, open_store
from backend.vocabulary.teaching import UnknownWords, teach, teachable


def refused(*words: str) -> Answer:
    return Answer("q", "refused", "built-in", unplaced=words)


@pytest.fixture
def words(tmp_path: Path) -> Iterator[UnknownWords]:
    settings = Settings(store_url=f"sqlite:///{tmp_path}/store.sqlite")
    with closing(SharedStore(lambda: open_store(settings))) as store:
        yield UnknownWords(store.get, "bank", 3)


def test_words_asked_for_again_are_listed_by_how_often(words):
    for word in ("churn", "NTB", "churn", "churn", "ntb", "Ravi Kumar"):
        words.count(refused(word))
    assert words.most_asked() == [("churn", 3), ("ntb", 2)]


def test_a_word_that_one_person_asks_for_again_counts_once(words):
    for who in ("asha", "asha", "ravi"):
        begin_asking(who)
        words.count(refused("churn", "Ravi Kumar") if who == "asha" else refused("churn"))
    assert words.most_asked() == [("churn", 2)]
    begin_asking(LOCAL)


def test_no_more_words_are_kept_than_the_setting_says(words):
    for word in ("churn", "churn", "aa", "bb", "cc", "dd", "dd"):
        words.count(refused(word))
    assert words.most_asked() == [("dd", 2), ("churn", 2)]
    words.forget(["churn"])
    assert words.most_asked() == [("dd", 2)]


@given(st.text(max_size=60))
def test_nothing_with_digits_or_signs_of_an_address_is_ever_counted(text):
    assert all(not any(sign.isdigit() or sign in "@_" for sign in word) for word in teachable(refused(text)))


def test_everyday_words_cannot_be_taught():
    assert teachable(refused("how many", "NTB", "the", "4711", "NTB")) == ("NTB",)


def test_an_answer_counts_nothing(words):
    words.count(Answer("q", "answered", "built-in", unplaced=("churn",)))
    words.count(Answer("q", "answered", "built-in", unplaced=("churn",)))
    assert words.most_asked() == []


@pytest.fixture(scope="module")
def assistant(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder = tmp_path_factory.mktemp("teaching")
    settings = Settings(
        database_url=str(small_bank), cache_dir=folder / "cache", store_url=f"sqlite:///{folder}/store.sqlite",
        editors="edith", database_workers=1,
    )  # fmt: skip
    with closing(open_assistant(settings)) as opened:
        yield opened


def test_a_word_is_taught_tried_and_then_understood_by_all(assistant):
    question = "How many NTB are there by branch?"
    before = assistant.ask(question)
    assert (before.status, teachable(before)) == ("refused", ("NTB",))
    draft = teach(assistant, "NTB", "customers who joined this month.", "una")
    tried = trying(assistant, draft.edits).ask(question)
    assert tried.status == "answered", tried.error
    assistant.changes.publish(draft.id, "edith")
    answer = renewed(assistant).ask(question)
    assert answer.result == tried.result or answer.result.rows == tried.result.rows
    assert "“NTB” was read as customers who joined this month" in answer.assumptions


@pytest.mark.parametrize(
    ("word", "meaning", "says"),
    [
        ("NTB", "glorbs that frobnicate", "not understood itself"),
        ("NTB", "NTB customers", "by itself"),
        ("", "customers", "letters"),
        ("x" * 41, "customers", "40 characters"),
        ("NTB", "  ", "Say what it means"),
    ],
)
def test_what_cannot_be_understood_cannot_be_taught(assistant, word, meaning, says):
    with pytest.raises(CannotChangeVocabulary, match=says):
        teach(assistant, word, meaning, "una")


def test_a_meaning_that_can_be_read_in_several_ways_is_asked_back(small_bank: Path, tmp_path: Path):
    vocabulary = Path(__file__).parents[2] / "data" / "sample_bank.yaml"
    settings = Settings(
        database_url=str(small_bank), vocabulary_file=vocabulary, cache_dir=tmp_path, database_workers=1,
        store_url=f"sqlite:///{tmp_path}/store.sqlite",
    )  # fmt: skip
    with closing(open_assistant(settings)) as assistant:
        said = "in several ways: .*branch opening date.*; .*this month"
        with pytest.raises(CannotChangeVocabulary, match=said):
            teach(assistant, "NTB", "customers opened this month", "una")
