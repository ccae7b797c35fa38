from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.llm.left_out import left_out
from ai_engine.llm.replies import StructuredQuestion
from ai_engine.llm.told_words import ToldWords
from ai_engine.semantics.values import ColumnValues, FoundValues, ValueIndex
from tests.ai_engine.llm.bank import BANK

DEPOSITS = {"measures": [{"metric": "total_deposits"}]}
SHARE = {"measures": [{"metric": "total_deposits", "transform": "share_of_total"}]}
BY_SEGMENT = {**DEPOSITS, "dimensions": ["customers.segment"]}
HNI = {"field": "customers.segment", "operator": "=", "values": ["HNI"]}
OPENED = {"field": "accounts.opened_on", "operator": ">=", "values": ["2025-01-01"]}
FEBRUARY = {"start": "2025-02-01", "end": "2025-03-01", "label": "February"}
CUSTOMERS = {"measures": [{"aggregate": "count", "dataset": "customers"}]}
HIGHEST = [{"measure": 1, "descending": True}]
OVER = [{"measure": 1, "operator": ">", "value": 2_000_000}]


def lost(question, said):
    intent = StructuredQuestion.model_validate(said).to_intent()
    return [one.word for one in left_out(question, intent, BANK)]


@pytest.mark.parametrize(
    ("question", "whole", "without"),
    [
        ("share of deposits by segment", {**BY_SEGMENT, **SHARE}, BY_SEGMENT),
        ("average balance", {"measures": [{"aggregate": "avg", "field": "accounts.balance"}]}, DEPOSITS),
        ("deposits per segment", BY_SEGMENT, DEPOSITS),
        ("deposits by segment", BY_SEGMENT, DEPOSITS),
        ("segments with the highest deposits", {**BY_SEGMENT, "order": HIGHEST}, {**BY_SEGMENT, "limit": 1}),
        (
            "segment with the highest deposits",
            {**BY_SEGMENT, "order": HIGHEST, "limit": 1},
            {**BY_SEGMENT, "order": HIGHEST},
        ),
        ("highest deposits", {**BY_SEGMENT, "order": HIGHEST}, {**BY_SEGMENT, "order": [{"measure": 1}]}),
        ("top 3 segments", {**BY_SEGMENT, "order": HIGHEST, "limit": 3}, {**BY_SEGMENT, "order": HIGHEST}),
        (
            "customers without accounts",
            {**CUSTOMERS, "filters": [{"dataset": "accounts", "negated": True}]},
            {**CUSTOMERS, "filters": [{"dataset": "accounts"}]},
        ),
        ("HNI deposits", {**DEPOSITS, "filters": [HNI]}, DEPOSITS),
        ("wealth of 'Zorro' in deposits", {**DEPOSITS, "filters": [{**HNI, "values": ["Zorro"]}]}, DEPOSITS),
        ("deposits last month", {**DEPOSITS, "period": FEBRUARY}, DEPOSITS),
        ("deposits since January 2025", {**DEPOSITS, "filters": [OPENED]}, DEPOSITS),
        ("deposits above 20 lakh", {**DEPOSITS, "having": OVER}, DEPOSITS),
        ("growth of deposits", {"measures": [{"metric": "total_deposits", "transform": "change"}]}, DEPOSITS),
        (
            "customers with exactly one account",
            {**CUSTOMERS, "filters": [{"dataset": "accounts", "at_least": 1, "at_most": 1}]},
            {**CUSTOMERS, "filters": [{"dataset": "accounts", "at_least": 1}]},
        ),
        (
            "different segments",
            {"subject": "customers", "columns": ["customers.segment"], "distinct": True},
            {"subject": "customers", "columns": ["customers.segment"]},
        ),
        ("monthly deposits", {**DEPOSITS, "dimensions": ["accounts.opened_on by month"]}, DEPOSITS),
    ],
)
def test_a_word_without_counterpart_is_told(question, whole, without):
    assert lost(question, whole) == []
    assert len(lost(question, without)) == 1


@pytest.mark.parametrize("question", ["deposits by value", "deposits counted by hand", "accounts served by Zorro"])
def test_what_is_called_like_nothing_behind_by_is_no_group(question):
    assert [word for word in lost(question, DEPOSITS) if word.startswith("by")] == []


def test_a_word_that_carries_the_grammar_is_a_code_only_as_it_is_stored():
    segment = ColumnValues("customers", "segment", ("IN", "US", "No"), complete=True)
    bank = replace(BANK, values=ValueIndex((segment,), BANK.model))
    whole = StructuredQuestion.model_validate(DEPOSITS).to_intent()
    assert left_out("deposits in all, with no loss to us", whole, bank) == ()
    assert [one.word for one in left_out("deposits of IN", whole, bank)] == ["in"]
    assert ToldWords(bank).describe("deposits in all", FoundValues()).count("'IN'") == 0
    assert "'in': customers.segment = 'IN'" in ToldWords(bank).describe("deposits of IN", FoundValues())
