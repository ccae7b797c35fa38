"""What comes before a question goes; what could be asked for stays."""

import pytest

from ai_engine.preamble import without_preamble


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Hi, need two things: how many cards are blocked", "how many cards are blocked"),
        ("For my note: number of home loans", "number of home loans"),
        ("two quick ones - 37 is what percent of 412", "37 is what percent of 412"),
        ("Hey team, what is our NPA ratio", "what is our NPA ratio"),
        ("Good morning! loans by branch", "loans by branch"),
        ("hello how many loans", "how many loans"),
        ("hmm and if I take 7 years", "if I take 7 years"),
        ("ok, loans by branch", "loans by branch"),
        ("Fine. How many loans do we have?", "How many loans do we have?"),
        ("Great, and how many cards are blocked", "and how many cards are blocked"),
        ("alright then, how many customers do we have", "how many customers do we have"),
        ("cool thanks, now only Pune", "now only Pune"),
        ("thanks a lot! which branches are in Pune", "which branches are in Pune"),
    ],
)
def test_a_preamble_goes(said, question):
    assert without_preamble(said) == question


@pytest.mark.parametrize(
    "question",
    ["hello", "hmm", "ok", "Well-known customers", "Good morning!",
     "Pune branch: how many customers", "Our report for 2023: deposits", "hi-value customers",
     "5 - 3", "one two-wheeler loan", "two accounts - which is larger", "new questions: 12",
     "fine, penalty and fee by branch", "fine by branch", "Good loans by region", "thanks", "Great"],
)  # fmt: skip
def test_what_could_be_asked_for_stays(question):
    assert without_preamble(question) == question
