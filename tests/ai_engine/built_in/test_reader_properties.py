from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_engine.built_in.grammar.chart import MOST_STEPS
from ai_engine.built_in.grammar.prices import fitted_prices
from ai_engine.built_in.grammar.reader import chart_of, tokens_of
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.types import Interpretation, Turn
from tests.ai_engine.built_in.bank import knowledge, lexicon
from tests.ai_engine.built_in.cases import ANSWERED
from tests.ai_engine.built_in.talking import converse

QUESTIONS = [case.question for case in ANSWERED]
# "contains" and its like take any word as a text to look for.
WITHOUT_OWN_TEXT = [question for question in QUESTIONS if not re.search("contain|start|ending", question)]
# Letters that lie far from every English word of a bank; a test below holds them to it.
NONSENSE = st.text(alphabet="qxzj", min_size=4, max_size=9)
WORD = re.compile(r"[A-Za-z]{6,}")


def read(question: str) -> Interpretation:
    return decide(question, (), knowledge())


def places(question: str) -> list[int]:
    """Where a word may be put in: at the ends and at the spaces, outside quotation marks."""
    spaces = [match.start() for match in re.finditer(" ", question)]
    return [0, *[at for at in spaces if question[:at].count('"') % 2 == 0], len(question.rstrip("?"))]


@given(st.sampled_from(WITHOUT_OWN_TEXT), NONSENSE, st.data())
@settings(max_examples=60, deadline=None)
def test_a_word_that_means_nothing_is_named_and_the_question_not_answered(question, nonsense, data):
    at = data.draw(st.sampled_from(places(question)))
    found = read(f"{question[:at]} {nonsense} {question[at:]}")
    assert found.outcome != "query", found.restatement
    assert nonsense in f"{found.reply} {' '.join(found.unplaced)}".lower()


@given(NONSENSE)
def test_the_nonsense_resembles_no_known_word(nonsense):
    assert not lexicon().knows(nonsense)
    assert lexicon().corrections(nonsense) == ()


@given(st.sampled_from(QUESTIONS), st.data())
@settings(max_examples=40, deadline=None)
def test_letter_case_spaces_and_the_question_mark_change_nothing(question, data):
    style = data.draw(st.sampled_from([str.lower, str.upper, str]))
    gap = data.draw(st.sampled_from(["  ", "\t", " \n "]))
    end = data.draw(st.sampled_from(["", "?", " ?", "??", ".", "  "]))
    written = style(re.sub(" ", gap, question.rstrip("?")))
    if '"' in question:
        written = re.sub(" ", gap, question.rstrip("?"))  # a quoted text is taken as typed
    plain, other = read(question), read(f"  {written}{end}")
    assert _lowered(other) == _lowered(plain)


@pytest.mark.slow
def test_no_question_of_the_file_depends_on_capital_letters():
    """The whole file; the test above takes some of it, with spaces and question marks besides."""
    written = [question for question in QUESTIONS if '"' not in question]
    assert [q for q in written if _lowered(read(q.upper())) != _lowered(read(q))] == []


def _lowered(found: Interpretation) -> tuple[str, str]:
    """A single letter that is asked for is kept as typed, so that its case may differ."""
    return found.outcome, found.restatement.lower()


@given(st.sampled_from(QUESTIONS))
@settings(max_examples=40, deadline=None)
def test_the_same_question_is_read_the_same_way_every_time(question):
    assert read(question) == read(question)


@st.composite
def misspelt(draw: st.DrawFn) -> tuple[str, str, str]:
    """A question, the same with one letter of one long name or value dropped or two swapped, and the wrong word."""
    question = draw(st.sampled_from(QUESTIONS))
    words = [match for match in WORD.finditer(question) if _is_open(match.group()) and _is_plain(question, match)]
    if not words:
        question = "Total balance by account type"
        words = list(WORD.finditer(question))
    match = draw(st.sampled_from(words))
    word = match.group()
    at = draw(st.integers(1, len(word) - 2))
    kept = draw(st.sampled_from([word[at + 1], word[at + 1] + word[at]]))
    wrong = word[:at] + kept + word[at + 2 :]
    return question, question[: match.start()] + wrong + question[match.end() :], wrong


def _is_open(word: str) -> bool:
    """A word of a name or value rather than of the closed class."""
    return bool(lexicon().names((word.lower(),)) or lexicon().stored((word.lower(),)))


def _is_plain(question: str, match: re.Match[str]) -> bool:
    return question[: match.start()].count('"') % 2 == 0


@given(misspelt())
@settings(max_examples=100, deadline=None)
def test_a_misspelt_name_gives_the_same_answer_with_a_note_or_none(case):
    question, typo, wrong = case
    plain, found = read(question), read(typo)
    if found.outcome == "query" and not lexicon().knows(wrong.lower()):
        assert found.restatement == plain.restatement
        assert any(f"“{wrong}” was read as" in note for note in found.assumptions), found.assumptions


ODD_WORDS = "\x00 - ' \" 5 5. .5 1,2 ² Ⅷ ٣ q² fy² a/c 's 99999999999 last years ago Q9 since between may".split(" ")
HOSTILE = st.one_of(
    st.text(max_size=200),
    st.text(alphabet=".,;:?!-_/\\'\"`“”‘’()[]{}<>=%#&+*~^|@$₹\x00\n\t ", max_size=300),
    st.lists(st.sampled_from(ODD_WORDS), max_size=40).map(" ".join),
    st.sampled_from(["a" * 2_000, "1" * 2_000, "'" * 2_000, "- " * 1_000, "1," * 1_000, "\x00" * 2_000, "🏦" * 1_000]),
    st.sampled_from(["of the " * 280, "accounts and " * 150, "5 lakh " * 280, "last " * 400, "not " * 500]),
    st.lists(st.sampled_from([*lexicon()._spellable]), max_size=30).map(" ".join),
)  # fmt: skip


@given(HOSTILE)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_text_whatever_makes_the_reader_fail(text):
    found = read(text[:2_000])
    assert found.outcome in {"query", "clarify", "refused", "about"}
    assert found.reply or found.restatement


@pytest.mark.parametrize(
    "question",
    [
        "accounts and " * 150,
        "total balance of savings accounts by branch by type by city in Pune in 2025 " * 6,
        "banking " * 200,
        "current " * 200,
        "custmers balence " * 60,
    ],
)
def test_the_work_of_a_long_question_stays_bounded(question):
    knows = knowledge()
    chart = chart_of(tokens_of(question[:2_000], knows), Schema(knows), fitted_prices())
    assert chart.steps <= 1.01 * MOST_STEPS  # what was begun is ended


WITH_NUMBERS = [question for question in QUESTIONS if re.search(r"\d", question)]
BEYOND = [
    "0",
    "-1",
    "00",
    "1e99",
    "9" * 30,
    "9" * 60,
    "0.0000000000000000000000000000000000000000000001",
    "9999",
    "0001",
]


@given(st.sampled_from(WITH_NUMBERS), st.lists(st.sampled_from(BEYOND), min_size=1, max_size=4))
@settings(max_examples=80, deadline=None)
def test_whatever_number_a_question_has_it_is_answered_or_refused(question, numbers):
    knows, left = knowledge(), iter(numbers)
    asked = re.sub(r"\d+(?:[.,]\d+)*", lambda found: next(left, found[0]), question)
    first = decide(asked, (), knows)
    after = decide(asked, (Turn(QUESTIONS[0], "", decide(QUESTIONS[0], (), knows).intent),), knows)
    for found in (first, after):
        assert found.outcome == "query" or found.reply or found.restatement


@pytest.mark.parametrize("question", ["top 0 customers by balance", "customers with at least -1 accounts"])
def test_a_number_of_rows_beyond_all_bounds_is_said_to_be_so(question):
    assert "A number of rows lies between" in read(question).reply
    assert "A number of rows lies between" in converse(knowledge(), "total balance by city", question)[-1].reply
