"""Figures that a text defines in words, by arithmetic over the columns of a row or over totals, on real rows."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from backend.service import Assistant, open_assistant
from backend.settings import Settings
from tests.ai_engine.built_in.evidence import rows
from tests.ai_engine.semantics.schemas import permitted

DDL = """
CREATE TABLE dealers (dealer_id INTEGER PRIMARY KEY, dealer_name TEXT, town TEXT, grade TEXT);
CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, dealer_id INTEGER REFERENCES dealers (dealer_id), shop_name TEXT,
  opened_on DATE);
CREATE TABLE buyers (buyer_id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops (shop_id), first_name TEXT,
  last_name TEXT, birth_date DATE, joined_on DATE);
CREATE TABLE deals (deal_id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops (shop_id), direction TEXT,
  ceiling_rate REAL, placed_on DATE);
CREATE TABLE fills (fill_id INTEGER PRIMARY KEY, deal_id INTEGER REFERENCES deals (deal_id), units INTEGER, rate REAL,
  fee REAL, filled_on DATE);
"""
ROWS = {
    "dealers": [(1, "North", "Oslo", "senior"), (2, "South", "Rome", "junior")],
    "shops": [(1, 1, "Alpha", "2019-01-01"), (2, 1, "Beta", "2024-01-01"), (3, 2, "Gamma", "2018-01-01")],
    "buyers": [
        (1, 1, "Ada", "Moe", "1950-01-01", "2020-01-01"),
        (2, 1, "Bo", "Lie", "1990-01-01", "2021-01-01"),
        (3, 3, "Cy", "Re", "1960-01-01", "2022-01-01"),
    ],
    "deals": [
        (1, 1, "buy", 10.0, "2026-01-05"),
        (2, 1, "sell", 8.0, "2026-02-05"),
        (3, 2, "buy", 20.0, "2026-03-05"),
        (4, 3, "sell", None, "2025-06-05"),
    ],
    "fills": [
        (1, 1, 10, 11.0, 2.0, "2026-01-06"),
        (2, 1, 5, 10.0, 1.0, "2026-01-07"),
        (3, 2, 4, 8.0, 1.0, "2026-02-06"),
        (4, 3, 2, 19.0, 1.0, "2026-03-06"),
        (5, 4, 10, 5.0, 3.0, "2025-06-06"),
    ],
}
VALUE = "value of a fill = units times rate"
COST = (
    "fee yield (in basis points) = total fee divided by total traded value, times 10,000; traded value = units x rate"
)


@pytest.fixture(scope="module")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Assistant:
    file: Path = tmp_path_factory.mktemp("desk") / "desk.sqlite"
    with sqlite3.connect(file) as database:
        database.executescript(DDL)
        for table, rows in ROWS.items():
            database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    database.close()
    settings = Settings(database_url=f"sqlite:///{file}", as_of="2026-11-21", cache_dir=file.parent / "c")
    opened = open_assistant(settings)
    vocabulary = replace(opened.vocabulary, model=permitted(opened.vocabulary.model, "birth_date"))
    return replace(opened, vocabulary=vocabulary, policy=replace(opened.policy, restricted_columns={}))


@pytest.mark.parametrize(
    ("evidence", "question", "expected"),
    [
        ("traded value = units * rate", "What is the total traded value?", [(280.0,)]),
        ("To calculate the fee burden, divide the total fee by the total units", "fee burden per dealer name",
         [("South", pytest.approx(3 / 10)), ("North", pytest.approx(5 / 21))]),
        ("sell share is found by dividing the number of sell deals by the number of all deals and multiplying by 100",
         "What is the sell share?", [(50.0,)]),
        ("senior reach = number of senior dealers with shops / number of dealers with shops", "senior reach", [(0.5,)]),
        ("SR (Shop Reach) = (Number of shops in Oslo with deals / Total number of shops with deals) * 100",
         "What is the SR?", [(pytest.approx(200 / 3),)]),
        ("fee weight is the ratio of total fee to number of fills", "fee weight", [(pytest.approx(8 / 5),)]),
        ("TFU = total filled units = sum of the units of the fills", "TFU by direction", [("buy", 17), ("sell", 14)]),
        (VALUE, "average value of the fills in 2026", [((110 + 50 + 32 + 38) / 4,)]),
        ("traded value = quantity times rate of the fills; quantity refers to units", "Fills per year", None),
        (COST, "What is the fee yield in 2026?", [(pytest.approx(10_000 * 5 / 230),)]),
        (COST, "fee yield by shop name in 2026, highest first",
         [("Beta", pytest.approx(10_000 / 38)), ("Alpha", pytest.approx(40_000 / 192))]),
        ("buy/sell ratio = value bought divided by value sold, where the value of a fill is units times rate",
         "buy/sell ratio by dealer name", [("North", pytest.approx(198 / 32)), ("South", 0)]),
        ("slippage of a fill = (rate minus ceiling rate of its deal) divided by that ceiling rate, in percent",
         "What is the average slippage?", [(pytest.approx((10 + 0 + 0 - 5) / 4),)]),
        ("net value = value of buys minus value of sells; value of a fill = units times rate",
         "net value in 2026", [(198.0 - 32.0,)]),
        ("fee take = sum of the fees recorded in the fills", "fee take per town", [("Oslo", 5.0), ("Rome", 3.0)]),
        ("turnover rate = total value (units times rate of the fills) divided by the number of shops",
         "turnover rate by town", [("Oslo", 115.0), ("Rome", 50.0)]),
    ],
)  # fmt: skip
def test_a_figure_defined_in_words_is_reckoned_like_any_other(assistant, evidence, question, expected):
    if expected is None:
        assert assistant.with_hints(evidence).ask(question).status == "answered"
    else:
        assert rows(assistant, evidence, question) == expected


def test_the_second_period_is_that_of_the_figure(assistant):
    question = "Which shop opened before 2020 has the highest fee yield in 2026? Shop name and fee yield."
    ((name, fee_yield),) = rows(assistant, COST, question)
    assert (name, fee_yield) == ("Alpha", pytest.approx(40_000 / 192))


@pytest.mark.parametrize(
    ("evidence", "question", "expected"),
    [
        ("a senior buyer is one who is 60 or older on 2026-11-21", "How many senior buyers are there?", 2),
        ("an idle shop has no deals in the past 12 months", "How many idle shops are there?", 1),
        ("busy shops have at least 2 deals", "How many busy shops are there?", 1),
    ],
)
def test_a_group_of_rows_is_defined_in_words(assistant, evidence, question, expected):
    assert rows(assistant, evidence, question) == [(expected,)]


@pytest.mark.parametrize(
    ("evidence", "question"),
    [
        ("", "How many senior buyers are there?"),  # it is the dealers who are senior or junior
        ("net value = value of dragons minus value of sells", "net value in 2026"),
        ("spread = rate on the moon divided by rate", "spread in 2026"),
        ("odds = total fee divided by total fee", "odds by town"),
    ],
)
def test_what_is_not_defined_is_not_answered(assistant, evidence, question):
    assert (assistant.with_hints(evidence) if evidence else assistant).ask(question).status == "refused"
