from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import QueryStopped, QueryTimedOut
from ai_engine.guard.policy import Policy
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.semantics.values import FoundValues, StoredValue, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from backend.databases import Database, open_database
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from backend.values.collection import collect_values
from backend.values.search import DatabaseValueSearch
from tests.ai_engine.llm.server import says, serving
from tests.ai_engine.semantics.schemas import permitted

DDL = """
    CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, customer_name VARCHAR(60), email VARCHAR(60),
        city VARCHAR(20), password VARCHAR(20));
    CREATE TABLE accounts (account_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (customer_id),
        account_number VARCHAR(20), balance DECIMAL(12, 2));
"""
NAMES = (
    "Asha Rao",
    "Ravi Shah",
    "Meera Nair",
    "Rajesh Kumar Iyer",
    "rajesh kumar iyer",
    "Zubin O'Brien",
    "deSouza Ltd",
)
NO_STOP = threading.Event()


def rows_sql() -> str:
    lines = []
    for number, name in enumerate(NAMES, start=1):
        written = name.replace("'", "''")
        mail = f"{name.split()[0].lower()}{number}@example.com"
        lines.append(f"INSERT INTO customers VALUES ({number}, '{written}', '{mail}', 'Pune', 'secret{number}');")
        lines.append(f"INSERT INTO accounts VALUES ({number}, {number}, 'AC-{1000 + number}/7', {number * 100});")
    return "\n".join(lines)


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def bank_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("people") / f"bank.{request.param}"
    connection = sqlite3.connect(file) if request.param == "sqlite" else duckdb.connect(file)
    with closing(connection):
        for statement in f"{DDL}{rows_sql()}".split(";"):
            connection.execute(statement)
        connection.commit()
    return file


@pytest.fixture(scope="module")
def database(bank_file: Path) -> Iterator[Database]:
    with open_database(str(bank_file)) as opened:
        yield opened


@pytest.fixture(scope="module")
def vocabulary(database: Database) -> Vocabulary:
    """Two values of each column are learnt."""
    model = permitted(infer_vocabulary(database.catalogue), "email", "account_number")
    values = collect_values(database, model, max_distinct=2, cache_dir=None)
    return Vocabulary(database.catalogue, model, ValueIndex(values, model), date(2026, 11, 21))


def search_in(database: Database, **options: object) -> DatabaseValueSearch:
    bounds = {"policy": Policy(), "timeout_s": 20.0, "max_columns": 8, **options}
    return DatabaseValueSearch(database.runner, **bounds)  # type: ignore[arg-type]


def find(search: DatabaseValueSearch, vocabulary: Vocabulary, *texts: str) -> FoundValues:
    return search.find(texts, vocabulary, stop=NO_STOP)


def name(value: str) -> StoredValue:
    return StoredValue("customers", "customer_name", value)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Zubin O'Brien", ("Zubin O'Brien",)),
        ("zubin o'brien", ("Zubin O'Brien",)),
        ("ZUBIN O'BRIEN", ("Zubin O'Brien",)),
        ("Desouza LTD", ("deSouza Ltd",)),
        ("Rajesh Kumar Iyer", ("Rajesh Kumar Iyer", "rajesh kumar iyer")),
        ("Zubin", ()),
        ("Z%", ()),
        ("' OR 1=1 --", ()),
    ],
)
def test_values_equal_to_a_text_are_found_whatever_their_case(database, vocabulary, text, values):
    assert find(search_in(database), vocabulary, text) == FoundValues(tuple(map(name, values)))


@settings(max_examples=60, deadline=None)
@given(text=st.one_of(st.text(min_size=1, max_size=30), st.sampled_from(NAMES).map(str.swapcase)))
def test_whatever_the_text_only_values_equal_to_it_are_found(database, vocabulary, text):
    found = find(search_in(database), vocabulary, text)
    assert all(str(one.value).lower() == text.lower() for one in found.values)
    assert found.complete


def test_several_texts_are_found_at_once_in_all_columns(database, vocabulary):
    found = find(search_in(database), vocabulary, "Asha Rao", "AC-1004/7", "nothing")
    assert found.values == (name("Asha Rao"), StoredValue("accounts", "account_number", "AC-1004/7"))


def test_a_mail_address_is_looked_for_where_mail_addresses_are(database, vocabulary):
    found = find(search_in(database), vocabulary, "Zubin6@example.com")
    assert found.values == (StoredValue("customers", "email", "zubin6@example.com"),)


def test_columns_that_are_sensitive_or_withheld_are_not_searched(database, vocabulary):
    assert find(search_in(database), vocabulary, "secret3").values == ()
    restricted = Policy(restricted_columns={"customers": frozenset({"customer_name"})})
    assert find(search_in(database, policy=restricted), vocabulary, "Asha Rao").values == ()
    hidden = Policy(hidden_tables=frozenset({"accounts"}))
    assert find(search_in(database, policy=hidden), vocabulary, "AC-1004/7").values == ()


def test_a_column_whose_values_are_all_known_is_not_searched(database, vocabulary):
    known = collect_values(database, vocabulary.model, cache_dir=None)
    everything = replace(vocabulary, values=ValueIndex(known, vocabulary.model))
    search = DatabaseValueSearch(RefusingRunner(), Policy(), 20, 8)  # type: ignore[arg-type]
    assert search.find(("Asha Rao",), everything, stop=NO_STOP) == FoundValues()


class RefusingRunner:
    """Never has time."""

    def run(self, sql: str, **bounds: object) -> None:
        raise QueryTimedOut(0.1)


def test_a_search_that_runs_out_of_time_or_of_columns_says_so(database, vocabulary):
    late = DatabaseValueSearch(RefusingRunner(), Policy(), 20, 8)  # type: ignore[arg-type]
    assert late.find(("Asha Rao",), vocabulary, stop=NO_STOP) == FoundValues((), complete=False)
    assert find(search_in(database, timeout_s=0), vocabulary, "Asha Rao") == FoundValues((), complete=False)
    narrow = search_in(database, max_columns=1)
    assert find(narrow, vocabulary, "Asha Rao") == FoundValues((name("Asha Rao"),), complete=False)
    assert find(narrow, vocabulary, "AC-1004/7") == FoundValues((), complete=False)


def test_stopping_the_run_stops_the_search(database, vocabulary):
    stop = threading.Event()
    stop.set()
    with pytest.raises(QueryStopped):
        search_in(database).find(("Asha Rao",), vocabulary, stop=stop)


@pytest.fixture(scope="module")
def assistant(bank_file: Path, vocabulary: Vocabulary, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    file = tmp_path_factory.mktemp("vocabulary") / "bank.yaml"
    file.write_text(dump_vocabulary(vocabulary.model), encoding="utf-8")
    chosen = Settings(
        database_url=str(bank_file), cache_dir=tmp_path_factory.mktemp("cache"), max_indexed_values=2,
        vocabulary_file=file,
        as_of=date(2026, 11, 21), value_search_timeout_s=20,
    )  # fmt: skip
    opened = open_assistant(chosen)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("question", "balance"),
    [
        ("What is the total balance of Zubin O'Brien?", 600),
        ("total balance of meera nair", 300),
        ("What is the total balance of account AC-1007/7?", 700),
        ("Total balance of customers with the email asha1@example.com", 100),
    ],
)
def test_the_assistant_answers_about_values_that_were_not_learnt(assistant, question, balance):
    answer = assistant.ask(question)
    assert answer.result is not None, answer.error
    assert [row[-1] for row in answer.result.rows] == [balance]
    assert assistant.ask(question).sql == answer.sql


def test_a_language_model_is_told_the_values_that_were_not_learnt(bank_file, tmp_path):
    intent = {
        "measures": [{"aggregate": "sum", "field": {"dataset": "accounts", "field": "balance"}}],
        "filters": [{"kind": "condition", "field": {"dataset": "customers", "field": "customer_name"},
                     "operator": "=", "values": ["Zubin O'Brien"]}],
    }  # fmt: skip
    read = says({"outcome": "query", "restatement": "Total balance of Zubin O'Brien.", "intent": intent})
    with serving(read, says({"summary": "The total is 600.", "chart": "metric"})) as server:
        opened = open_assistant(Settings(
            database_url=str(bank_file), cache_dir=tmp_path, max_indexed_values=2, openai_base_url=server.base_url,
            value_search_timeout_s=20,
        ))  # fmt: skip
        with closing(opened):
            answer = opened.ask("total balance of zubin o'brien")
    assert answer.result is not None, answer.error
    assert [row[-1] for row in answer.result.rows] == [600]
    assert 'customers.customer_name = "Zubin O\'Brien"\n' in server.requests[0]["messages"][1]["content"]


def test_the_assistant_names_the_words_that_the_data_does_not_have(assistant):
    answer = assistant.ask("Total balance of Nobody Whatsoever")
    assert answer.status == "refused"
    assert "Whatsoever" in str(answer.error)


def test_a_stopped_question_does_not_search_on(assistant):
    stop = threading.Event()
    stop.set()
    assert assistant.ask("Total balance of Zubin O'Brien", stop=stop).error_kind == "QueryStopped"


def test_a_value_beyond_those_learnt_of_a_large_column_is_found(tmp_path):
    file = tmp_path / "large.duckdb"
    with duckdb.connect(file) as connection:
        connection.execute(
            "CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, payment_code VARCHAR, amount DECIMAL(12, 2))"
        )
        connection.execute(
            "INSERT INTO payments SELECT i, 'TXN' || lpad(i::VARCHAR, 7, '0'), i FROM range(60000) numbers(i)"
        )
    opened = open_assistant(Settings(database_url=str(file), cache_dir=tmp_path, value_search_timeout_s=20))
    try:
        known = opened.vocabulary.values.values_of("payments", "payment_code")
        assert known is not None
        assert (len(known.values), known.complete) == (50_000, False)
        learnt = set(known.values)
        missing = next(number for number in range(60_000) if f"TXN{number:07d}" not in learnt)
        answer = opened.ask(f"What is the amount of payment txn{missing:07d}?")
        assert answer.result is not None, answer.error
        assert [row[-1] for row in answer.result.rows] == [missing]
    finally:
        opened.close()
