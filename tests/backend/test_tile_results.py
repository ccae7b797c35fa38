from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure, Period
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.semantics.vocabulary_edits import Edit
from backend.answers.withheld import ITS_QUESTION
from backend.dashboards.book import DashboardBook, scope_words, tile_of
from backend.dashboards.files import dashboard_csvs, dashboard_html
from backend.dashboards.tile_results import TileResults
from backend.opening import open_assistant
from backend.renewal import in_force
from backend.settings import Settings
from backend.sources.sources import Sources
from backend.store import SharedStore, open_store
from backend.store.audit_trail import Wanted
from backend.store.dashboards import Dashboard, Tile
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank

WEST = Condition(field=FieldRef(dataset="branches", field="region"), operator="in", values=("West",))
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"


class Bank:
    """A bank in a file, a store, and one dashboard in it."""

    def __init__(self, folder: Path, store_url: str) -> None:
        self.file = write_bank(folder / "bank.sqlite")
        self.file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
        self.settings = Settings(
            database_url=str(self.file), cache_dir=folder / "cache", database_workers=1, database_memory_mb=512,
            database_lock_wait_s=0.2, editors="edith", vocabulary_check_s=0,
            store_url=store_url,
        )  # fmt: skip
        self.store = SharedStore(lambda: open_store(self.settings))
        self.sources = Sources(lambda: self.settings, open_assistant, in_force)
        self.assistant = self.sources.assistant()
        self.book = DashboardBook(self.store.get, 5, 20)
        self.board: Dashboard = self.book.create("Monday", "asha")
        self.results = self.new_results()

    def new_results(self) -> TileResults:
        return TileResults(self.sources, self.store.get, parallel=2, shared_s=60, result_kb=64)

    def pin(self, reading: Intent | str, title: str) -> Tile:
        answer = self.assistant.run_again(reading, question=title)
        assert answer.status == "answered", answer.error
        tile = tile_of(answer, self.assistant.vocabulary, self.sources.named(None, "asha").name, answer.chart, title)
        self.book.pin(self.board.id, tile, "asha")
        return tile

    def ask(self, tile: Tile, scope: Intent | None = None, **more: object):
        return self.results.start(tile, scope or Intent(), "asha", keep=scope is None, **more).result(60)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory, kept_at: str) -> Iterator[Bank]:
    opened = Bank(tmp_path_factory.mktemp("tiles"), kept_at)
    yield opened
    opened.sources.close()
    opened.store.close()


@pytest.fixture(scope="module")
def counted(bank: Bank) -> Tile:
    return bank.pin(Intent(measures=(Measure(aggregate="count", dataset="customers"),)), "Customers")


def test_a_tile_is_asked_again_and_shared_for_a_while(bank: Bank, counted: Tile):
    first = bank.results.start(counted, Intent(), "asha")
    assert bank.results.start(counted, Intent(), "vikram") is first
    shown = first.result(60)
    assert shown.problem == ""
    assert shown.answer is not None
    assert shown.answer.model == "built-in"
    assert bank.results.start(counted, Intent(), "vikram", anew=True) is not first


def test_what_does_not_fit_a_tile_is_said_and_the_rest_is_applied(bank: Bank, counted: Tile):
    august = Period(start=date(2026, 8, 1), end=date(2026, 9, 1), label="August 2026")
    shown = bank.ask(counted, Intent(period=august, filters=(WEST,)))
    assert shown.left_out == ("The period does not fit: these figures are as of now.",)
    assert shown.answer is not None
    assert "West" in shown.answer.restatement
    stated = bank.pin("SELECT COUNT(*) AS n FROM customers", "By hand")
    assert "statement of its own" in bank.ask(stated, Intent(filters=(WEST,))).left_out[0]


def test_a_tile_keeps_nothing_that_is_said_anew_as_a_filter_may_decide_it(small_bank: Path, tmp_path: Path):
    settings = Settings(database_url=str(small_bank), cache_dir=tmp_path)
    with closing(open_assistant(settings)) as assistant:
        answer = assistant.run_again(Intent(measures=(Measure(aggregate="count", dataset="accounts"),)), question="n")
        tile = tile_of(answer, assistant.vocabulary, "", answer.chart, "Accounts")
    assert answer.assumptions == ("Accounts of every status count: Active, Closed, Dormant.",)
    assert tile.assumptions == ()


def test_a_tile_that_fails_shows_its_last_good_result_and_hides_no_other(bank: Bank, counted: Tile):
    good, bank.results = bank.ask(counted), bank.new_results()
    elsewhere = bank.results.start(replace(counted, id="new", source="elsewhere"), Intent(), "asha")
    with closing(sqlite3.connect(bank.file)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        failed = bank.ask(counted)
    assert failed.problem
    assert failed.answer is not None
    assert good.answer is not None
    assert failed.answer.result == good.answer.result
    assert failed.made_at == good.made_at
    assert elsewhere.result(60).problem != failed.problem
    assert bank.ask(counted, anew=True).problem == ""


def test_a_kept_result_of_another_scope_is_not_shown(bank: Bank, counted: Tile):
    bank.ask(counted, anew=True)
    with closing(sqlite3.connect(bank.file)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert bank.ask(counted, Intent(filters=(WEST,)), anew=True).answer is None


def test_what_has_become_restricted_is_neither_shared_nor_shown_as_the_last_good_result(bank: Bank):
    tile = bank.pin("SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment", "Segments")
    assert bank.ask(tile).answer is not None
    changes = bank.assistant.changes
    restricted = changes.propose([Edit("column", "customers.segment", "sensitive", False, True)], "", "edith")
    changes.publish(restricted.id, "edith")
    try:
        shown = bank.ask(tile)
        assert shown.answer is None
        assert shown.problem == "The query was not run: column segment of customers is restricted."
        assert bank.ask(tile).answer is None
    finally:
        changes.roll_back(0, "edith")
    assert bank.ask(tile, anew=True).answer is not None


def test_a_filter_tells_no_value_of_a_field_that_was_closed_since_or_is_in_no_data_of_its_tiles(bank: Bank):
    tile = bank.pin("SELECT COUNT(*) AS n FROM branches", "Branches")
    scope = Intent(filters=(WEST,))
    assert scope_words(scope, bank.results.models([tile], "asha")) == ("region: West",)
    elsewhere = bank.results.models([replace(tile, source="elsewhere")], "asha")
    assert scope_words(scope, elsewhere) == ("region: not shown",)
    changes = bank.assistant.changes
    closed = changes.propose([Edit("column", "branches.region", "sensitive", False, True)], "", "edith")
    changes.publish(closed.id, "edith")
    try:
        assert scope_words(scope, bank.results.models([tile], "asha")) == ("region: not shown",)
    finally:
        changes.roll_back(0, "edith")


def test_a_tile_that_is_being_answered_while_a_column_is_closed_is_shown_to_nobody(bank: Bank):
    tile = bank.pin("SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment", "Segments at once")
    changes = bank.assistant.changes

    class Slow(TileResults):
        """Closes the column once the rows are there."""

        def _fresh(self, *asked):
            made = super()._fresh(*asked)
            closed = changes.propose([Edit("column", "customers.segment", "sensitive", False, True)], "", "edith")
            changes.publish(closed.id, "edith")
            return made

    slow = Slow(bank.sources, bank.store.get, parallel=1, shared_s=60, result_kb=64)
    try:
        shown = slow.start(tile, Intent(), "vikram").result(60)
    finally:
        changes.roll_back(0, "edith")
    assert shown.answer is None
    assert "column segment of customers is restricted" in shown.problem


def test_a_kept_reading_that_may_not_run_any_more_leaves_no_value_in_anybodys_history(bank: Bank):
    retail = Condition(field=FieldRef(dataset="customers", field="segment"), operator="=", values=("Retail",))
    counts = (Measure(aggregate="count", dataset="customers"),)
    tiles = [
        bank.pin("SELECT COUNT(*) AS n FROM customers WHERE segment = 'Retail'", "How many Retail customers"),
        bank.pin(Intent(measures=counts, filters=(retail,)), "How many customers are in Retail?"),
    ]
    changes = bank.assistant.changes
    changes.publish(
        changes.propose([Edit("column", "customers.segment", "sensitive", False, True)], "", "edith").id, "edith"
    )
    try:
        for tile in tiles:
            assert bank.results.start(tile, Intent(), "mallory").result(60).answer is None
        assistant = bank.sources.assistant()
        assistant.audit.flush(20)
        found = assistant.history.page("mallory", Wanted(), 20).entries
        assert [one.entry.question for one in found] == [ITS_QUESTION] * len(tiles)
        assert not any("Retail" in repr(one.entry) for one in found)
        assert assistant.history.page("mallory", Wanted(words="retail"), 20).entries == []
    finally:
        changes.roll_back(0, "edith")


def test_a_tile_of_a_source_that_is_not_there_fails_alone(bank: Bank, counted: Tile):
    shown = bank.ask(replace(counted, source="elsewhere"))
    assert shown.answer is None
    assert shown.problem


def test_a_tile_of_somebodys_own_file_is_asked_of_nobody_elses(bank: Bank, counted: Tile):
    shown = bank.results.start(replace(counted, source="own"), Intent(), "vikram", owner="asha").result(60)
    assert shown.answer is None
    assert "no data source" in shown.problem


def test_the_page_holds_every_tile_and_runs_nothing_from_a_name(bank: Bank, counted: Tile):
    good = bank.ask(counted, anew=True)
    told = [
        (replace(counted, title=HOSTILE), good),
        (counted, replace(good, problem=HOSTILE)),
    ]
    page = dashboard_html(HOSTILE, (HOSTILE,), told, datetime(2026, 11, 23, tzinfo=UTC)).decode()
    body = page[page.index("<body>") : page.index("<script>")] + page[: page.index("<style>")]
    assert "<script>" not in body.replace("<body>", "")
    assert "<img" not in page[: page.index("<script>")]
    assert page.count("<section") == 2
    assert "http://" not in body
    assert "https://" not in body
    names = [name for name, _ in dashboard_csvs(told)]
    assert len(names) == 1
    assert "/" not in names[0]
