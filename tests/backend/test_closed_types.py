"""What the database itself says of a closed column, the values in its type and the words beside it, is told nobody."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ai_engine.catalogue import Catalogue, Column, Dialect, Table
from ai_engine.llm.context import describe_tables
from ai_engine.llm.told_of_data import unknown_names
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.kept_back import with_kept_back
from backend.answers.answer_json import answer_to_json
from backend.service import Assistant
from tests.ai_engine.llm.bank import BANK
from tests.backend.conftest import OpenScripted

MADE = (
    "CREATE TYPE pans AS ENUM ('CANENUMA', 'CANENUMB')",
    "CREATE TYPE segments AS ENUM ('Retail', 'Premium')",
    "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, pan pans, segment segments)",
    "COMMENT ON COLUMN customers.pan IS 'only CANCOMMENT, never empty'",
    "COMMENT ON COLUMN customers.segment IS 'as the desk chose it'",
    "INSERT INTO customers VALUES (1, 'CANENUMA', 'Retail'), (2, 'CANENUMB', 'Premium')",
)
TOLD = (
    "The column pan of customers is one of CANENUMA and CANENUMB.",
    "The pan of customers is, for one, CANCOMMENT.",
)


@pytest.fixture
def assistant(open_scripted: OpenScripted) -> Assistant:
    opened = open_scripted(MADE)
    assert opened.vocabulary.kept_back == {"customers": {"pan"}}
    return opened


def test_a_model_is_told_the_name_and_the_kind_of_a_closed_column_and_of_an_open_one_its_type(
    assistant, scripted_model
):
    assistant.ask("How many customers are there by pan?")
    sent = json.dumps(scripted_model.requests)
    assert "  pan text\\n" in sent
    assert "ENUM('Retail', 'Premium') -- as the desk chose it" in sent
    assert "CANENUM" not in sent
    assert "CANCOMMENT" not in sent


@pytest.mark.parametrize("reply", TOLD, ids=["values", "comment"])
def test_what_a_model_says_of_a_closed_column_is_not_borne_out_by_its_type_or_comment(assistant, scripted_model, reply):
    scripted_model.reply = {"outcome": "about", "restatement": "pans", "reply": reply}
    answer = answer_to_json(assistant.ask("What is the pan of customers?"))
    assert "CANENUM" not in json.dumps(answer)
    assert "CANCOMMENT" not in json.dumps(answer)


def test_the_vocabulary_does_not_describe_a_closed_column_by_the_comment_beside_it(assistant):
    fields = assistant.vocabulary.model.dataset("customers")
    assert (fields.field("pan").description, fields.field("segment").description) == ("", "as the desk chose it")


@pytest.mark.parametrize(
    ("dialect", "native"),
    [("mysql", "ENUM('CANENUMA','CANENUMB')"), ("mysql", "SET('CANENUMA','CANENUMB')"), ("duckdb", "ENUM('CANENUMA')")],
)
def test_a_table_that_shows_the_rows_of_one_with_a_closed_column_tells_no_type_of_it_either(
    dialect: Dialect, native: str
):
    columns = (Column("id", "integer", "INTEGER"), Column("pan", "text", native, comment="such as CANCOMMENT"))
    catalogue = Catalogue(dialect, (Table("customers", columns), Table("merged", columns, kin=("customers",))))
    held = {"customers": frozenset({"pan"})}
    model = with_kept_back(infer_vocabulary(catalogue), catalogue, held)
    told = replace(BANK, catalogue=catalogue, model=model, kept_back=held)
    said = describe_tables(told, "customers with their pan", 24_000)
    assert said.count("  pan text\n") + said.endswith("  pan text") == 2
    assert unknown_names("A pan is CANENUMA or CANCOMMENT.", (), told) != ()
