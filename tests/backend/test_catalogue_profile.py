"""The figures of the catalogue, read from a real file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date

import duckdb
import pytest

from backend.catalogue.profile import profile_table, profiling
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings

SECRET = "9999111122223333"


@pytest.fixture(scope="module")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder = tmp_path_factory.mktemp("profile")
    with duckdb.connect(folder / "bank.duckdb") as bank:
        bank.execute(
            "CREATE TABLE accounts (id INTEGER PRIMARY KEY, holder VARCHAR, card_number VARCHAR, kind VARCHAR, "
            "balance DECIMAL(12, 2), opened DATE, closed DATE)"
        )
        bank.execute(
            f"INSERT INTO accounts SELECT i, 'Holder ' || i, '{SECRET}', "
            "CASE WHEN i % 4 = 0 THEN 'loan' ELSE 'saving' END, i * 10, DATE '2024-01-01' + (i::INTEGER), "
            "CASE WHEN i > 90 THEN DATE '2025-01-01' END FROM range(100) AS t(i)"
        )
        bank.execute("CREATE TABLE parts (id INTEGER, price DOUBLE)")
        bank.execute("INSERT INTO parts SELECT i, i FROM range(50) AS t(i)")
    settings = Settings(
        database_url=str(folder / "bank.duckdb"), cache_dir=folder / "cache", database_workers=1,
        store_url=f"sqlite:///{folder}/store.sqlite",
    )  # fmt: skip
    with closing(open_assistant(settings)) as opened:
        yield opened


def test_a_table_is_told_in_figures(assistant):
    found = profile_table(assistant, assistant.vocabulary.model.dataset("accounts"), threading.Event())
    assert (found.rows, found.whole, found.fault) == (100, True, "")
    assert (found.columns["kind"].values, found.columns["kind"].bars) == (("saving", "loan"), (75, 25))
    assert found.columns["balance"].distinct == 100
    assert sum(found.columns["balance"].bars) == 100
    assert found.columns["opened"].lowest == date(2024, 1, 1)
    assert sum(found.columns["opened"].bars) == 100
    assert found.columns["closed"].nulls == pytest.approx(0.91)


def test_nothing_of_a_sensitive_column_is_read_or_kept(assistant):
    dataset = assistant.vocabulary.model.dataset("accounts")
    assert dataset.field("card_number").sensitive
    found = profile_table(assistant, dataset, threading.Event())
    assert "card_number" not in found.columns
    kept = "".join(file.read_text() for file in assistant.settings.cache_dir.iterdir())
    assert "profile" in " ".join(file.name for file in assistant.settings.cache_dir.iterdir())
    assert SECRET not in kept and "card_number" not in kept


def test_names_of_rows_are_counted_and_never_shown(assistant):
    found = profile_table(assistant, assistant.vocabulary.model.dataset("accounts"), threading.Event())
    holder = found.columns["holder"]
    assert (holder.distinct, holder.lowest, holder.highest, holder.values) == (100, None, None, ())


def test_figures_are_found_again_and_are_the_same(assistant):
    dataset = assistant.vocabulary.model.dataset("accounts")
    first = profile_table(assistant, dataset, threading.Event())
    stopped = threading.Event()
    stopped.set()  # nothing can be read any more, so what comes is what was kept
    assert profile_table(assistant, dataset, stopped) == first


def test_a_large_table_is_looked_at_in_part_and_says_so(assistant):
    few = replace(assistant, settings=assistant.settings.model_copy(update={"profile_max_rows": 30}))
    found = profile_table(few, assistant.vocabulary.model.dataset("accounts"), threading.Event())
    assert (found.rows, found.whole) == (30, False)


def test_a_stopped_reading_says_so_and_is_not_kept(assistant):
    dataset = assistant.vocabulary.model.dataset("parts")
    stop = threading.Event()
    stop.set()
    assert profile_table(assistant, dataset, stop).fault == "Stopped."
    heard = list(profiling(assistant, dataset))
    assert set(heard[:-1]) <= {None}
    assert heard[-1] is not None and (heard[-1].rows, heard[-1].fault) == (50, "")
