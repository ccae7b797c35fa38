"""A day that is closed, by whomever and however late, dates no rows where another may be asked."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from ai_engine.semantics.data_dictionary import DataDictionary, Entry
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.kept_back import with_kept_back
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.semantics.vocabulary_edits import Edit
from backend.opening import open_assistant
from backend.renewal import trying
from backend.settings import Settings
from tests.ai_engine.semantics.schemas import catalogue, table

DAYS = ("joined_on date", "created_at ts", "closed_date date", "left_on date", "value_date date", "birth_date date")
QUESTION = "How many customers in 2021?"


@pytest.mark.parametrize("closed", [some for count in (0, 1, 2, 5) for some in combinations(DAYS, count)])
def test_rows_are_dated_by_the_open_day_that_would_have_been_inferred(closed):
    held = frozenset(day.split()[0] for day in closed)
    bank = catalogue(table("customer", f"id int, {', '.join(DAYS)}"))
    said = DataDictionary({("customer", name): Entry(sensitive=True) for name in held})
    inferred = infer_vocabulary(bank, {}, said).dataset("customer")
    expected = inferred.default_time
    if expected is not None and inferred.field(expected).sensitive:
        expected = None
    model = with_kept_back(infer_vocabulary(bank), bank, {"customer": held | {"birth_date"}})
    assert model.dataset("customer").default_time == expected


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    file = tmp_path / "bank.sqlite"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, joined_on DATE NOT NULL,"
            " created_at DATE NOT NULL, city TEXT NOT NULL)"
        )
        rows = [(n, f"202{n % 4}-01-05", f"202{n % 3}-03-05", "Pune") for n in range(30)]
        connection.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", rows)
    return Settings(
        database_url=str(file), cache_dir=tmp_path / "cache", store_url=f"sqlite:///{tmp_path}/store.sqlite",
        database_workers=1,
    )  # fmt: skip


def closing_of(*columns: str) -> list[Edit]:
    return [Edit("column", f"customers.{name}", "sensitive", False, True) for name in columns]


def test_a_year_is_asked_by_the_other_day_once_a_person_has_closed_the_first(settings):
    with closing(open_assistant(settings)) as assistant:
        assert assistant.vocabulary.model.dataset("customers").default_time == "joined_on"
        answer = trying(assistant, closing_of("joined_on")).ask(QUESTION)
        assert answer.status == "answered", answer.error
        assert "created_at" in answer.sql
        answer = trying(assistant, closing_of("joined_on", "created_at")).ask(QUESTION)
        assert (answer.status, answer.sql) == ("refused", None)


def test_a_year_is_asked_by_the_other_day_where_a_file_closes_the_one_that_it_names(settings, tmp_path):
    with closing(open_assistant(settings)) as assistant:
        model = assistant.vocabulary.model
    customers = model.dataset("customers")
    fields = tuple(replace(item, sensitive=item.name == customers.default_time) for item in customers.fields)
    file = tmp_path / "customers.yaml"
    file.write_text(dump_vocabulary(replace(model, datasets=(replace(customers, fields=fields),))), encoding="utf-8")
    with closing(open_assistant(settings.model_copy(update={"vocabulary_file": file}))) as assistant:
        answer = assistant.ask(QUESTION)
    assert answer.status == "answered", answer.error
    assert "created_at" in answer.sql
