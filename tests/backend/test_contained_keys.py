"""Keys that a database does not declare: a name or the values must say them, and a wrong one is worse than none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from ai_engine.semantics.inferred_notes import inferred_notes
from ai_engine.semantics.model import SemanticModel
from backend.catalogue.sampling import collect_samples, infer_from
from backend.databases import DatabaseLimits, open_database
from backend.opening import open_assistant
from backend.settings import Settings
from tests.backend.test_sampling import DeafTo

Rows = Iterable[tuple[object, ...]]


def uuid(space: int, number: int) -> str:
    return str(UUID(int=space << 64 | number))


def write(file: Path, tables: dict[str, Rows]) -> Path:
    """Write tables given as "name(column type, …)" with their rows."""
    with closing(sqlite3.connect(file)) as bank:
        for created, rows in tables.items():
            name, columns = created.removesuffix(")").split("(", 1)
            bank.execute(f"CREATE TABLE {created}")
            bank.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns.split(',')))})", rows)
        bank.commit()
    return file


def inferred(file: Path) -> SemanticModel:
    with open_database(str(file), DatabaseLimits(workers=1, memory_mb=512)) as database:
        return infer_from(database, collect_samples(database))


def links(model: SemanticModel) -> set[tuple[str, str, str | None]]:
    return {
        (f"{link.from_dataset}.{link.from_columns[0]}", link.to_dataset, link.guessed_by)
        for link in model.relationships
    }


NOTIFICATIONS = "notifications(id INTEGER PRIMARY KEY, message TEXT)", [(n, f"m{n}") for n in range(1, 3001)]
MISLEADING = {
    "every id counts from one, and only one table calls its own so": {
        NOTIFICATIONS[0]: NOTIFICATIONS[1],
        "accounts(account_no INTEGER PRIMARY KEY, owner_id INTEGER, balance NUMERIC)":
            [(n, 1 + n % 90, n * 10) for n in range(1, 200)],
        "cards(card_no INTEGER PRIMARY KEY, holder_id INTEGER, spent NUMERIC)":
            [(n, 1 + n % 70, n) for n in range(1, 300)],
    },
    "a log whose id is text, beside keys of other texts": {
        "audit_log(id TEXT PRIMARY KEY, line TEXT)": [(f"L{n:06}", "x") for n in range(500)],
        "loans(loan_ref TEXT PRIMARY KEY, borrower_id TEXT, scheme_code TEXT, amount NUMERIC)":
            [(f"LN{n}", f"C{n % 40:06}", f"S{n % 12:03}", n) for n in range(200)],
    },
    "numbers of another system that happen to be among a table's": {
        "settings(id INTEGER PRIMARY KEY, name TEXT)": [(n, f"s{n}") for n in range(1, 50)],
        "devices(id INTEGER PRIMARY KEY, model TEXT)": [(n, f"d{n}") for n in range(5000, 9000)],
        "payments(payment_no INTEGER PRIMARY KEY, merchant_ref INTEGER, channel_code INTEGER, amount NUMERIC)":
            [(n, 5000 + n % 300, 1 + n % 6, n) for n in range(1, 900)],
    },
    "a table called like the key whose values are not there": {
        "products(id INTEGER PRIMARY KEY, name TEXT)": [(n, f"p{n}") for n in range(1, 30)],
        "policies(policy_no INTEGER PRIMARY KEY, product_id INTEGER, premium NUMERIC)":
            [(n, 7000 + n % 25, n) for n in range(1, 300)],
    },
}  # fmt: skip


@pytest.mark.parametrize("tables", MISLEADING.values(), ids=MISLEADING.keys())
def test_no_key_is_better_than_a_wrong_one(tables, tmp_path):
    assert links(inferred(write(tmp_path / "bank.sqlite", tables))) == set()


def test_a_sum_is_not_run_through_a_table_that_only_calls_its_key_id(tmp_path):
    file = write(tmp_path / "bank.sqlite", MISLEADING["every id counts from one, and only one table calls its own so"])
    assistant = open_assistant(Settings(database_url=str(file), cache_dir=tmp_path))
    try:
        answer = assistant.ask("Total balance of accounts by notification message")
        assert (answer.status, answer.sql) != ("answered", None)
        assert answer.status != "answered"
    finally:
        assistant.close()


def test_a_name_that_says_the_table_makes_a_link_whatever_else_is_called_id(tmp_path):
    model = inferred(
        write(
            tmp_path / "bank.sqlite",
            {
                NOTIFICATIONS[0]: NOTIFICATIONS[1],
                "customers(id INTEGER PRIMARY KEY, name TEXT)": [(n, f"c{n}") for n in range(1, 100)],
                "accounts(account_no INTEGER PRIMARY KEY, customer_id INTEGER, referring_customer_id INTEGER)":
                    [(n, 1 + n % 99, 1 + n % 50) for n in range(1, 200)],
            },
        )
    )  # fmt: skip
    assert links(model) == {
        ("accounts.customer_id", "customers", "name"),
        ("accounts.referring_customer_id", "customers", "name"),
    }


@pytest.mark.parametrize("number", [lambda n: uuid(1, n), lambda n: f"PTY{n:05}", lambda n: 100_000 + n * 7 + n % 3])
def test_values_that_are_among_one_key_alone_make_a_link_with_the_words_of_its_column(number, tmp_path):
    """Of more rows than are sampled: the values are looked up, not hoped for."""
    kind = "INTEGER" if isinstance(number(1), int) else "TEXT"
    model = inferred(
        write(
            tmp_path / "bank.sqlite",
            {
                NOTIFICATIONS[0]: NOTIFICATIONS[1],
                f"parties(id {kind} PRIMARY KEY, name TEXT)": [(number(n), f"p{n}") for n in range(4000)],
                f"accounts(account_no INTEGER PRIMARY KEY, owner_id {kind}, balance NUMERIC)":
                    [(n, number((n * 37) % 4000), n) for n in range(1, 3000)],
            },
        )
    )  # fmt: skip
    assert links(model) == {("accounts.owner_id", "parties", "values")}
    assert model.relationships[0].synonyms == ("owner",)


def test_values_that_two_keys_have_make_no_link(tmp_path):
    both = [(uuid(1, n), "x") for n in range(100)]
    model = inferred(
        write(
            tmp_path / "bank.sqlite",
            {
                "parties(id TEXT PRIMARY KEY, name TEXT)": both,
                "archive(id TEXT PRIMARY KEY, line TEXT)": both,
                "accounts(account_no INTEGER PRIMARY KEY, owner_id TEXT)": [(n, uuid(1, n % 90)) for n in range(200)],
            },
        )
    )
    assert links(model) == set()


def test_a_table_may_point_at_itself_by_its_values(tmp_path):
    rows = [(uuid(1, n), uuid(1, n // 3), f"u{n}") for n in range(300)]
    file = write(tmp_path / "bank.sqlite", {"units(id TEXT PRIMARY KEY, parent_id TEXT, title TEXT)": rows})
    assert links(inferred(file)) == {("units.parent_id", "units", "values")}


def test_a_table_that_cannot_be_asked_has_no_say(tmp_path):
    file = write(
        tmp_path / "bank.sqlite",
        {
            "parties(id TEXT PRIMARY KEY, name TEXT)": [(uuid(1, n), f"p{n}") for n in range(4000)],
            "accounts(account_no INTEGER PRIMARY KEY, owner_id TEXT)":
                [(n, uuid(1, 3999 - n % 900)) for n in range(1000)],
        },
    )  # fmt: skip
    with open_database(str(file), DatabaseLimits(workers=1, memory_mb=512)) as database:
        deaf = replace(database, runner=DeafTo(database, " IN ("))
        assert collect_samples(deaf).contained == {}
        assert collect_samples(database).contained == {("accounts", "owner_id"): ("parties", "id")}


def test_links_that_were_guessed_are_told_and_those_that_were_declared_are_not(tmp_path):
    file = write(
        tmp_path / "bank.sqlite",
        {
            "parties(id TEXT PRIMARY KEY, name TEXT)": [(uuid(1, n), f"p{n}") for n in range(400)],
            "branches(id INTEGER PRIMARY KEY, name TEXT)": [(n, f"b{n}") for n in range(40)],
            "accounts(account_no INTEGER PRIMARY KEY, owner_id TEXT, branch_id INTEGER)":
                [(n, uuid(1, n % 300), n % 40) for n in range(1000)],
        },
    )  # fmt: skip
    assert inferred_notes(inferred(file)) == (
        "Links that the database does not declare were guessed: accounts.owner_id leads to parties (its values are "
        "there), accounts.branch_id leads to branches (by its name). A vocabulary file confirms or changes them.",
    )
    declared = write(
        tmp_path / "declared.sqlite",
        {
            "branches(id INTEGER PRIMARY KEY, name TEXT)": [(n, f"b{n}") for n in range(40)],
            "accounts(account_no INTEGER PRIMARY KEY, branch_id INTEGER REFERENCES branches)":
                [(n, n % 40) for n in range(1000)],
        },
    )  # fmt: skip
    assert inferred_notes(inferred(declared)) == ()


@pytest.mark.parametrize("column", ["ssn_no", "pan_number", "passport_no", "national_id", "phone_no", "tax_id"])
def test_values_of_a_column_that_is_sensitive_by_its_name_make_no_link_and_open_nothing(column, tmp_path):
    said = []
    for inside in (True, False):
        listed, own = ("X{}7AB", "X{}7AB" if inside else "Y{}7AB")
        file = write(
            tmp_path / f"{inside}.sqlite",
            {
                "watchlist(ref TEXT PRIMARY KEY, opened TEXT)": [(listed.format(n), "x") for n in range(40)],
                f"customers(customer_id INTEGER PRIMARY KEY, town TEXT, {column} TEXT)":
                    [(n, "Goa", own.format(n)) for n in range(30)],
            },
        )  # fmt: skip
        said.append(inferred(file))
    assert said[0] == said[1]
    assert said[0].dataset("customers").field(column).sensitive


def test_a_secret_that_is_a_key_is_asked_for_no_value_of_another_column(tmp_path):
    said = []
    for inside in (True, False):
        file = write(
            tmp_path / f"{inside}.sqlite",
            {
                "holders(ssn TEXT PRIMARY KEY, town TEXT)":
                    [(f"{'X' if inside else 'Y'}{n}7AB", "Goa") for n in range(40)],
                "cards(card_no INTEGER PRIMARY KEY, owner_id TEXT)": [(n, f"X{n}7AB") for n in range(30)],
            },
        )  # fmt: skip
        said.append(inferred(file))
    assert said[0] == said[1]
    assert said[0].dataset("holders").field("ssn").sensitive
