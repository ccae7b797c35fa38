"""Kept results are those of the same statement, data and rights, whole and exact, or they are not given."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.errors import QueryFailed, QueryStopped
from ai_engine.guard.policy import Policy
from ai_engine.ports import QueryRunner
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.types import QueryResult, ScanEstimate
from backend.configuration.database_rights import runner_under
from backend.databases import open_database
from backend.databases.file_state import DataVersion
from backend.kept_results import runner as kept_runner
from backend.kept_results.folder import ResultFolder, forget_other_sources
from backend.kept_results.runner import KeptResults, scope_of
from backend.opening import open_assistant
from backend.settings import read_settings
from backend.sources.sources import Sources
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank


def _in_time(moment):
    """No database tells the second of two hours that a clock shows alike: that needs a zone with rules."""
    return moment.replace(fold=0)


_OFFSETS = st.integers(-23 * 3_600, 23 * 3_600).map(lambda seconds: timezone(timedelta(seconds=seconds)))
ZONED = st.datetimes(timezones=_OFFSETS)  # no database keeps microseconds of one, which Python does not read back
CELLS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.decimals(allow_nan=False) | st.text() | st.dates()
    | st.datetimes().map(_in_time) | ZONED.map(_in_time) | st.times().map(_in_time) | st.timedeltas() | st.binary()
)  # fmt: skip
ROWS = st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[CELLS] * width), max_size=8))
SQL = "SELECT city, COUNT(*) FROM branches GROUP BY city"
FIRST = DataVersion("1", 0.0)
THEN = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def result_of(rows, **more) -> QueryResult:
    width = len(rows[0]) if rows else 1
    return QueryResult(tuple(f"c{place}" for place in range(width)), ("other",) * width, tuple(rows), **more)


@dataclass
class Counting:
    """Gives what it is told to, and counts how often it is asked."""

    gives: QueryResult | Exception = field(default_factory=lambda: result_of([(1,)]))
    runs: int = 0

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        self.runs += 1
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives


@dataclass
class Recording:
    """Hands on what it is asked, and notes it."""

    inside: QueryRunner
    ran: list[str] = field(default_factory=list)

    def run(self, sql: str, *, max_rows: int, timeout_s: float, stop: threading.Event) -> QueryResult:
        self.ran.append(sql)
        return self.inside.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop)


def ask(runner, sql=SQL, max_rows=10) -> QueryResult:
    return runner.run(sql, max_rows=max_rows, timeout_s=10, stop=threading.Event())


def kept(folder: Path, runner=None, *, version=FIRST, scope="x", ttl_s=None, max_mb=8) -> KeptResults:
    inside = ResultFolder(folder, "a source", max_mb, ttl_s)
    return KeptResults(runner or Counting(), inside, lambda: version, scope, of_any_version=ttl_s is not None)


def entries(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*/*") if path.is_file()]


@given(ROWS, st.booleans(), st.none() | st.integers(0, 10**9))
def test_every_cell_comes_back_as_it_was(rows, truncated, total):
    result = result_of(rows, truncated=truncated, total_rows=total, elapsed_ms=1.5, expected=ScanEstimate(3, 4, 5.0))
    with TemporaryDirectory() as folder:
        runner = kept(Path(folder), Counting(result))
        assert ask(runner).ran_at is None
        found = ask(runner)
        assert runner._runner.runs == 1
    assert abs(datetime.now(UTC) - found.ran_at) < timedelta(minutes=1)
    assert repr(replace(found, ran_at=None)) == repr(result), "also NaN, -0.0, and the digits of a decimal"
    assert [[type(cell) for cell in row] for row in found.rows] == [[type(cell) for cell in row] for row in result.rows]


@given(st.data())
@settings(max_examples=150)
def test_a_damaged_entry_is_no_result_and_is_removed(data):
    with TemporaryDirectory() as folder:
        runner = kept(Path(folder))
        ask(runner)
        (path,) = entries(Path(folder))
        content = bytearray(path.read_bytes())
        place = data.draw(st.integers(0, len(content) - 1))
        if data.draw(st.booleans()):
            content[place] ^= data.draw(st.integers(1, 255))
        else:
            del content[place:]
        path.write_bytes(bytes(content))
        assert runner._folder.read("1", path.name.partition("-")[2]) is None
        assert not path.exists()


def test_an_entry_under_another_name_is_no_result(tmp_path):
    runner = kept(tmp_path)
    ask(runner)
    (path,) = entries(tmp_path)
    other = path.with_name(f"{path.name[:-1]}{'0' if path.name[-1] != '0' else '1'}")
    path.rename(other)
    assert runner._folder.read("1", other.name.partition("-")[2]) is None


@given(st.data())
def test_another_statement_limit_scope_or_version_is_run(data):
    one, other = (
        (data.draw(st.sampled_from("ab")), data.draw(st.integers(1, 2)), data.draw(st.sampled_from("xy")),
         data.draw(st.sampled_from("12")))
        for _ in range(2)
    )  # fmt: skip
    with TemporaryDirectory() as folder:
        counting = Counting()
        for sql, max_rows, scope, version in (one, other):
            ask(kept(Path(folder), counting, scope=scope, version=DataVersion(version, 0.0)), sql, max_rows)
        assert counting.runs == (1 if one == other else 2)


POLICIES = st.builds(
    Policy,
    hidden_tables=st.frozensets(st.sampled_from("abc")),
    restricted_columns=st.dictionaries(st.sampled_from("ab"), st.frozensets(st.sampled_from("xyz"), min_size=1)),
    max_groups=st.integers(1, 3),
)


@given(POLICIES, POLICIES)
def test_two_policies_have_one_scope_only_where_they_are_the_same(one, other):
    assert (scope_of("bank", one) == scope_of("bank", other)) == (one == other)


def test_a_scope_is_the_same_in_every_process():
    line = (
        "from backend.kept_results.runner import scope_of; from ai_engine.guard.policy import Policy;"
        "print(scope_of(Policy(hidden_tables=frozenset('abcdefgh'), restricted_columns={'t': frozenset('uvwxyz')})))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", line], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in "12"
    }
    assert len(told) == 1


@pytest.mark.parametrize("fault", [QueryFailed("no"), QueryStopped()])
def test_a_fault_is_not_kept(tmp_path, fault):
    counting = Counting(fault)
    for runs in (1, 2):
        with pytest.raises(QueryFailed):
            ask(kept(tmp_path, counting))
        assert counting.runs == runs
    assert not entries(tmp_path)


def test_what_is_told_differently_the_next_time_is_not_kept(tmp_path):
    for sql in (
        "SELECT CURRENT_DATE", "SELECT now() AT TIME ZONE 'UTC'", "SELECT age(opened) FROM accounts",
        "SELECT DATE('now', '-1 day')", "SELECT date()", "SELECT strftime('%Y')", "SELECT 'today'::DATE",
        "SELECT a FROM t USING SAMPLE 10", "SELECT a FROM t TABLESAMPLE SYSTEM (1)", "SELECT RAND()",
        "SELECT UTC_TIMESTAMP()", "SELECT unix_timestamp()",
    ):  # fmt: skip
        counting = Counting()
        for _ in range(2):
            assert ask(kept(tmp_path, counting), sql).ran_at is None
        assert counting.runs == 2, sql
    counting = Counting()
    for _ in range(2):
        ask(kept(tmp_path, counting), "SELECT age, DATE(opened), strftime('%Y', opened) FROM customers")
    assert counting.runs == 1


def test_a_server_keeps_nothing_unless_results_have_an_age(tmp_path, monkeypatch):
    counting = Counting()
    for _ in range(2):
        assert ask(kept(tmp_path, counting, version=None)).ran_at is None
    assert counting.runs == 2
    assert not entries(tmp_path)
    aged = kept(tmp_path, counting, version=None, ttl_s=60)
    assert [ask(aged).ran_at is not None for _ in range(2)] == [False, True]
    assert not aged.tells_versions
    aged._folder.write("", entries(tmp_path)[0].name.partition("-")[2], replace(counting.gives, ran_at=THEN))
    assert ask(aged).ran_at is None, "too old"


def test_anew_runs_and_the_next_is_given_that(tmp_path):
    counting = Counting()
    runner = kept(tmp_path, counting)
    ask(runner)
    counting.gives = result_of([(2,)])
    assert ask(runner).rows == ((1,),)
    assert ask(runner.anew()).rows == ((2,),)
    assert ask(runner).rows == ((2,),)
    assert counting.runs == 2


def test_a_file_that_was_just_written_may_be_written_again_unseen(tmp_path):
    counting = Counting()
    for age_s, runs in ((0.5, 2), (60, 3)):
        version = DataVersion(str(age_s), time.time() - age_s)
        for _ in range(2):
            ask(kept(tmp_path, counting, version=version))
        assert counting.runs == runs


def test_data_that_change_while_a_statement_runs_leave_nothing_behind(tmp_path):
    versions = iter([DataVersion("1", 0.0), DataVersion("2", 0.0)])
    inside = ResultFolder(tmp_path, "a source", 8, None)
    ask(KeptResults(Counting(), inside, lambda: next(versions), "x", of_any_version=False))
    assert not entries(tmp_path)


def test_new_data_have_the_results_of_the_old_removed(tmp_path):
    for version in "12":
        ask(kept(tmp_path, version=DataVersion(version, 0.0)))
    (left,) = entries(tmp_path)
    assert kept(tmp_path, version=DataVersion("2", 0.0))._folder.read("2", left.name.partition("-")[2]) is not None


def test_the_folder_is_bounded_and_what_is_wanted_stays(tmp_path):
    wide = Counting(result_of([("x" * 30_000,)]))
    runner = kept(tmp_path, wide, max_mb=1)
    for number in range(120):
        ask(runner, f"SELECT {number} FROM branches")
        time.sleep(0.002)  # as the disk's clock counts
        ask(runner, "SELECT 0 FROM branches")
    held = sum(path.stat().st_blocks * 512 for path in entries(tmp_path))
    assert held <= 2**20
    assert wide.runs == 120
    assert len(entries(tmp_path)) >= 20


def test_what_has_no_room_is_not_kept(tmp_path):
    runner = kept(tmp_path, Counting(result_of([("x" * 200_000,)])), max_mb=1)
    ask(runner)
    assert not entries(tmp_path)


def test_a_disk_that_fails_fails_no_question(tmp_path):
    (tmp_path / "file").write_text("")
    runner = kept(tmp_path / "file" / "results")
    assert [ask(runner).rows for _ in range(2)] == [((1,),)] * 2


def test_many_threads_and_instances_share_a_folder(tmp_path):
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(40):
                want = (step * number) % 7
                runner = kept(tmp_path, Counting(result_of([(want,)])), max_mb=1)
                assert ask(runner, f"SELECT {want} FROM branches").rows == ((want,),)
        except BaseException as fault:  # noqa: BLE001 - told by the test's own thread
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def write_anew(file: Path, statement: str, *, wal: bool) -> None:
    if file.suffix == ".duckdb":
        with duckdb.connect(file) as writer:
            writer.execute("PRAGMA disable_checkpoint_on_shutdown" if wal else "SELECT 1")
            writer.execute(statement)
        return
    with closing(sqlite3.connect(file)) as writer:
        writer.execute(f"PRAGMA journal_mode={'WAL' if wal else 'DELETE'}")
        writer.execute(statement)
        writer.commit()


@pytest.mark.parametrize("wal", [False, True], ids=["plain", "log"])
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_every_write_to_a_file_has_the_statement_run_again(tmp_path, monkeypatch, kind, wal):
    monkeypatch.setattr(kept_runner, "_SETTLED_S", 0.0)
    file = tmp_path / f"bank.{kind}"
    write_anew(file, "CREATE TABLE branches (id INTEGER, city TEXT)", wal=wal)
    write_anew(file, "INSERT INTO branches VALUES (1, 'Pune'), (2, 'Goa')", wal=wal)
    known = read_settings(result_cache_mb=8, cache_dir=tmp_path / "cache")

    def found() -> QueryResult:
        with open_database(str(file)) as bank:  # and closed, as nobody writes to a DuckDB file that another has open
            return ask(runner_under(bank, Policy(), known))

    for statement, cities in (
        ("INSERT INTO branches VALUES (3, 'Agra')", {"Agra", "Goa", "Pune"}),
        ("UPDATE branches SET city = 'Gaya' WHERE id = 2", {"Agra", "Gaya", "Pune"}),
        ("DELETE FROM branches WHERE id = 1", {"Agra", "Gaya"}),
    ):
        found()
        assert found().ran_at is not None
        write_anew(file, statement, wal=wal)
        now = found()
        assert now.ran_at is None
        assert {city for city, _ in now.rows} == cities


@pytest.fixture
def bank_file(tmp_path: Path) -> Path:
    file = write_bank(tmp_path / "bank.duckdb")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    return file


def own_settings(file: Path, **more: object):
    return read_settings(
        database_url=str(file), store_url=f"sqlite:///{file.parent / 'store.sqlite'}", cache_dir=file.parent / "cache",
        database_workers=1, as_of=date(2026, 11, 21), result_cache_mb=8, **more,
    )  # fmt: skip


def test_an_answer_says_of_when_its_rows_are_and_holds_them_against_totals_of_now(bank_file, monkeypatch):
    monkeypatch.setattr(kept_runner, "_SETTLED_S", 0.0)
    question = "Number of customers by segment"
    assistant = open_assistant(own_settings(bank_file))
    try:
        first, second = assistant.ask(question), assistant.ask(question)
        assert first.result.ran_at is None
        assert second.result.ran_at is not None
        assert second.result.rows == first.result.rows
        assistant.runner._runner = recorded = Recording(assistant.runner._runner)
        third = assistant.ask(question)
        assert third.tie_out.outcome == "ties out"
        assert len(recorded.ran) == len(third.tie_out.sql), "the rows were kept, their totals ran"
        assert assistant.ask(question, anew=True).result.ran_at is None
        _, checked = assistant.run_statement(first.sql)
        assert checked.ran_at is None, "an analyst's own has a limit of its own"
    finally:
        assistant.close()


def test_rows_of_then_are_not_held_against_totals_of_now_where_the_data_may_have_changed(bank_file):
    assistant = open_assistant(own_settings(bank_file, result_cache_ttl_s=600))
    try:
        unknowing = KeptResults(
            assistant.runner._runner, assistant.runner._folder, lambda: None, "s", of_any_version=True
        )
        asked = replace(assistant, runner=unknowing)
        first, second = (asked.ask("Number of customers by segment") for _ in range(2))
        assert first.tie_out.outcome == "ties out"
        assert second.result.ran_at is not None
        assert second.tie_out.outcome == "not checked"
    finally:
        assistant.close()


def test_the_rows_are_for_the_eyes_of_their_owner_and_go_with_their_source(bank_file, monkeypatch):
    monkeypatch.setattr(kept_runner, "_SETTLED_S", 0.0)
    known = own_settings(bank_file)
    sources = Sources(lambda: known, open_assistant)
    sources.assistant().ask("How many customers are there?")
    root = known.cache_dir / "results"
    (folder,) = root.iterdir()
    assert stat.S_IMODE(root.stat().st_mode) == stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in entries(root))
    sources.close()
    assert entries(root)
    again = Sources(lambda: known, open_assistant)
    assert again.settings == known
    assert entries(root), "the same source finds what it had"
    off = known.model_copy(update={"result_cache_mb": 0})
    assert Sources(lambda: off, open_assistant).settings == off
    assert not entries(root)


def test_a_withdrawn_source_leaves_nothing(tmp_path):
    for source in ("a source", "another"):
        ResultFolder(tmp_path, source, 8, None).write("1", "k", replace(result_of([(1,)]), ran_at=THEN))
    forget_other_sources(tmp_path, ["another"])
    assert ResultFolder(tmp_path, "a source", 8, None).read("1", "k") is None
    assert ResultFolder(tmp_path, "another", 8, None).read("1", "k") is not None


def test_one_process_finds_what_another_has_kept(tmp_path):
    line = (
        "import sys; from pathlib import Path; from tests.backend.test_kept_results import Counting, ask, kept;"
        "runner = Counting(); ask(kept(Path(sys.argv[1]), runner)); print(runner.runs)"
    )
    told = [
        subprocess.run([sys.executable, "-c", line, tmp_path], check=True, capture_output=True, timeout=120).stdout
        for _ in range(2)
    ]
    assert told == [b"1\n", b"0\n"]
