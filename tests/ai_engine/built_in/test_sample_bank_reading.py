"""What only shows where the vocabulary names figures like everyday words, as that of the sample bank does."""

from __future__ import annotations

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.cases import ReadingCase, check_reading, reading_cases


@pytest.mark.parametrize(
    ("question", "beginning"),
    [
        ("spend of women last month", "Spend, where gender is F"),
        ("balance per account type", "Total balance by account type"),
        ("loans overdue more than 90 days", "List of loans showing loan number"),
    ],
)
def test_a_word_that_names_a_figure_or_column_is_that_before_it_is_anything_else(
    question: str, beginning: str, bank: Knowledge
) -> None:
    found = decide(question, (), bank)
    assert found.outcome == "query"
    assert found.restatement.startswith(beginning)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case.question, marks=case.marks) for case in reading_cases("readings_sample_bank.txt")],
)
def test_what_analysts_ask_is_understood_as_the_file_says(case: ReadingCase, bank: Knowledge) -> None:
    check_reading(decide(case.question, (), bank), case)


def test_a_thing_by_its_key_and_name_or_by_its_name_alone_is_no_question_back(bank: Knowledge) -> None:
    found = decide("for each city, the branch with the most customers", (), bank)
    assert found.outcome == "query"
    assert found.restatement.endswith("top 1 in each city")
