"""What a database says when a statement fails may quote cells; nobody outside the worker hears that."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import traceback
from datetime import date
from urllib.parse import urlsplit

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_engine.agents.running import run_with_deadline
from ai_engine.errors import QueryFailed
from ai_engine.guard.policy import Policy
from ai_engine.main import ask
from ai_engine.ports import Services
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import CheckedStatement
from backend.databases import Database, DatabaseLimits, open_database
from tests.ai_engine.scripted_model import ScriptedModel
from tests.backend.databases.servers.small_bank import NAME, administer_mariadb, administer_postgres
from tests.backend.databases.spoken_data import EXPRESSIONS, MARKER, SCHEMA, SHAPES

DATABASE = f"{NAME}_spoken"
STATEMENTS = [part for part in SCHEMA.split(";") if part.strip()]
ONE_WORKER = DatabaseLimits(workers=1, connections=1)


@contextlib.contextmanager
def url_of(engine, request, tmp_path_factory):
    if engine in ("duckdb", "sqlite"):
        path = tmp_path_factory.mktemp(engine) / f"bank.{engine}"
        writer = sqlite3.connect(path) if engine == "sqlite" else duckdb.connect(path)
        for statement in STATEMENTS:
            writer.execute(statement)
        writer.commit()
        writer.close()
        yield str(path)
    elif engine == "postgres":
        url = request.getfixturevalue("postgres_url")
        administer_postgres(url, f"DROP DATABASE IF EXISTS {DATABASE}", f"CREATE DATABASE {DATABASE}")
        administer_postgres(url, *STATEMENTS, database=DATABASE)
        yield f"{url}/{DATABASE}"
        administer_postgres(url, f"DROP DATABASE {DATABASE} WITH (FORCE)")
    else:
        url = request.getfixturevalue("mariadb_url")
        administer_mariadb(f"CREATE OR REPLACE DATABASE {DATABASE}", f"USE {DATABASE}", *STATEMENTS)
        yield f"{url}/{DATABASE}"
        administer_mariadb(f"DROP DATABASE {DATABASE}")


@pytest.fixture(
    scope="module",
    params=["duckdb", "sqlite", *(pytest.param(name, marks=pytest.mark.server) for name in ("postgres", "mysql"))],
)
def bank(request, tmp_path_factory):
    with url_of(request.param, request, tmp_path_factory) as url, open_database(url, ONE_WORKER) as database:
        yield database


def run(database: Database, sql: str):
    return database.runner.run(sql, max_rows=10, timeout_s=20.0, stop=threading.Event()).rows


def fault_of(database: Database, sql: str) -> QueryFailed | None:
    try:
        run(database, sql)
    except QueryFailed as fault:
        return fault
    return None


def told(fault: QueryFailed) -> str:
    return "".join(traceback.format_exception(fault)) + fault.user_message + repr(fault.__dict__)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_cell_is_in_what_a_failed_statement_tells(bank, data, caplog):
    expression = data.draw(st.sampled_from(EXPRESSIONS[bank.dialect]))
    sql = data.draw(st.sampled_from(SHAPES)).format(expression)
    with caplog.at_level(logging.DEBUG):
        fault = fault_of(bank, sql)
    assert fault is None or MARKER not in told(fault), sql
    assert MARKER not in caplog.text


def test_most_of_these_statements_fail_and_say_why(bank):
    faults = [fault_of(bank, SHAPES[0].format(expression)) for expression in EXPRESSIONS[bank.dialect]]
    reasons = [str(fault) for fault in faults if fault is not None]
    assert len(reasons) >= 0.6 * len(faults)
    vague = [reason for reason in reasons if reason.startswith("the database")]
    assert len(vague) <= 0.4 * len(reasons), vague


FAILS_OVER_CELLS = {
    "duckdb": "SELECT CAST(note AS INTEGER) AS x FROM t",
    "sqlite": "SELECT ABS(-huge - 1) AS x, note FROM t",
    "postgres": "SELECT CAST(note AS INTEGER) AS x FROM t",
    "mysql": "SELECT huge + huge AS x, note FROM t",
}


def test_answer_log_and_request_to_the_model_hold_no_cell_of_a_failed_statement(bank, caplog):
    sql = FAILS_OVER_CELLS[bank.dialect]
    model = ScriptedModel(sql, sql, sql)
    known = infer_vocabulary(bank.catalogue)
    vocabulary = Vocabulary(bank.catalogue, known, ValueIndex((), known), date(2026, 11, 21))
    services = Services(model=model, vocabulary=vocabulary, runner=bank.runner, policy=Policy())
    with caplog.at_level(logging.DEBUG):
        answer = ask("What are the notes?", services=services)
    assert (answer.status, len(answer.failures)) == ("failed", 3)
    assert {failure.stage for failure in answer.failures} == {"execution"}
    for text in (repr(answer), caplog.text, repr(model.tasks)):
        assert MARKER not in text


WRONG = {
    "SELECT nope FROM t": "unknown column: nope",
    "SELECT x.id FROM t": "x",
    "SELECT id FROM nowhere": "unknown table: nowhere",
    "SELECT unheard_of(id) FROM t": "unknown function, or one that does not take such values: unheard_of",
    "SELECT id FROM t AS a JOIN t AS b ON a.id = b.id": "ambiguous name: say of which table: id",
    "SELECT SUM(COUNT(*)) FROM t": "aggregate",
}


@pytest.mark.parametrize("sql", WRONG)
def test_a_wrong_name_is_told_as_it_stands_in_the_statement(bank, sql):
    fault = fault_of(bank, sql)
    assert fault is not None
    assert WRONG[sql] in str(fault)


def test_a_name_that_stands_only_in_a_literal_is_not_told(bank):
    fault = fault_of(bank, "SELECT nope, 'secret_word' AS a FROM t WHERE note = 'nope_too'")
    assert str(fault) == "unknown column: nope"
    assert urlsplit(bank.url_shown).path.strip("/") not in str(fault)


def test_words_of_the_statement_that_people_see_are_all_that_is_told_of_the_one_that_ran(bank):
    """The guard may run a text with aliases of its own making; these would say nothing to anybody."""
    statement = CheckedStatement("SELECT nope FROM t", "SELECT made_up_1.nope FROM t AS made_up_1", 10)
    with pytest.raises(QueryFailed) as caught:
        run_with_deadline(bank.runner, statement, 20.0, threading.Event())
    assert str(caught.value) == "unknown column: nope"
