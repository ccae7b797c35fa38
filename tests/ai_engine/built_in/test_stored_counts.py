"""Tables that also keep how many there are of something, which may or may not agree with the rows."""

from __future__ import annotations

from functools import cache

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge
from tests.ai_engine.built_in.talking import last

DDL = """
CREATE TABLE counters (counter_id INTEGER PRIMARY KEY, town VARCHAR(20), no_of_savers INTEGER);
CREATE TABLE savers (saver_id INTEGER PRIMARY KEY, saver_name VARCHAR(40), no_of_pledges INTEGER,
  counter_id INTEGER REFERENCES counters (counter_id));
CREATE TABLE pledges (pledge_id INTEGER PRIMARY KEY, saver_id INTEGER REFERENCES savers (saver_id), amount INTEGER);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, counter_id INTEGER REFERENCES counters (counter_id), made_on DATE);
CREATE TABLE counters_by_month (month_end DATE, counter_id INTEGER REFERENCES counters (counter_id),
  number_of_visits INTEGER, PRIMARY KEY (month_end, counter_id));
"""


@cache
def counters() -> Knowledge:
    return inferred_knowledge(DDL, {"counters.town": ("Pune", "Nashik")})


@pytest.mark.parametrize(
    ("question", "counted", "kept"),
    [
        ("How many savers are there?", "Number of savers", "Total stored number of savers"),
        (
            "how many savers in Pune",
            "Number of savers, where town is Pune",
            "Total stored number of savers, where town is Pune",
        ),
        (
            "how many savers have more than 3 pledges",
            "Number of savers, with at least 4 pledges",
            "Number of savers, where stored number of pledges is at least 4",
        ),
        (
            "how many savers have at most 3 pledges",
            "Number of savers, with at most 3 pledges",
            "Number of savers, where stored number of pledges is at most 3",
        ),
        (
            "how many savers have exactly 2 pledges",
            "Number of savers, with exactly 2 pledges",
            "Number of savers, where stored number of pledges is 2",
        ),
        (
            "how many savers have between 2 and 4 pledges",
            "Number of savers, with at least 2 and at most 4 pledges",
            "Number of savers, where stored number of pledges is between 2 and 4",
        ),
        (
            "savers with 0 pledges",
            "List of savers showing saver id and saver name, without pledges",
            "List of savers showing saver id and saver name, where stored number of pledges is 0",
        ),
    ],
)
def test_a_count_that_is_also_kept_is_asked_back_and_either_can_be_chosen(question: str, counted: str, kept: str):
    asked = decide(question, (), counters())
    assert asked.choices == (counted, kept)
    for choice in asked.choices:
        assert last(counters(), question, choice).restatement == choice


@pytest.mark.parametrize(
    ("question", "restatement"),
    [
        ("savers without pledges", "List of savers showing saver id and saver name, without pledges"),
        ("how many visits are there", "Number of visits"),
        ("total stored number of savers", "Total stored number of savers"),
    ],
)
def test_what_the_kept_number_cannot_tell_is_counted(question: str, restatement: str):
    assert decide(question, (), counters()).restatement == restatement
