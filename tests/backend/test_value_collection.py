from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from ai_engine.errors import QueryFailed
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import ColumnValues
from backend.databases import DatabaseLimits, open_database
from backend.values.collection import collect_values, read_scalar


def field(name, role, type_="text", *, expression=None, sensitive=False):
    return Field(name, expression or name, type_, role, name, sensitive=sensitive)


MODEL = SemanticModel(
    "bank",
    (
        Dataset(
            "customers",
            "Order",
            (
                field("id", "identifier", "integer"),
                field("number", "identifier"),
                field("city", "category", expression="City"),
                field("initial", "category", expression="UPPER(SUBSTR(city, 1, 1))"),
                field("vip", "flag", "boolean"),
                field("name", "name"),
                field("phone", "name", sensitive=True),
                field("income", "measure", "decimal"),
                field("note", "text"),
                field("lost", "category"),
            ),
            "customer",
            primary_key=("id",),
            unique_keys=(("number",),),
        ),
    ),
)


@pytest.fixture
def bank_file(tmp_path) -> Path:
    path = tmp_path / "bank.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            """CREATE TABLE "Order" (id INTEGER PRIMARY KEY, number VARCHAR UNIQUE, city VARCHAR, vip BOOLEAN,
                   name VARCHAR, phone VARCHAR, income DECIMAL(12,2), note VARCHAR);
               INSERT INTO "Order" VALUES (1, 'C1', 'pune', true, 'Asha D''Souza', '1', 1, 'a'),
                   (2, 'C2', 'pune', false, 'Ravi', '2', 2, 'b'), (3, 'C3', 'delhi', NULL, '50% Ltd', '3', 3, 'c'),
                   (4, 'C4', NULL, false, 'Ravi', '4', 4, 'd')"""
        )
    return path


@pytest.fixture
def bank(bank_file):
    with open_database(str(bank_file)) as database:
        yield database


def by_field(found):
    return {column.field: (column.values, column.complete) for column in found}


def test_naming_fields_are_collected_most_frequent_first(bank):
    found = by_field(collect_values(bank, MODEL, cache_dir=None))
    assert found["city"] == (("pune", "delhi"), True)
    assert found["initial"] == (("P", "D"), True)
    assert found["vip"] == ((False, True), True)
    assert found["name"] == (("Ravi", "50% Ltd", "Asha D'Souza"), True)
    assert set(found["number"][0]) == {"C1", "C2", "C3", "C4"}


def test_sensitive_fields_measures_free_text_and_numeric_keys_are_not(bank):
    found = by_field(collect_values(bank, MODEL, cache_dir=None))
    assert not {"phone", "income", "note", "id"} & set(found)


def test_a_field_that_cannot_be_read_is_empty_and_not_complete(bank):
    assert by_field(collect_values(bank, MODEL, cache_dir=None))["lost"] == ((), False)


def test_a_field_with_more_values_than_kept_is_not_complete(bank):
    found = by_field(collect_values(bank, MODEL, max_distinct=2, cache_dir=None))
    assert found["city"] == (("pune", "delhi"), True)
    assert found["name"] == (("Ravi", "50% Ltd"), False)
    assert len(found["number"][0]) == 2
    assert not found["number"][1]


class CountingRunner:
    """Passes statements on and counts them."""

    def __init__(self, runner):
        self._runner = runner
        self.count = 0

    def run(self, sql, **bounds):
        self.count += 1
        return self._runner.run(sql, **bounds)


def counted(database):
    runner = CountingRunner(database.runner)
    object.__setattr__(database, "runner", runner)
    return runner


def test_a_second_collection_asks_the_database_nothing(bank, tmp_path):
    first = collect_values(bank, MODEL, cache_dir=tmp_path / "cache")
    runner = counted(bank)
    assert collect_values(bank, MODEL, cache_dir=tmp_path / "cache") == first
    assert runner.count == 0
    (kept,) = (tmp_path / "cache").iterdir()
    assert kept.stat().st_mode & 0o077 == 0


def test_changed_content_is_collected_again_and_replaces_the_old(bank_file, tmp_path):
    with open_database(str(bank_file)) as database:
        collect_values(database, MODEL, cache_dir=tmp_path / "cache")
    with duckdb.connect(bank_file) as connection:
        connection.execute("""UPDATE "Order" SET city = 'agra' WHERE id = 3""")
    with open_database(str(bank_file)) as database:
        assert by_field(collect_values(database, MODEL, cache_dir=tmp_path / "cache"))["city"][0] == ("pune", "agra")
    assert len(list((tmp_path / "cache").iterdir())) == 1


SMALL = SemanticModel("bank", (Dataset("customers", "customers", (field("city", "category"),), "customer"),))


@pytest.fixture
def sqlite_file(tmp_path) -> Path:
    path = tmp_path / "bank.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, city TEXT)")
        connection.execute("INSERT INTO customers (city) VALUES ('pune')")
    return path


def cities_of(file, cache_dir, **limits):
    """What is collected, and how many statements that took."""
    with open_database(str(file), DatabaseLimits(**limits)) as database:
        runner = counted(database)
        (column,) = collect_values(database, SMALL, cache_dir=cache_dir)
        return column.values, runner.count


def move_to(city, file):
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE customers SET city = ?", (city,))


def test_a_copied_a_renamed_and_a_touched_file_are_known_by_their_content(sqlite_file, tmp_path):
    assert cities_of(sqlite_file, tmp_path / "cache") == (("pune",), 1)
    os.utime(sqlite_file, (1, 1))
    assert cities_of(sqlite_file, tmp_path / "cache") == (("pune",), 0)
    copied = shutil.copyfile(sqlite_file, tmp_path / "copy.sqlite")
    assert cities_of(copied, tmp_path / "cache") == (("pune",), 0)
    assert cities_of(sqlite_file.rename(tmp_path / "renamed.sqlite"), tmp_path / "cache") == (("pune",), 0)


def test_a_copy_that_was_changed_is_collected_apart_from_its_original(sqlite_file, tmp_path):
    copied = shutil.copyfile(sqlite_file, tmp_path / "copy.sqlite")
    move_to("agra", copied)
    for _ in range(2):
        assert cities_of(sqlite_file, tmp_path / "cache")[0] == ("pune",)
        assert cities_of(copied, tmp_path / "cache")[0] == ("agra",)
    assert (cities_of(sqlite_file, tmp_path / "cache")[1], cities_of(copied, tmp_path / "cache")[1]) == (0, 0)


@pytest.mark.parametrize("max_hashed_mb", [1, 0])
def test_a_change_that_leaves_size_and_time_as_they_were_is_seen(sqlite_file, tmp_path, max_hashed_mb):
    before = sqlite_file.stat()
    assert cities_of(sqlite_file, tmp_path / "cache", max_hashed_mb=max_hashed_mb) == (("pune",), 1)
    move_to("agra", sqlite_file)
    os.utime(sqlite_file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert sqlite_file.stat().st_size == before.st_size
    assert cities_of(sqlite_file, tmp_path / "cache", max_hashed_mb=max_hashed_mb) == (("agra",), 1)


def test_a_file_too_large_to_be_hashed_is_known_where_it_lies(sqlite_file, tmp_path):
    assert cities_of(sqlite_file, tmp_path / "cache", max_hashed_mb=0) == (("pune",), 1)
    assert cities_of(sqlite_file, tmp_path / "cache", max_hashed_mb=0) == (("pune",), 0)
    copied = shutil.copyfile(sqlite_file, tmp_path / "copy.sqlite")
    assert cities_of(copied, tmp_path / "cache", max_hashed_mb=0) == (("pune",), 1)


class MovingRunner(CountingRunner):
    """Has a writer change the file before every statement."""

    def __init__(self, runner, file):
        super().__init__(runner)
        self._file = file

    def run(self, sql, **bounds):
        move_to("agra", self._file)
        return super().run(sql, **bounds)


def test_values_read_while_the_file_changed_are_not_kept_for_what_it_held_before(sqlite_file, tmp_path):
    original = shutil.copyfile(sqlite_file, tmp_path / "original.sqlite")
    with open_database(str(sqlite_file)) as database:
        object.__setattr__(database, "runner", MovingRunner(database.runner, sqlite_file))
        (column,) = collect_values(database, SMALL, cache_dir=tmp_path / "cache")
        assert column.values == ("agra",)
    assert cities_of(original, tmp_path / "cache") == (("pune",), 1)


def test_a_collection_older_than_its_age_allows_is_read_anew(bank, tmp_path):
    first = collect_values(bank, MODEL, cache_dir=tmp_path / "cache")
    (kept,) = (tmp_path / "cache").iterdir()
    two_hours_ago = time.time() - 7_200
    os.utime(kept, (two_hours_ago, two_hours_ago))
    runner = counted(bank)
    assert collect_values(bank, MODEL, cache_dir=tmp_path / "cache", cache_max_age_h=3) == first
    assert runner.count == 0
    assert collect_values(bank, MODEL, cache_dir=tmp_path / "cache", cache_max_age_h=1) == first
    assert runner.count > 0


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1, 2]", b'[["a", "b", [{"evil": "x"}], true]]', pytest.param(os.urandom(50), id="random bytes")],
)
def test_a_damaged_cache_is_rebuilt_silently(bank, tmp_path, content):
    first = collect_values(bank, MODEL, cache_dir=tmp_path / "cache")
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_bytes(content)
    assert collect_values(bank, MODEL, cache_dir=tmp_path / "cache") == first
    assert kept.read_bytes() != content


def test_a_cache_that_cannot_be_written_does_not_stop_the_collection(bank, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    assert collect_values(bank, MODEL, cache_dir=tmp_path / "file" / "cache")


def test_a_full_disk_under_the_cache_does_not_stop_the_collection(bank, tmp_path):
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, usual[1]))  # no file grows beyond ten bytes
    try:
        values = collect_values(bank, MODEL, cache_dir=tmp_path / "cache")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert values == collect_values(bank, MODEL, cache_dir=None)
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_small_bank_is_collected(small_bank):
    model = SemanticModel("bank", (Dataset("branches", "branches", (field("city", "category"),), "branch"),))
    with open_database(str(small_bank)) as database:
        (column,) = collect_values(database, model, cache_dir=None)
    assert isinstance(column, ColumnValues)
    assert "Mumbai" in column.values
    assert column.complete


def test_a_scalar_is_the_first_cell_or_nothing(bank):
    assert read_scalar(bank, 'SELECT max(id) FROM "Order"') == 4
    assert read_scalar(bank, 'SELECT id FROM "Order" WHERE id = 9') is None
    with pytest.raises(QueryFailed):
        read_scalar(bank, "SELECT nothing")


def test_which_of_many_values_are_learnt_tells_nothing_of_a_column_in_an_index(tmp_path):
    found = []
    for bank in range(2):
        path = tmp_path / f"bank{bank}.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute('CREATE TABLE "Order" (number TEXT, phone TEXT, note TEXT)')
            rows = [(f"C{place}", f"{(99 - place) if bank else place:02}", "n" * 500) for place in range(60)]
            connection.executemany('INSERT INTO "Order" VALUES (?, ?, ?)', rows)
            connection.execute('CREATE INDEX telling ON "Order" (phone, number)')
            connection.commit()
        with open_database(str(path)) as database:
            found.append(by_field(collect_values(database, MODEL, cache_dir=None, max_distinct=5))["number"])
    assert found[0] == found[1] == (("C0", "C1", "C10", "C11", "C12"), False)


@pytest.mark.parametrize("key", ["PRIMARY KEY (code COLLATE BINARY)", "UNIQUE (code COLLATE BINARY)"])
def test_values_that_a_collation_takes_for_one_but_a_key_does_not_are_learnt_in_the_order_of_their_bytes(key, tmp_path):
    spelled = ["Pune", "PUNE", "pune", "Delhi", "DELHI", "Agra", "agra", "AGRA"]
    found = []
    for twin in range(2):
        path = tmp_path / f"{twin}.sqlite"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"CREATE TABLE items (code TEXT COLLATE NOCASE, email TEXT, {key})")
            connection.execute("CREATE INDEX telling ON items (code, email)")
            rows = ((code, f"{20 - at if twin else at:02}@b.in") for at, code in enumerate(spelled))
            connection.executemany("INSERT INTO items VALUES (?, ?)", rows)
        model = SemanticModel("m", (Dataset("items", "items", (field("code", "category"),), "item"),))
        with open_database(str(path), DatabaseLimits(workers=1)) as database:
            for most in (50, 5):
                found.append(collect_values(database, model, max_distinct=most, cache_dir=None)[0].values)
    assert found[:2] == found[2:]


def test_a_value_of_sqlite_is_learnt_as_the_type_of_its_column_and_spelled_as_its_first_by_bytes(tmp_path):
    path = tmp_path / "bank.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE rates (is_active BOOLEAN, rate DECIMAL(5,2), closed BOOLEAN COLLATE NOCASE, day DATE, n INT)"
        )
        rows = [(1, 2.5, "y", "2025-01-02", 3), (0, 7, "Y", "2025-01-02", 3), (0, 7, "y", "2025-01-02", 3)]
        connection.executemany("INSERT INTO rates VALUES (?, ?, ?, ?, ?)", rows)
        connection.commit()
    fields = (
        field("is_active", "flag", "boolean"),
        field("rate", "category", "decimal"),
        field("closed", "flag", "boolean"),
        field("day", "category", "date"),
        field("n", "category", "integer"),
    )
    model = SemanticModel("bank", (Dataset("rates", "rates", fields, "rate"),))
    with open_database(str(path)) as database:
        found = by_field(collect_values(database, model, cache_dir=None))
    assert {name: list(map(repr, values)) for name, (values, _) in found.items()} == {
        "is_active": ["False", "True"],
        "rate": ["Decimal('7.0')", "Decimal('2.5')"],
        "closed": ["'Y'"],
        "day": ["datetime.date(2025, 1, 2)"],
        "n": ["3"],
    }
