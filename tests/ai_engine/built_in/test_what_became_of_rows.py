"""States, deeds and their figures and days: what was approved, paid, rated, inspected, insolvent, and is so today."""

from __future__ import annotations

from functools import cache

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.inferred import inferred_knowledge

DDL = """
CREATE TABLE grower (grower_id INTEGER PRIMARY KEY, grower_name VARCHAR(40) NOT NULL, soil_rating VARCHAR(2),
  bankrupt_on DATE);
CREATE TABLE agronomist (agronomist_id INTEGER PRIMARY KEY, full_name VARCHAR(40) NOT NULL, hired_on DATE NOT NULL,
  ended_on DATE);
CREATE TABLE aid_request (request_id INTEGER PRIMARY KEY, grower_id INTEGER NOT NULL REFERENCES grower (grower_id),
  agronomist_id INTEGER REFERENCES agronomist (agronomist_id), asked_on DATE NOT NULL,
  asked_amount DECIMAL(12,2) NOT NULL, status VARCHAR(12) NOT NULL, decided_on DATE, approved_amount DECIMAL(12,2));
CREATE TABLE hail_claim (claim_id INTEGER PRIMARY KEY, grower_id INTEGER NOT NULL REFERENCES grower (grower_id),
  filed_on DATE NOT NULL, claimed_amount DECIMAL(12,2) NOT NULL, status VARCHAR(12) NOT NULL, settled_on DATE,
  paid_amount DECIMAL(12,2));
CREATE TABLE lease (lease_id INTEGER PRIMARY KEY, grower_id INTEGER NOT NULL REFERENCES grower (grower_id),
  status VARCHAR(12) NOT NULL, inception_date DATE NOT NULL, valid_to DATE NOT NULL, rent DECIMAL(12,2) NOT NULL);
CREATE TABLE pump (pump_id INTEGER PRIMARY KEY, pump_name VARCHAR(40) NOT NULL, last_inspected DATE);
CREATE TABLE repair (repair_id INTEGER PRIMARY KEY, pump_id INTEGER NOT NULL REFERENCES pump (pump_id),
  reported_on DATE NOT NULL, completed_on DATE, estimated_cost DECIMAL(9,2), actual_cost DECIMAL(9,2));
"""
VALUES = {
    "aid_request.status": ("approved", "declined", "pending", "reduced"),
    "hail_claim.status": ("open", "paid", "rejected"),
    "lease.status": ("active", "cancelled", "expired", "pending"),
}


@cache
def orchard_fund() -> Knowledge:
    return inferred_knowledge(DDL, VALUES)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("total claims paid out this year", "Total paid amount, for this year (2026) by settled on"),
        ("average approved request", "Average approved amount"),
        ("total approved amount per year", "Total approved amount by year of decided on"),
        ("number of approved requests in 2025", "where aid request status is approved, for 2025 by decided on"),
        ("requests declined last year", "where aid request status is declined, for last year (2025) by decided on"),
        ("number of claims rejected in the first quarter of 2026", "status is rejected, for Q1 2026"),
        ("how much did we spend on repairs completed in 2025", "Total actual cost, for 2025 by completed on"),
    ],
)
def test_the_figure_and_its_day_are_those_of_what_became_of_the_rows(question: str, told: str) -> None:
    found = decide(question, (), orchard_fund())
    assert told in found.restatement, found.restatement or found.reply


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how many growers are unrated", "Number of growers, where soil rating is missing"),
        ("growers not rated yet", "where soil rating is missing"),
        ("rated growers", "where soil rating is known"),
        ("uninspected pumps", "where last inspected is missing"),
        ("unassigned requests", "agronomist id is missing"),
        ("bankrupt growers", "where bankrupt on is known"),
        ("growers that became bankrupt in 2026", "for 2026 by bankrupt on"),
        ("former agronomists", "where ended on is known"),
        ("agronomists who are no longer with us", "where ended on is known"),
        ("how many agronomists still work here", "Number of agronomists, where ended on is missing"),
        ("agronomists who left in 2025", "for 2025 by ended on"),
    ],
)
def test_what_rows_lack_or_have_become_is_told_by_one_word(question: str, told: str) -> None:
    found = decide(question, (), orchard_fund())
    assert told in found.restatement, found.restatement or found.reply


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("leases starting in 2025", "for 2025 by inception date"),
        ("leases that began this year", "for this year (2026) by inception date"),
        ("leases running out next month", "for next month (December 2026) by valid to"),
        ("leases that ran out last month", "for last month (October 2026) by valid to"),
        ("how many repairs were finished in May 2026", "for May 2026 by completed on"),
    ],
)
def test_a_day_is_found_by_what_happens_on_it(question: str, told: str) -> None:
    found = decide(question, (), orchard_fund())
    assert told in found.restatement, found.restatement or found.reply


@pytest.mark.parametrize(
    "question",
    ["how many leases do we currently have", "leases on the books at the moment"],  # pending ones too?
)
def test_who_is_there_today_is_asked_back_where_states_leave_it_open(question: str) -> None:
    assert decide(question, (), orchard_fund()).outcome == "refused"


@pytest.mark.parametrize("question", ["requests granted in 2025", "growers for whom we granted a request"])
def test_what_was_granted_is_not_what_was_asked_for(question: str) -> None:
    assert decide(question, (), orchard_fund()).unplaced == ("granted",)


def test_growers_are_dated_by_no_day_that_few_of_them_have() -> None:
    assert orchard_fund().dataset("grower").default_time is None
    assert orchard_fund().dataset("pump").default_time is None
    assert orchard_fund().dataset("hail_claim").default_time == "filed_on"


FLOCKS = """
CREATE TABLE shepherd (shepherd_id INTEGER PRIMARY KEY, full_name VARCHAR(40) NOT NULL, joined_on DATE NOT NULL);
CREATE TABLE pasture (pasture_id INTEGER PRIMARY KEY, pasture_name VARCHAR(40) NOT NULL);
CREATE TABLE sheep (sheep_id INTEGER PRIMARY KEY, tag_name VARCHAR(12) NOT NULL UNIQUE, status VARCHAR(12) NOT NULL,
  shepherd_id INTEGER NOT NULL REFERENCES shepherd (shepherd_id),
  pasture_id INTEGER REFERENCES pasture (pasture_id));
CREATE TABLE fleece (fleece_id INTEGER PRIMARY KEY, sheep_id INTEGER NOT NULL REFERENCES sheep (sheep_id),
  shorn_on DATE NOT NULL, weight_kg DECIMAL(5,1) NOT NULL);
"""


@cache
def flocks() -> Knowledge:
    return inferred_knowledge(FLOCKS, {"sheep.status": ("grazing", "shorn", "sold")})


@pytest.mark.parametrize("question", ["how many sheep in 2025", "how many sheep were sold in 2025", "sheep by month"])
def test_nothing_is_dated_by_the_day_on_which_its_people_joined(question: str) -> None:
    assert "joined" not in decide(question, (), flocks()).restatement


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("sheep with their pasture", "List of sheep showing sheep id, tag name and pasture name"),
        ("sheep with a pasture", "List of sheep showing sheep id and tag name, with pastures"),
        ("sheep without a pasture", "List of sheep showing sheep id and tag name, without pastures"),
    ],
)
def test_what_each_has_one_of_is_shown_and_no_condition_unless_one_is_meant(question: str, told: str) -> None:
    found = decide(question, (), flocks())
    assert found.restatement == told, found.reply


KENNEL = """
CREATE TABLE pet (pet_id INTEGER PRIMARY KEY, pet_name VARCHAR(40) NOT NULL, species VARCHAR(9) NOT NULL,
  deceased_on DATE);
CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, pet_id INTEGER NOT NULL REFERENCES pet (pet_id),
  starts_at TIMESTAMP NOT NULL, status VARCHAR(12) NOT NULL);
"""
KENNEL_VALUES = {"pet.species": ("dog", "cat"), "visit.status": ("booked", "held", "cancelled")}


@cache
def kennel() -> Knowledge:
    return inferred_knowledge(KENNEL, KENNEL_VALUES)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How many dogs died in 2025?", "Number of pets, where species is dog, for 2025 by deceased on"),
        ("How many living dogs are there?", "Number of pets, where species is dog and deceased on is missing"),
        ("number of cats that are still alive", "Number of pets, where species is cat and deceased on is missing"),
    ],
)
def test_those_who_are_alive_have_no_day_of_their_death(question: str, told: str) -> None:
    found = decide(question, (), kennel())
    assert found.restatement == told, found.restatement or found.reply


def test_no_row_is_dated_by_its_end_alone() -> None:
    assert kennel().dataset("pet").default_time is None


def test_a_verb_that_is_a_state_is_no_mere_word_for_the_day_of_the_rows() -> None:
    for question in ("visits booked in June 2026", "how many visits are booked in for June 2026"):
        found = decide(question, (), kennel())
        assert "status is booked" in found.restatement or "booked" in found.reply, found


TRADE = """
CREATE TABLE item (item_no INTEGER PRIMARY KEY, item_name VARCHAR(40) NOT NULL, item_group VARCHAR(9) NOT NULL);
CREATE TABLE orders (order_no INTEGER PRIMARY KEY, order_date DATE NOT NULL, order_amount DECIMAL(9,2) NOT NULL);
CREATE TABLE order_line (order_no INTEGER NOT NULL REFERENCES orders (order_no), line_no INTEGER NOT NULL,
  item_no INTEGER NOT NULL REFERENCES item (item_no), line_amount DECIMAL(9,2) NOT NULL,
  PRIMARY KEY (order_no, line_no));
"""


def test_a_value_by_a_kind_is_an_amount_and_never_a_number_of_rows() -> None:
    found = decide("order value by item group", (), inferred_knowledge(TRADE, {"item.item_group": ("A", "B")}))
    assert not found.restatement.startswith("Number of"), found.restatement
