"""Whatever is sensitive is refused, and nothing of its values is read, kept or told, whatever it is called."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from ai_engine.errors import BadVocabulary, SqlRejected
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.semantics.vocabulary_edits import Edit
from backend.catalogue.entries import native_type
from backend.catalogue.profile import profile_table
from backend.dashboards.filter_choices import filter_choices
from backend.mcp.shown import shown_model, shown_tables
from backend.opening import open_assistant
from backend.renewal import renewed
from backend.service import Assistant
from backend.settings import Settings
from tests.backend.databases.servers.small_bank import administer_mariadb, administer_postgres

WORDS = (
    "comment set show call load if begin rename explain execute end lock do declare replace desc use update copy cache "
    "delete merge kill pivot key values mod force ignore map only select from order group user table current_date null"
).split()
UGLY = (
    "loans.2024", "a.b.c", 'say "hi"', "it's", "Branch Name", "STATE", "Größe", "राज्य", "a`b", "x-y", "100%",
    "semi;colon", "--", "/*", "ÉTAT", "1st", "$", "#",
)  # fmt: skip
PERSONAL = ("E-Mail", "email", "Phone No", "MOBILE", "e.mail", "Aadhaar Number", "pan", "PIN", 'the "pin"', "dob")
NAME = f"kept_back_{os.getpid()}"


@pytest.fixture(
    params=[
        "duckdb",
        "sqlite",
        pytest.param("postgres", marks=pytest.mark.server),
        pytest.param("mysql", marks=pytest.mark.server),
    ]
)
def bank(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bank]:
    if request.param in ("duckdb", "sqlite"):
        yield Bank(request.param, str(tmp_path / f"bank.{request.param}"))
    elif request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        administer_postgres(url, f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)", f"CREATE DATABASE {NAME}")
        yield Bank("postgres", f"{url}/{NAME}")
        administer_postgres(url, f"DROP DATABASE {NAME} WITH (FORCE)")
    else:
        url = request.getfixturevalue("mariadb_url")
        administer_mariadb(f"DROP DATABASE IF EXISTS {NAME}", f"CREATE DATABASE {NAME}")
        yield Bank("mysql", f"{url}/{NAME}")
        administer_mariadb(f"DROP DATABASE {NAME}")


class Bank:
    """One database, which is made anew for every schema."""

    def __init__(self, dialect: str, url: str) -> None:
        self.dialect = dialect
        self.url = url

    def quoted(self, name: str) -> str:
        mark = "`" if self.dialect == "mysql" else '"'
        return mark + name.replace(mark, 2 * mark) + mark

    def fill(self, tables: dict[str, dict[str, str]], rows: dict[str, list[tuple[Any, ...]]], *more: str) -> None:
        """Make the tables (column → type), their rows, what `more` statements say, and nothing else."""
        statements = []
        for table, columns in tables.items():
            described = ", ".join(f"{self.quoted(name)} {kind}" for name, kind in columns.items())
            statements.append(f"CREATE TABLE {self.quoted(table)} ({described})")
            values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows[table])
            statements.append(f"INSERT INTO {self.quoted(table)} VALUES {values}")
        statements += more
        if self.dialect == "postgres":
            url, _, name = self.url.rpartition("/")
            administer_postgres(url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public", *statements, database=name)
        elif self.dialect == "mysql":
            name = self.url.rpartition("/")[2]
            anew = (f"DROP DATABASE {name}", f"CREATE DATABASE {name} CHARACTER SET utf8mb4", f"USE {name}")
            administer_mariadb(*anew, *statements)
        else:
            Path(self.url).unlink(missing_ok=True)
            with closing(_connected(self)) as on:
                for statement in statements:
                    on.execute(statement)
                on.commit()

    def opened(self, folder: Path, **more: Any) -> Assistant:
        settings = Settings(
            database_url=self.url, cache_dir=folder / "cache", database_workers=1, editors="edith",
            store_url=f"sqlite:///{folder}/store.sqlite", **more,
        )  # fmt: skip
        return open_assistant(settings)


def _connected(bank: Bank) -> Any:
    return duckdb.connect(bank.url) if bank.dialect == "duckdb" else sqlite3.connect(bank.url)


def _literal(value: object) -> str:
    return str(value) if isinstance(value, int) else f"'{value}'"


def refuses(assistant: Assistant, sql: str) -> bool:
    try:
        assistant.run_statement(sql)
    except SqlRejected:
        return True
    return False


def told(assistant: Assistant) -> dict[str, Any]:
    """All that is kept or told of a bank without a statement of a person's own."""
    vocabulary, policy = assistant.vocabulary, assistant.policy
    model, catalogue = vocabulary.model, vocabulary.catalogue
    return {
        "vocabulary": dump_vocabulary(model),
        "values": [(one.dataset, one.field, one.values, one.complete) for one in vocabulary.values.columns],
        "spans": vocabulary.spans,
        "as of": vocabulary.as_of,
        "notes": assistant.notes,
        "examples": assistant.examples,
        "choices": filter_choices(vocabulary),
        "types": [native_type(item, dataset, assistant) for dataset in model.datasets for item in dataset.fields],
        "profiles": [profile_table(assistant, dataset, threading.Event()) for dataset in model.datasets],
        "shown": dump_vocabulary(shown_model(model, policy, catalogue)),
        "tables": shown_tables(catalogue, policy),
        "asked": [
            (answer.status, answer.summary, answer.assumptions, answer.result.rows if answer.result else None)
            for item in model.datasets
            for answer in [assistant.ask(f"How many {item.label} are there?")]
        ],
    }


def random_bank(chance: random.Random) -> tuple[dict[str, dict[str, str]], dict[str, set[str]]]:
    """Tables (column → type) under ugly names, and the columns of each that are personal by name."""
    pool = [*WORDS, *UGLY]
    tables: dict[str, dict[str, str]] = {}
    personal: dict[str, set[str]] = {}
    for table in _apart(chance, [*pool, "customers.csv", "Customers"], 3):
        own = _apart(chance, PERSONAL, 3)
        others = [name for name in _apart(chance, pool, 4) if name.lower() not in {one.lower() for one in own}]
        columns = {"row_id": "INTEGER PRIMARY KEY"}
        for name in chance.sample([*own, *others], len(own) + len(others)):
            columns[name] = chance.choice(["VARCHAR(40)", "INTEGER", "DATE"]) if name not in own else "VARCHAR(40)"
        tables[table], personal[table] = columns, set(own)
    return tables, personal


def _apart(chance: random.Random, names: Sequence[str], most: int) -> list[str]:
    """Names that differ whatever a database takes for the same letter."""
    found: dict[str, str] = {}
    for name in chance.sample(list(names), len(names)):
        found.setdefault(name.lower(), name)
    return list(found.values())[:most]


def rows_of(columns: dict[str, str], hidden: set[str], twin: int) -> list[tuple[Any, ...]]:
    def cell(name: str, kind: str, at: int) -> object:
        changed = at * 7 + 900 * twin if name in hidden else at
        if kind.startswith("INTEGER"):
            return changed if name != "row_id" else at
        if kind == "DATE":
            return date(2024, 1, 1) + timedelta(days=changed)
        shapes = (f"value {changed % 4}", f"u{changed}@bank{twin}.in" if twin else str(changed))
        return shapes[1] if name in hidden else shapes[0]

    return [tuple(cell(name, kind, at) for name, kind in columns.items()) for at in range(24)]


@pytest.mark.parametrize("seed", range(2))
def test_nothing_of_what_is_sensitive_is_read_kept_or_told_whatever_it_is_called(bank: Bank, tmp_path: Path, seed: int):
    chance = random.Random(f"{bank.dialect} {seed}")
    tables, personal = random_bank(chance)
    said: list[dict[str, Any]] = []
    for twin in range(2):
        bank.fill(tables, {name: rows_of(columns, personal[name], twin) for name, columns in tables.items()})
        with closing(bank.opened(tmp_path / f"inferred_{twin}")) as assistant:
            assert_closed(bank, assistant, personal)
            said.append(told(assistant))
            text = dump_vocabulary(assistant.vocabulary.model)
    assert said[0] == said[1]
    file = yaml.safe_load(text)
    held: dict[str, set[str]] = {name: set() for name in tables}
    for dataset in file["semantic_model"][0]["datasets"]:
        held[dataset["name"]] = close(dataset, chance.sample(sorted(set(tables[dataset["name"]]) - {"row_id"}), 3))
    (tmp_path / "said.yaml").write_text(yaml.safe_dump(file, sort_keys=False), encoding="utf-8")
    said = []
    for twin in range(2):
        bank.fill(tables, {name: rows_of(columns, held[name], twin) for name, columns in tables.items()})
        with closing(bank.opened(tmp_path / f"file_{twin}", vocabulary_file=tmp_path / "said.yaml")) as assistant:
            assert_closed(bank, assistant, held)
            said.append(told(assistant))
    assert said[0] == said[1]


def close(dataset: dict[str, Any], columns: Sequence[str]) -> set[str]:
    """Mark columns of a file's dataset sensitive, and what is not marked as permitted."""
    for field in dataset["fields"]:
        for extension in field.get("custom_extensions", ()):
            said = json.loads(extension["data"]) | {"sensitive": field["name"] in columns}
            extension["data"] = json.dumps(said)
    return set(columns)


def assert_closed(bank: Bank, assistant: Assistant, held: dict[str, set[str]]) -> None:
    for table, columns in held.items():
        for column in columns:
            assert refuses(assistant, f"SELECT {bank.quoted(column)} FROM {bank.quoted(table)}"), (table, column)
        star = f"SELECT * FROM {bank.quoted(table)}"
        if not refuses(assistant, star):
            assert columns.isdisjoint(assistant.run_statement(star)[1].columns)


PEOPLE = {
    "people": {"person_id": "INTEGER PRIMARY KEY", "state": "VARCHAR(9)", "illness": "VARCHAR(9)", "born": "DATE"}
}
ROWS = {"people": [(n, ("Goa", "Assam")[n % 2], f"ill {n % 3}", date(1980, 1, 1 + n)) for n in range(24)]}
MARKED = ("illness", "born")


def marked(folder: Path, bank: Bank, change: Any) -> Path:
    """Write the inferred vocabulary of people, of whom illness and birth are sensitive, changed by `change`."""
    with closing(bank.opened(folder)) as assistant:
        file = yaml.safe_load(dump_vocabulary(assistant.vocabulary.model))
    said = file["semantic_model"][0]
    close(said["datasets"][0], MARKED)
    change(said)
    path = folder / "people.yaml"
    path.write_text(yaml.safe_dump(file, sort_keys=False), encoding="utf-8")
    return path


def computed(name: str, expression: str, role: str) -> dict[str, Any]:
    extension = {"vendor_name": "", "data": json.dumps({"role": role, "sensitive": False})}
    return {
        "name": name,
        "expression": {"dialects": [{"dialect": "ANSI_SQL", "expression": expression}]},
        "custom_extensions": [extension],
    }


def test_a_column_with_any_name_is_closed_from_the_page_and_stays_so_after_a_restart(bank: Bank, tmp_path: Path):
    names = ("comment", "show", "desc", "update", "key", "my.col", 'a"b')
    columns = {"row_id": "INTEGER PRIMARY KEY", **dict.fromkeys(names, "VARCHAR(20)")}
    bank.fill({"notes.csv": columns}, {"notes.csv": [(n, *(f"said {n}" for _ in names)) for n in range(20)]})
    with closing(bank.opened(tmp_path)) as assistant:
        edits = [Edit("column", f"notes.csv.{name}", "sensitive", False, True) for name in names]
        assistant.changes.publish(assistant.changes.propose(edits, "", "edith").id, "edith")
        assert_closed(bank, renewed(assistant), {"notes.csv": set(names)})
    with closing(bank.opened(tmp_path)) as assistant:
        assert_closed(bank, assistant, {"notes.csv": set(names)})


def test_what_is_made_of_a_sensitive_column_is_as_sensitive_in_every_dataset_of_its_table(bank: Bank, tmp_path: Path):
    bank.fill(PEOPLE, ROWS)

    def change(said: dict[str, Any]) -> None:
        own = [computed("ailment", "LOWER(illness)", "category"), computed("cohort", "CAST(born AS DATE)", "time")]
        said["datasets"][0]["fields"] += own
        twin = json.loads(json.dumps(said["datasets"][0])) | {"name": "patients"}
        twin["fields"] = [computed("sickness", "illness", "category"), computed("place", "state", "category")]
        said["datasets"].append({key: twin[key] for key in ("name", "source", "fields")})

    with closing(bank.opened(tmp_path, vocabulary_file=marked(tmp_path, bank, change))) as assistant:
        fields = {item.name: item for one in assistant.vocabulary.model.datasets for item in one.fields}
        assert {name for name, item in fields.items() if item.sensitive} == {*MARKED, "ailment", "cohort", "sickness"}
        told_now = told(assistant)
    assert "ill 1" not in str(told_now)
    assert "1980" not in str(told_now)
    assert "Assam" in str(told_now["values"])


def test_a_file_that_leaves_out_a_personal_column_or_its_table_keeps_it_back(bank: Bank, tmp_path: Path):
    people = {"people": {"person_id": "INTEGER PRIMARY KEY", "email": "VARCHAR(20)", "state": "VARCHAR(9)"}}
    bank.fill(people | {"leads": people["people"]}, {name: [(n, f"u{n}@b.in", "Goa") for n in range(9)]
                                                    for name in ("people", "leads")})  # fmt: skip

    def change(said: dict[str, Any]) -> None:
        said["datasets"] = [one for one in said["datasets"] if one["name"] == "people"]
        said["datasets"][0]["fields"] = [one for one in said["datasets"][0]["fields"] if one["name"] != "email"]
        said["datasets"][0]["custom_extensions"] = []
        said["relationships"] = []

    with closing(bank.opened(tmp_path, vocabulary_file=marked(tmp_path, bank, change))) as assistant:
        assert_closed(bank, assistant, {"people": {"email"}, "leads": {"email"}})


def test_neither_the_day_of_the_data_nor_a_type_tells_of_a_sensitive_column(bank: Bank, tmp_path: Path):
    bank.fill(PEOPLE, ROWS)

    def change(said: dict[str, Any]) -> None:
        extension = {"vendor_name": "", "data": json.dumps({"as_of": "people.born"})}
        said["custom_extensions"] = [extension]

    with closing(bank.opened(tmp_path, vocabulary_file=marked(tmp_path, bank, change))) as assistant:
        people = assistant.vocabulary.model.dataset("people")
        assert assistant.vocabulary.as_of.year > 2000
        assert native_type(people.field("illness"), people, assistant) == "text"


def test_a_field_of_another_table_or_of_a_part_of_a_column_is_refused_with_what_to_write(tmp_path: Path):
    bank = Bank("duckdb", str(tmp_path / "bank.duckdb"))
    bank.fill(PEOPLE, ROWS)
    file = marked(
        tmp_path, bank, lambda said: said["datasets"][0]["fields"].append(computed("x", "born.state", "text"))
    )
    with pytest.raises(BadVocabulary, match="write 'state' alone"):
        bank.opened(tmp_path, vocabulary_file=file)


def test_where_neither_the_store_nor_its_copy_tells_what_was_closed_names_of_people_are_kept_back(tmp_path: Path):
    bank = Bank("sqlite", str(tmp_path / "bank.sqlite"))
    columns = {"customer_id": "INTEGER PRIMARY KEY", "full_name": "TEXT", "state": "TEXT"}
    bank.fill({"customers": columns}, {"customers": [(n, f"Asha {n}", "Goa") for n in range(20)]})
    with closing(bank.opened(tmp_path)) as assistant:
        assert not refuses(assistant, "SELECT full_name FROM customers")
        said = dump_vocabulary(assistant.vocabulary.model)
    file = tmp_path / "customers.yaml"
    file.write_text(said, encoding="utf-8")
    away = Settings(
        database_url=bank.url, cache_dir=tmp_path / "other", database_workers=1, vocabulary_file=file,
        store_url="postgresql://nobody@127.0.0.1:9/store",
    )  # fmt: skip
    with closing(open_assistant(away)) as assistant:
        assert refuses(assistant, "SELECT full_name FROM customers")


@pytest.mark.parametrize("column", ["city", "branch_name"])
def test_which_spelling_of_a_value_is_learnt_tells_nothing_of_a_column_in_an_index(bank: Bank, tmp_path: Path, column):
    alike = {"sqlite": " COLLATE NOCASE", "duckdb": " COLLATE NOCASE"}.get(bank.dialect, "")
    people = {"customers": {"customer_id": "INTEGER PRIMARY KEY", column: f"VARCHAR(9){alike}", "email": "VARCHAR(9)"}}
    spelled = ("Pune", "PUNE", "pune", "Delhi", "DELHI", "Agra")
    said = []
    for twin in range(2):
        rows = [(n, spelled[n % 6], f"{17 - n if twin else n:02}@b.in") for n in range(18)]
        bank.fill(people, {"customers": rows}, f"CREATE INDEX telling ON customers ({column}, email)")
        with closing(bank.opened(tmp_path / str(twin))) as assistant:
            assert "email" in assistant.vocabulary.kept_back["customers"]
            said.append(told(assistant))
    assert said[0] == said[1]


def test_which_rows_a_vocabulary_is_inferred_from_tells_nothing_of_a_column_that_only_its_values_close(
    bank: Bank, tmp_path: Path
):
    leads = {"leads": {"lead_id": "INTEGER PRIMARY KEY", "contact": "VARCHAR(40)", "sex": "VARCHAR(10)"}}
    said = []
    for twin in range(2):
        rows = [
            (n, f"u{(2_000 - n if twin else n):05}@b.in", "MF"[n % 2] if n < 1_000 else f"note{n}")
            for n in range(2_000)
        ]
        bank.fill(leads, {"leads": rows}, "CREATE INDEX telling ON leads (contact, sex)")
        with closing(bank.opened(tmp_path / str(twin))) as assistant:
            assert "contact" in assistant.vocabulary.kept_back["leads"]
            said.append(dump_vocabulary(assistant.vocabulary.model))
    assert said[0] == said[1]


@pytest.mark.parametrize("bank", [pytest.param("postgres", marks=pytest.mark.server)], indirect=True)
@pytest.mark.parametrize("seen", ["leads", "a_view"])
def test_nor_does_an_index_that_has_all_columns_which_are_read(bank: Bank, tmp_path: Path, seen: str):
    leads = {"leads": {"lead_id": "INTEGER", "contact": "VARCHAR(40)", "sex": "VARCHAR(10)", "password": "TEXT"}}
    more = (
        "CREATE INDEX telling ON leads (contact, sex, lead_id)",
        "CREATE VIEW a_view AS SELECT lead_id, contact, sex FROM leads",
        "VACUUM ANALYZE leads",
    )
    said = []
    for twin in range(2):
        rows = [
            (n, f"u{(2_000 - n if twin else n):05}@b.in", "MF"[n % 2] if n < 1_000 else f"note{n}", "x" * 1_500)
            for n in range(2_000)
        ]
        bank.fill(leads, {"leads": rows}, *more)
        with closing(bank.opened(tmp_path / str(twin))) as assistant:
            assert "contact" in assistant.vocabulary.kept_back[seen]
            said.append(dump_vocabulary(assistant.vocabulary.model))
    assert said[0] == said[1]


@pytest.mark.parametrize("bank", [pytest.param("postgres", marks=pytest.mark.server)], indirect=True)
@pytest.mark.parametrize(
    ("closed", "parted_by"), [("email", "(lower(email))"), ("contact", "contact")], ids=["computed", "by its values"]
)
def test_nor_does_the_part_of_a_table_in_which_a_row_is_kept(bank: Bank, tmp_path: Path, closed: str, parted_by: str):
    parts = (
        f"CREATE TABLE leads (lead_id INTEGER, sex VARCHAR(12), {closed} TEXT) PARTITION BY RANGE ({parted_by})",
        "CREATE TABLE first_part PARTITION OF leads FOR VALUES FROM (MINVALUE) TO ('m')",
        "CREATE TABLE second_part PARTITION OF leads FOR VALUES FROM ('m') TO (MAXVALUE)",
    )
    said = []
    for twin in range(2):
        rows = [
            (n, "MF"[n % 2] if n < 1_200 else f"note {n}", f"{'az'[(n < 1_200) == twin]}{n}@b.in") for n in range(2_400)
        ]
        values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
        bank.fill({}, {}, *parts, f"INSERT INTO leads VALUES {values}")
        with closing(bank.opened(tmp_path / str(twin))) as assistant:
            assert closed in assistant.vocabulary.kept_back["leads"]
            said.append(dump_vocabulary(assistant.vocabulary.model))
    assert said[0] == said[1]
