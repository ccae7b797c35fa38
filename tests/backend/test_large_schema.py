"""A database of a thousand tables is opened and asked like a small one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from tests.large_schema import AREAS, COLUMNS, RECORDS, ROWS, rows, write_large_schema


@pytest.fixture(scope="module")
def bank_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_large_schema(tmp_path_factory.mktemp("large") / "bank.sqlite", "sqlite")


@pytest.fixture(scope="module")
def assistant(bank_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    settings = Settings(
        database_url=str(bank_file), cache_dir=tmp_path_factory.mktemp("cache"), as_of=date(2026, 11, 21)
    )
    opened = open_assistant(settings)
    yield opened
    opened.close()


def column(area: str, record: str, name: str) -> list[object]:
    place = COLUMNS.index(name)
    return [row[place] for row in rows(area, record)]


def answered(assistant: Assistant, question: str) -> list[tuple[object, ...]]:
    answer = assistant.ask(question)
    assert answer.status == "answered", answer.error
    assert answer.result is not None
    return [tuple(row) for row in answer.result.rows]


def test_every_table_is_known_with_its_columns_and_values(assistant):
    tables = assistant.vocabulary.catalogue.tables
    assert (len(tables), sum(len(table.columns) for table in tables)) == (1_000, 15_000)
    assert len(tables) == len(AREAS) * len(RECORDS)
    cities = assistant.vocabulary.values.values_of("wealth_positions", "city")
    assert cities is not None
    assert sorted(map(str, cities.values)) == sorted(set(map(str, column("wealth", "position", "city"))))


def test_the_rows_of_one_of_many_like_tables_are_counted(assistant):
    assert answered(assistant, "How many retail customers are there?") == [(ROWS,)]


def test_a_column_that_every_table_has_is_that_of_the_table_named(assistant):
    expected = Counter(column("treasury", "trade", "status"))
    assert dict(answered(assistant, "How many treasury trades are there by status?")) == expected


def test_a_value_that_every_table_holds_is_that_of_the_table_named(assistant):
    places = column("vehicle", "loan", "city")
    amounts = [
        amount for amount, city in zip(column("vehicle", "loan", "amount"), places, strict=True) if city == "Pune"
    ]
    assert answered(assistant, "Total vehicle loan amount in Pune") == [(sum(amounts),)]


def test_a_figure_is_ranked_by_the_rows_of_its_own_table(assistant):
    top = answered(assistant, "Top 5 leasing contracts by balance")
    assert [row[-1] for row in top] == sorted(column("leasing", "contract", "balance"), reverse=True)[:5]


def test_two_of_the_tables_are_joined_by_their_key(assistant):
    expected = Counter(column("retail", "account", "customer"))
    found = answered(assistant, "How many retail accounts per retail customer?")
    assert {row[0]: row[-1] for row in found} == expected


@pytest.mark.parametrize("question", ["How many claims are there?", "Number of vendors by city"])
def test_a_noun_that_many_tables_share_is_asked_back(assistant, question):
    answer = assistant.ask(question)
    assert answer.status == "clarify"
    assert len(answer.choices) > 1


def test_a_word_that_no_table_knows_is_named(assistant):
    answer = assistant.ask("Total flurb of retail accounts")
    assert answer.status == "refused"
    assert "flurb" in str(answer.error)
