"""What people did, said by a verb that names a column: whoever "pledged for a course" has a sponsorship."""

from __future__ import annotations

import pytest

from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE people (person_id INTEGER PRIMARY KEY, person_name VARCHAR(40), skill_rating INTEGER);
CREATE TABLE courses (course_id INTEGER PRIMARY KEY, teacher_id INTEGER REFERENCES people (person_id),
  course_title VARCHAR(40), pass_rate DECIMAL(5,2), fees DECIMAL(12,2));
CREATE TABLE sponsorships (course_id INTEGER REFERENCES courses (course_id),
  backer_id INTEGER REFERENCES people (person_id), pledged_amount DECIMAL(12,2), PRIMARY KEY (course_id, backer_id));
CREATE TABLE refunds (refund_id INTEGER PRIMARY KEY, course_id INTEGER REFERENCES courses (course_id),
  amount_repaid DECIMAL(12,2));
"""
PEOPLE = inferred_knowledge(DDL, {"people.person_name": ("Ida Moss", "Jon Vane")})


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which people have pledged for a course?", "with sponsorships"),
        ("How many people have pledged?", "Number of persons, with sponsorships"),
        ("Courses on which nothing has been repaid", "without refunds"),
        ("Courses for which nobody has pledged", "without sponsorships"),
        ("Total pledged amount per person", "Total pledged amount by person"),
        ("People rated above 7", "where skill rating is above 7"),
        ("Which people have no skill rating on file?", "where skill rating is missing"),
        ("People who act as backers of at least two courses", "with at least 2 sponsorships as backer"),
        ("Courses backed by Ida Moss", "with sponsorships (where person name (as backer) is Ida Moss)"),
        ("What percentage of people have pledged for a course?", "Share of persons where with sponsorships"),
        ("What percentage of the fees has been repaid?", "Total amount repaid as a percentage of total fees"),
        ("Courses with a rate above 50", "where pass rate is above 50"),
    ],
)
def test_a_verb_that_names_a_column_tells_of_rows_and_of_no_amount(question: str, answer: str) -> None:
    assert answer in decide(question, (), PEOPLE).restatement


@pytest.mark.parametrize(
    "question",
    ["How many courses do they pledge?", "Courses with a repaid course", "What percentage of courses has been repaid?"],
)
def test_a_verb_that_is_left_without_rows_is_reported(question: str) -> None:
    assert decide(question, (), PEOPLE).unplaced
