from __future__ import annotations

import json
from contextvars import copy_context
from dataclasses import replace

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.llm.context import describe_failures, describe_tables
from ai_engine.llm.replies import StructuredQuestion
from ai_engine.llm.told_history import describe_history, intent_as_reply, turns_told
from ai_engine.llm.told_vocabulary import ToldVocabulary
from ai_engine.llm.told_words import ToldWords
from ai_engine.model_use import begin_asking
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import ColumnValues, FoundValues, StoredValue, ValueIndex
from ai_engine.types import FailedDraft, Turn
from tests.ai_engine.llm.bank import BANK


def test_a_small_bank_is_told_whole():
    told = ToldVocabulary(BANK).datasets("anything", 24_000)
    assert "customers: customer\n customer_id: key\n" in told
    assert " segment = Retail | HNI | Corporate\n" in told
    assert " balance: INR\n" in told
    assert " way holder to customers\n metric total_deposits = SUM(balance)" in told


def test_what_fits_is_told_alike_whatever_is_asked():
    told = ToldVocabulary(BANK)
    assert told.datasets("deposits", 24_000) == told.datasets("customers by segment", 24_000)


def test_of_many_values_the_first_are_told_and_how_many_there_are():
    many = ColumnValues("customers", "segment", tuple(f"Segment number {n}" for n in range(412)), complete=True)
    told = ToldVocabulary(replace(BANK, values=ValueIndex((many,), BANK.model))).datasets("anything", 24_000)
    assert (
        " segment = Segment number 0 | Segment number 1 | Segment number 2 | Segment number 3 (4 of 412 values)" in told
    )


def test_words_of_the_question_are_told_with_what_they_stand_for():
    told = ToldWords(BANK).describe("clients that are wealthy", FoundValues())
    assert told.split("\n") == ["'clients': dataset customers", "'wealthy': customers.segment = 'HNI'"]


def test_what_was_searched_is_told_also_when_it_is_not_there():
    found = FoundValues((StoredValue("customers", "segment", "Trust"),), texts=("trust", "Zorro"))
    told = ToldWords(BANK).describe("trust of Zorro", found)
    assert "searched 'trust': found customers.segment = 'Trust'\nsearched 'Zorro': not found" in told


def test_whether_a_sensitive_value_is_there_is_not_told():
    found = FoundValues((StoredValue("customers", "pan_number", "ABCDE1234F"),), texts=("ABCDE1234F",))
    assert ToldWords(BANK).describe("who has ABCDE1234F, Asha Rao?", found) == "(none)"


def test_tables_are_told_with_their_keys():
    told = describe_tables(BANK, "anything", 24_000)
    assert "  balance DECIMAL(18,2), INR" in told
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
    asked = "withdrawals from the ATM last month"
    for told in (ToldVocabulary(bank).datasets(asked, 2_000), describe_tables(bank, asked, 2_000)):
        assert "atm_withdrawals" in told
        assert len(told) <= 2_000


def test_the_last_turn_is_told_as_it_is_to_be_replied_and_older_ones_in_a_line():
    said = {
        "measures": [{"metric": "total_deposits"}],
        "dimensions": [{"field": "accounts.opened_on by month"}],
        "filters": [{"any": [{"field": "customers.segment", "operator": "=", "values": ["HNI"]}]}],
        "order": [{"measure": 1, "descending": True}],
    }
    intent = StructuredQuestion.model_validate(said).to_intent()
    asked_back = {"outcome": "clarify", "choices": ("All", "Open"), "assumptions": ("Deposits are balances.",)}
    turns = [
        *(Turn(f"question {n}", f"meaning {n}") for n in range(9)),
        Turn("deposits", "Deposits.", intent, **asked_back),
    ]
    told = describe_history(turns)
    assert "question 3" not in told
    assert told.startswith("earlier: question 4 -> meaning 4 (answered)\n")
    assert "outcome: clarify\nasked back, with the choices: All | Open\nassumed: Deposits are balances.\n" in told
    assert json.loads(told.partition("intent: ")[2]) == said
    assert StructuredQuestion.model_validate_json(intent_as_reply(intent)).to_intent() == intent


def test_what_was_refused_since_is_told_behind_the_last_question_that_was_understood():
    turns = [Turn("deposits", "Total deposits"), *(Turn(f"zorgs {n}", "", None, "refused") for n in range(2))]
    assert describe_history(turns) == (
        "asked: deposits\nunderstood: Total deposits\noutcome: answered\n"
        "then asked, and refused: zorgs 0\nthen asked, and refused: zorgs 1"
    )
    assert describe_history(turns[1:2]) == "asked: zorgs 0\nunderstood: \noutcome: refused"


def test_failures_are_told_in_order():
    assert describe_failures([FailedDraft("SELECT nme FROM t", "no such column: nme", "")]) == (
        "The previous SQL query failed to execute.\nError details: no such column: nme\n"
        "Failing query:\nSELECT nme FROM t\nGenerate a corrected read-only SQL query that addresses the error and "
        "try again using only the authorised tables."
    )
    assert "Failing query:\n(none)\n" in describe_failures([FailedDraft(None, "no such table", "")])
    assert describe_history([]) == describe_failures([]) == "(none)"


def test_of_a_turn_that_was_understood_by_more_of_a_name_than_was_typed_only_the_question_is_told():
    named = Condition(field=FieldRef(dataset="customers", field="full_name"), operator="=", values=("Asha Rao",))
    intent = Intent(measures=(Measure(metric="total_deposits"),), filters=(named,))
    turn = Turn(
        "deposits of asha?", "Total deposits where name is Asha Rao", intent, assumptions=("Asha Rao is meant",)
    )

    def told(*typed: str) -> str:
        begin_asking("una", typed)
        return describe_history(turns_told([turn], BANK))

    assert copy_context().run(told, turn.question) == "asked: deposits of asha?\nunderstood: \noutcome: answered"
    assert "Asha Rao" in copy_context().run(told, turn.question, "and of Rao?")
