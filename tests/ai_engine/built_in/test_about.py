from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.about import about_the_data
from tests.ai_engine.built_in import shop

SHOP = shop.knowledge()


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("what tables are there", "2 tables: shops; sales"),
        ("which columns does sales have", "colour, buyer_mail, price"),
        ("show me the columns of the sales table", "6 columns"),
        ("what does colour mean?", "What the piece is painted in"),
        ("what values does colour have", "Colour of a sale: red, blue, update"),
        ("what does buyer mail mean", "sensitive"),
        ("how is turnover defined", "SUM(sales.price)"),
        ("what does red mean", "a value of the colour of a sale"),
        ("how are sales and shops related", "sales.shop_id = shops.id"),
        ("what is the as-of date", "21 November 2026"),
        ("how far back does the data go", "day of sale (sales)"),
        ("what metrics are there", "turnover"),
        ("what can I ask?", "sales, shops"),
    ],
)
def test_the_data_is_described_from_the_vocabulary(question: str, part: str) -> None:
    reply = about_the_data(question, SHOP)
    assert reply is not None
    assert reply.outcome == "about"
    assert part in reply.reply


@pytest.mark.parametrize(
    "question",
    [
        "which sales have a price over 5", "what is the average price", "what does the red sale cost", "list sales",
        "what does blorp mean", "which columns does blorp have", "how is the turnover by city", "describe blorp",
        "how many sales are there", "what values of sales are there by city",
    ],
)  # fmt: skip
def test_a_question_about_what_is_in_the_data_is_left_to_the_reader(question: str) -> None:
    assert about_the_data(question, SHOP) is None


def test_where_tables_are_wares_they_are_counted_and_not_described() -> None:
    wares = replace(shop.MODEL.datasets[1], name="tables", label="table")
    model = replace(shop.MODEL, datasets=(shop.MODEL.datasets[0], wares), relationships=(), metrics=())
    assert about_the_data("how many tables are there", shop.knowledge(model)) is None


def test_the_sample_bank_is_described(bank: Knowledge) -> None:
    reply = about_the_data("how are loans and customers related", bank)
    assert reply is not None
    assert "loans.customer_id = customers.customer_id" in reply.reply


def test_no_answerable_question_of_the_bank_is_taken_for_one_about_the_data(bank: Knowledge) -> None:
    for verified in bank.model.verified_questions:
        assert about_the_data(verified.question, bank) is None, verified.question
