from __future__ import annotations

from dataclasses import replace

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.llm.context import describe_failures, describe_history, describe_tables, describe_vocabulary
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.types import FailedDraft, Turn
from tests.ai_engine.llm.bank import BANK


def test_a_small_bank_is_told_whole():
    told = describe_vocabulary(BANK, "anything", 24_000)
    assert "dataset customers (customer) also: client" in told
    assert "segment: category, text values: Retail | HNI | Corporate" in told
    assert "relationship holder: accounts(customer_id) -> customers(customer_id)" in told
    assert "metric total_deposits (Total deposits, INR)" in told


def test_tables_are_told_with_their_keys():
    told = describe_tables(BANK, "anything", 24_000)
    assert "  balance DECIMAL(18,2)" in told
    assert "  foreign key (customer_id) references customers (customer_id)" in told
    assert "  primary key (customer_id)" in told


def _large_bank():
    names = [f"ledger_{number}" for number in range(1_000)] + ["atm_withdrawals"]
    fields = (Field("amount", "amount", "decimal", "measure", "Amount"),)
    model = SemanticModel("large", tuple(Dataset(name, name, fields, name) for name in names))
    tables = tuple(Table(name, (Column("amount", "decimal", "DECIMAL"),)) for name in names)
    return replace(BANK, model=model, catalogue=Catalogue("duckdb", tables))


def test_of_a_large_schema_the_part_that_is_asked_about_is_told_within_the_bound():
    bank = _large_bank()
    for describe in (describe_vocabulary, describe_tables):
        told = describe(bank, "withdrawals from the ATM last month", 2_000)
        assert "atm_withdrawals" in told
        assert len(told) <= 2_000


def test_turns_and_failures_are_told_in_order():
    turns = [Turn(f"question {number}", f"meaning {number}") for number in range(9)]
    told = describe_history(turns)
    assert "question 2" not in told
    assert told.index("meaning 3") < told.index("meaning 8")
    assert describe_failures([FailedDraft("SELECT nme FROM t", "no such column: nme", "")]) == (
        "The previous SQL query failed to execute.\nError details: no such column: nme\n"
        "Failing query:\nSELECT nme FROM t\nGenerate a corrected read-only SQL query that addresses the error and "
        "try again using only the authorised tables."
    )
    assert "Failing query:\n(none)\n" in describe_failures([FailedDraft(None, "no such table", "")])
    assert describe_history([]) == describe_failures([]) == "(none)"
