"""The sample bank's vocabulary fits the database: names exist, figures run, no word means two things in one place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa
import sqlglot
from sqlglot import exp

from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.osi import load_vocabulary
from backend.catalogue.reflection import read_catalogue
from data.schema import TABLES

FILE = Path(__file__).parents[2] / "data" / "sample_bank.yaml"


@pytest.fixture(scope="module")
def model(bank_file: Path) -> SemanticModel:
    engine = sa.create_engine(f"duckdb:///{bank_file}", connect_args={"read_only": True})
    catalogue = read_catalogue(engine, "duckdb")
    engine.dispose()
    return load_vocabulary(FILE.read_text(encoding="utf-8"), catalogue)


@pytest.fixture(scope="module")
def bank(bank_file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(bank_file, read_only=True) as connection:
        yield connection


def test_every_table_and_column_is_in_the_vocabulary_and_no_other(model: SemanticModel) -> None:
    named = {(dataset.source, field.expression) for dataset in model.datasets for field in dataset.fields}
    assert named == {(table.name, column.name) for table in TABLES for column in table.columns}


def test_every_foreign_key_is_a_relationship_and_no_other(model: SemanticModel) -> None:
    found = {(one.from_dataset, *one.from_columns, one.to_dataset, *one.to_columns) for one in model.relationships}
    assert found == {(table.name, *key) for table in TABLES for key in table.foreign_keys}


def test_every_metric_gives_a_number(model: SemanticModel, bank: duckdb.DuckDBPyConnection) -> None:
    assert len(model.metrics) >= 20
    for metric in model.metrics:
        [(figure,)] = bank.execute(standalone(metric.expression)).fetchall()
        assert figure is not None, metric.name


def standalone(expression: str) -> str:
    """Turn a metric into a statement of its own, each aggregate over its own table."""

    def over_its_table(node: exp.Expression) -> exp.Expression:
        if not isinstance(node, exp.AggFunc):
            return node
        [table] = {column.table for column in node.find_all(exp.Column)}
        return exp.Subquery(this=exp.select(node.copy()).from_(table))

    return sqlglot.parse_one(f"SELECT {expression}").transform(over_its_table).sql("duckdb")


def test_every_verified_question_has_sql_that_finds_rows(model: SemanticModel, bank: duckdb.DuckDBPyConnection) -> None:
    assert 8 <= len(model.verified_questions) <= 12
    for verified in model.verified_questions:
        assert bank.execute(verified.sql).fetchall(), verified.question


@pytest.mark.parametrize(
    ("metric", "question"),
    [("casa_ratio", "What is the CASA ratio?"), ("credit_to_deposit_ratio", "What is the credit to deposit ratio?")],
)
def test_a_metric_and_its_verified_question_agree(
    model: SemanticModel, bank: duckdb.DuckDBPyConnection, metric: str, question: str
) -> None:
    [sql] = [verified.sql for verified in model.verified_questions if verified.question == question]
    assert bank.execute(sql).fetchall() == bank.execute(standalone(model.metric(metric).expression)).fetchall()


def test_net_flow_is_what_is_left_in_the_accounts(model: SemanticModel, bank: duckdb.DuckDBPyConnection) -> None:
    figures = [
        bank.execute(standalone(model.metric(name).expression)).fetchone() for name in ("net_flow", "total_deposits")
    ]
    assert figures[0] == figures[1]


def test_synonyms_of_values_belong_to_values_that_exist(model: SemanticModel, bank: duckdb.DuckDBPyConnection) -> None:
    for dataset in model.datasets:
        for field in dataset.fields:
            if field.value_synonyms:
                stored = bank.execute(f"SELECT DISTINCT {field.expression} FROM {dataset.source}").fetchall()
                assert field.value_synonyms.keys() <= {value for (value,) in stored}, field.name


def test_no_word_names_two_things_in_one_place(model: SemanticModel) -> None:
    places: dict[str, list[Any]] = {
        "datasets": [(item.label, *item.synonyms) for item in model.datasets],
        "metrics": [(item.label, *item.synonyms) for item in model.metrics],
    }
    for dataset in model.datasets:
        places[dataset.name] = [(field.label, *field.synonyms) for field in dataset.fields]
        for field in dataset.fields:
            values = field.value_synonyms
            places[f"{dataset.name}.{field.name}"] = [(value, *words) for value, words in values.items()]
    for place, things in places.items():
        words = [word.lower() for thing in things for word in thing]
        assert sorted(words) == sorted(set(words)), place


def test_money_sums_rates_average_and_both_have_units(model: SemanticModel) -> None:
    measures = [field for dataset in model.datasets for field in dataset.fields if field.role == "measure"]
    for field in measures:
        assert field.default_aggregate, field.name
        assert field.unit or field.name == "credit_score", field.name
        assert field.unit != "percent" or field.default_aggregate == "avg"


def test_contacts_are_sensitive(model: SemanticModel) -> None:
    sensitive = {field.name for dataset in model.datasets for field in dataset.fields if field.sensitive}
    assert {"email", "phone"} <= sensitive
