"""What other programs are shown, by hand-made policies."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ai_engine.guard.policy import Policy
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary
from backend.mcp.shown import shown_model, shown_tables
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import read_settings


@pytest.fixture(scope="module")
def bank(small_bank: Path):
    with closing(open_assistant(read_settings(database_url=str(small_bank)))) as assistant:
        yield assistant


def test_a_hidden_table_is_nowhere_not_even_in_the_keys_and_figures_of_others(bank: Assistant):
    policy = replace(bank.policy, hidden_tables=frozenset({"loans"}))
    tables = shown_tables(bank.vocabulary.catalogue, policy)
    assert "loans" not in {table.name for table in tables}
    assert not [key for table in tables for key in table.foreign_keys if key.to_table == "loans"]
    model = shown_model(bank.vocabulary.model, policy, bank.vocabulary.catalogue)
    assert not [item.name for item in model.datasets if item.source == "loans"]
    assert not [link for link in model.relationships if "loans" in (link.from_dataset, link.to_dataset)]
    assert model.metrics
    assert not [metric.name for metric in model.metrics if "loans." in metric.expression]


def test_only_what_is_allowed_is_shown(bank: Assistant):
    policy = Policy(allowed_tables=frozenset({"branches"}))
    assert [table.name for table in shown_tables(bank.vocabulary.catalogue, policy)] == ["branches"]
    model = shown_model(bank.vocabulary.model, policy, bank.vocabulary.catalogue)
    assert [item.source for item in model.datasets] == ["branches"]
    assert model.as_of is None


def test_a_restricted_column_takes_keys_fields_and_figures_along(bank: Assistant):
    policy = Policy(restricted_columns={"loans": frozenset({"OUTSTANDING_PRINCIPAL", "loan_id"})})
    [loans] = [table for table in shown_tables(bank.vocabulary.catalogue, policy) if table.name == "loans"]
    assert not {"outstanding_principal", "loan_id"} & {column.name for column in loans.columns}
    assert loans.primary_key == ()
    model = shown_model(bank.vocabulary.model, policy, bank.vocabulary.catalogue)
    dataset = model.dataset("loans")
    assert not dataset.has("outstanding_principal")
    assert "outstanding_principal" not in dataset.display
    assert not [metric.name for metric in model.metrics if "outstanding_principal" in metric.expression]


def test_what_is_shown_is_a_vocabulary_file_for_the_tables_that_are_shown(bank: Assistant):
    vocabulary = bank.vocabulary
    model = shown_model(vocabulary.model, bank.policy, vocabulary.catalogue)
    shown = replace(vocabulary.catalogue, tables=shown_tables(vocabulary.catalogue, bank.policy))
    assert load_vocabulary(dump_vocabulary(model), shown) == model
    assert not [item for dataset in model.datasets for item in dataset.fields if item.sensitive]
    assert model.verified_questions == ()
