"""A state that names an amount, and words that belong to their neighbour, on the tables of a credit insurer."""

from __future__ import annotations

from functools import cache

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.types import Scalar
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE teams (team_id INTEGER PRIMARY KEY, team_name VARCHAR(40));
CREATE TABLE underwriters (underwriter_id INTEGER PRIMARY KEY, full_name VARCHAR(40), grade VARCHAR(12),
  employment VARCHAR(12), supervisor_id INTEGER REFERENCES underwriters (underwriter_id),
  team_id INTEGER REFERENCES teams (team_id));
CREATE TABLE surveys (survey_id INTEGER PRIMARY KEY, underwriter_id INTEGER REFERENCES underwriters (underwriter_id),
  days_worked INTEGER, prj_type VARCHAR(12));
CREATE TABLE limits (limit_id INTEGER PRIMARY KEY, underwriter_id INTEGER REFERENCES underwriters (underwriter_id),
  requested_on DATE, requested_amount DECIMAL(12,2), status VARCHAR(12), approved_amount DECIMAL(12,2));
"""
VALUES: dict[str, tuple[Scalar, ...]] = {
    "underwriters.full_name": ("Peter Tully", "Ada Quill"),
    "underwriters.grade": ("supervisor", "assistant"),
    "underwriters.employment": ("permanent", "agency"),
    "surveys.prj_type": ("port", "mill"),
    "limits.status": ("approved", "refused"),
}


@cache
def credit_desk() -> Knowledge:
    return inferred_knowledge(DDL, VALUES)


@pytest.mark.parametrize(
    ("question", "restatement"),
    [
        ("total approved limits", "Total approved amount, where status is approved"),
        ("total limits approved", "Total approved amount"),
        ("average approved limit by underwriter", "Average approved amount by underwriter, where status is approved"),
        ("total refused limits", "Total requested amount, where status is refused"),
        ("how many approved limits", "Number of limits, where status is approved"),
        (
            "underwriters with the name of their team",
            "List of underwriters showing underwriter id, full name and team name",
        ),
    ],
)
def test_an_amount_that_is_called_after_the_state_is_meant(question: str, restatement: str):
    assert decide(question, (), credit_desk()).restatement == restatement


@pytest.mark.parametrize(
    "question",
    [
        "Who is Peter Tully's supervisor?",
        "Who has worked on more than 17 limits, and how many limits is it?",
        "how many projects did each underwriter survey",
        "underwriters with more than 3 surveys going up",
    ],
)
def test_a_word_that_belongs_to_its_neighbour_is_not_taken_for_something_else(question: str):
    assert decide(question, (), credit_desk()).outcome == "refused"
