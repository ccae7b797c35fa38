"""Every answer enters the audit trail, through whichever door, and none waits or fails for it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from ai_engine.errors import SqlRejected, StoreUnavailable
from ai_engine.types import Answer
from backend import cli
from backend.answers.withheld import CLOSED_SINCE, ITS_QUESTION
from backend.command_line import verify_audit_command
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import PROJECT_ROOT, read_settings
from backend.store import Store, open_store
from backend.store.audit_chain import checked_chain
from backend.store.audit_trail import Entry, Wanted, entries
from backend.trust.audit import Audit, Noted
from backend.trust.audit_book import AuditBook
from tests.ai_engine.scripted_model import write_bank

QUESTION = "How many customers are there?"


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    opened = open_assistant(
        read_settings(
            database_url=str(write_bank(tmp_path / "bank.sqlite")), store_url=f"sqlite:///{tmp_path / 'store.sqlite'}",
            cache_dir=tmp_path, database_workers=1, as_of=date(2026, 11, 21),
        )
    )  # fmt: skip
    yield opened
    opened.close()


def trail(assistant: Assistant) -> list[Entry]:
    assert assistant.audit.flush(20)
    with assistant.store.get().reading() as on:
        return [one.entry for one in entries(on, Wanted(), 100)][::-1]


def test_what_was_asked_is_noted_with_its_statement_and_outcome(assistant: Assistant):
    answer = assistant.at("API").ask(QUESTION, who="asha")
    (entry,) = trail(assistant)
    assert (entry.person, entry.door, entry.question, entry.status) == ("asha", "API", QUESTION, "answered")
    assert (entry.sql, entry.decision, entry.row_count) == (answer.sql, "let through", 1)
    assert (entry.question_id, entry.at, entry.model) == (answer.question_id, answer.answered_at, "built-in")
    assert set(json.loads(entry.timings_ms)) >= {"sql", "execution", "total"}
    assert len(entry.result_hash) == 64
    *_, again = assistant.stream(QUESTION, who="vikram")
    assert [one.result_hash for one in trail(assistant)] == [entry.result_hash] * 2
    assert (again.status, trail(assistant)[1].person) == ("answered", "vikram")


def test_what_was_refused_is_noted_with_the_reason(assistant: Assistant):
    assistant.ask("How many flibbertigibbets?")
    with pytest.raises(SqlRejected):
        assistant.run_statement("DELETE FROM customers")
    assistant.run_statement("SELECT COUNT(*) FROM customers")
    asked, refused, ran = trail(assistant)
    assert (asked.status, asked.decision, asked.result_hash) == ("refused", "none", "")
    assert (refused.sql, refused.decision, refused.status) == ("DELETE FROM customers", "refused", "failed")
    assert "SELECT" in refused.reason
    assert (ran.decision, ran.row_count) == ("let through", 1)


def test_a_redrawn_chart_is_an_answer_too(assistant: Assistant):
    above = assistant.ask("Customers by segment")
    assistant.ask("show as a pie", above=above)
    assert [one.question for one in trail(assistant)] == ["Customers by segment", "show as a pie"]


ASKED = "Accounts whose account type is savings"
SAVINGS = "SELECT COUNT(*) AS n FROM accounts WHERE account_type = 'savings'"
KINDS = "SELECT COUNT(DISTINCT account_type) AS savings FROM accounts"


def without_account_types(assistant: Assistant) -> AuditBook:
    """Return what is shown of the trail once account types are closed."""
    closed = replace(assistant.policy, restricted_columns={"accounts": frozenset({"account_type"})})
    return replace(assistant, policy=closed).history


def told(book: AuditBook, wanted: Wanted = Wanted()) -> list[tuple[str, str, str, int | None, str]]:  # noqa: B008
    page = [one.entry for one in book.page("local", wanted, 10).entries]
    files = [json.loads(line) for line in b"".join(book.json_lines("local", wanted, 10)).splitlines()]
    shown = [(one.question, one.restatement, one.sql, one.row_count, one.result_hash) for one in page]
    names = ("question", "restatement", "sql", "row_count", "result_hash")
    assert [tuple(one[name] for name in names) for one in files] == shown
    return shown


def test_of_an_entry_whose_column_was_closed_since_the_history_shows_no_value(assistant: Assistant):
    assistant.run_again(SAVINGS, question=ASKED)
    assistant.run_again("SELECT COUNT(*) AS n FROM customers", question="How many?")
    assistant.audit.flush(20)
    counted, of_savings = told(assistant.history)
    assert (of_savings[0], "savings" in of_savings[2], of_savings[3]) == (ASKED, True, 1)
    book = without_account_types(assistant)
    now, (question, why, *rest) = told(book)
    assert (now, question, rest) == (counted, ITS_QUESTION, ["", None, ""])
    assert why.endswith("its query may not run today: column account_type of accounts is restricted.")
    assert checked_chain(assistant.store.get()).broken_at is None


def test_an_entry_that_is_not_shown_is_told_by_no_hash_that_a_guess_at_it_could_be_held_against(assistant: Assistant):
    for question, sql in (("How many?", "SELECT COUNT(*) AS n FROM customers"), (ASKED, SAVINGS), ("Those", KINDS)):
        assistant.run_again(sql, question=question)
    assistant.run_again("SELECT COUNT(*) AS n FROM customers", question="How many now?")
    assistant.run_again("SELECT COUNT(*) AS n FROM branches", question="How many branches?")
    assistant.audit.flush(20)

    def hashes(book: AuditBook, wanted: Wanted = Wanted()) -> list[tuple[bool, bool, bool]]:  # noqa: B008
        files = [json.loads(line) for line in b"".join(book.json_lines("local", wanted, 10)).splitlines()]
        names = "question_id", "previous_hash", "hash"
        for one, before in pairwise(files):
            assert one["previous_hash"] in ("", before["hash"])
        return [tuple(bool(one[name]) for name in names) for one in files]  # type: ignore[misc]

    whole, alone, nothing = (True, True, True), (True, False, True), (False, False, False)
    assert hashes(assistant.history) == [whole, whole, whole, whole, alone]
    book = without_account_types(assistant)
    assert hashes(book) == [whole, alone, nothing, nothing, alone]
    assert hashes(book, Wanted(words="how many")) == [whole, alone, alone]
    for shown in book.page("local", Wanted(), 10).entries[2:4]:
        assert (shown.hash, shown.previous_hash, shown.entry.question_id) == ("", "", "")
    assert checked_chain(assistant.store.get()).broken_at is None


def test_the_history_finds_no_entry_by_words_that_it_does_not_show(assistant: Assistant):
    for number in range(4):
        assistant.run_again(KINDS if number else SAVINGS, question="Those" if number else ASKED)
    assistant.audit.flush(20)
    book = without_account_types(assistant)
    assert len(told(assistant.history, Wanted(words="SAVINGS"))) == 4
    assert told(book, Wanted(words="savings")) == []
    assert told(book, Wanted(words="a")) == []  # the sentence in place of the question has it, as the statement has
    found = book.page("local", Wanted(words="those"), 2)
    assert (len(found.entries), found.has_older) == (2, True)
    older = book.page("local", Wanted(words="those"), 2, before=found.entries[-1].number)
    assert (len(older.entries), older.has_older, older.has_newer) == (1, False, True)
    newer = book.page("local", Wanted(words="those"), 2, after=older.entries[0].number)
    assert [one.number for one in newer.entries] == [one.number for one in found.entries]


def test_a_statement_that_was_refused_is_shown_until_a_column_is_closed(assistant: Assistant):
    with pytest.raises(SqlRejected):
        assistant.run_statement("DELETE FROM accounts WHERE account_type = 'savings'")
    assistant.audit.flush(20)
    assert "savings" in told(assistant.history)[0][2]
    assert told(without_account_types(assistant)) == [("", CLOSED_SINCE, "", None, "")]


def test_an_entry_of_another_database_is_shown_whole_to_who_may_ask_that_alone(assistant: Assistant):
    assistant.run_again(SAVINGS, question=ASKED)
    assistant.audit.flush(20)
    elsewhere = replace(assistant, database=replace(assistant.database, url_shown="sqlite:///elsewhere.sqlite"))
    ((question, why, *rest),) = told(elsewhere.history)
    assert (question, rest) == (ITS_QUESTION, ["", None, ""])
    assert why == "The query is not shown, as it is of data that you cannot ask here."
    assert told(elsewhere.history.beside(lambda _: assistant)) == told(assistant.history)


def noted(question: str) -> Noted:
    answer = Answer(question, "answered", "built-in", timings_ms={"total": 1.0})
    return Noted(answer, "asha", "page", "duckdb:///bank", "duckdb", datetime.now(UTC))


class AwayStore:
    """Fails until it is back."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.is_away = True

    def get(self) -> Store:
        if self.is_away:
            raise StoreUnavailable("away")
        return self.store


def test_a_store_that_is_away_leaves_a_gap_that_the_next_entry_tells(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    store = open_store(read_settings(store_url=f"sqlite:///{tmp_path / 'store.sqlite'}"))
    away = AwayStore(store)
    audit = Audit(away.get, keep_days=0, most_waiting=3)
    for number in range(5):
        audit.note(noted(f"Question {number}"))
        assert not audit.flush(20)
    assert "away" in caplog.text
    assert "misses an answer" in caplog.text
    away.is_away = False
    audit.note(noted("no room for this one either, but it has the others written"))
    assert audit.flush(20)
    audit.note(noted("back"))
    assert audit.flush(20)
    found = checked_chain(store)
    assert (found.broken_at, found.entries, found.missed) == (None, 4, 3)
    with store.reading() as on:
        assert [one.entry.missed for one in entries(on, Wanted(), 10)] == [3, 0, 0, 0]
    store.close()


_ASKS = """
import os, sys
from tests.backend.test_audit import noted
from backend.settings import read_settings
from backend.store import open_store
from backend.trust.audit import Audit

store = open_store(read_settings(store_url=sys.argv[1]))
audit = Audit(lambda: store, keep_days=0, most_waiting=9)
audit.note(noted("written"))
assert audit.flush(20)
if sys.argv[2] == "killed":
    os._exit(9)
audit.close(20)
"""


@pytest.mark.parametrize("end", ["killed", "closed"])
def test_a_process_that_was_killed_is_told_of_by_the_next_one_and_once(tmp_path: Path, end: str):
    url = f"sqlite:///{tmp_path / 'store.sqlite'}"
    subprocess.run([sys.executable, "-c", _ASKS, url, end], cwd=PROJECT_ROOT, timeout=60, check=end == "closed")
    with closing(open_store(read_settings(store_url=url))) as store:
        for _ in range(2):
            audit = Audit(lambda: store, keep_days=0, most_waiting=9)
            audit.note(noted("after"))
            audit.close(20)
        found = checked_chain(store)
        with store.reading() as on:
            said = [one.entry.question for one in entries(on, Wanted(status="killed"), 9)]
            assert on.exec_driver_sql("SELECT COUNT(*) FROM audit_runs").scalar_one() == 0
        assert found.broken_at is None
        assert found.killed == len(said) == (end == "killed")
        assert (found.entries, "did not end by itself" in "".join(said)) == (3 + len(said), end == "killed")


def test_noting_takes_no_time_and_nothing_is_noted_where_it_is_off(assistant: Assistant):
    answer = assistant.ask(QUESTION)
    started = time.perf_counter()
    for _ in range(100):
        assistant.record(answer)
    assert (time.perf_counter() - started) / 100 < 0.002
    trail(assistant)
    assert checked_chain(assistant.store.get()).entries == 101
    off = Audit(lambda: 1 / 0, 0, 10, is_on=False)  # type: ignore[arg-type,return-value]
    off.note(noted("nothing"))
    assert off.flush(0)


def test_the_command_says_whether_and_where_the_chain_is_broken(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("BANK_STORE_URL", str(assistant.settings.store_url))
    for _ in range(3):
        assistant.ask(QUESTION)
    trail(assistant)
    monkeypatch.setattr(verify_audit_command, "_TOLD_EVERY", 2)
    assert cli.main(["verify-audit"]) == 0
    output = capsys.readouterr()
    assert output.err.splitlines()[-1] == "2 entries looked at …"
    whole, head = output.out.splitlines()
    assert whole == "The chain is whole: 3 entries."
    assert cli.main(["verify-audit", "--head", head.removeprefix("head ")]) == 0
    with assistant.store.get().writing() as on:
        on.exec_driver_sql("DELETE FROM audit_entries WHERE number = 3")
    assert cli.main(["verify-audit"]) == 0
    capsys.readouterr()
    assert cli.main(["verify-audit", "--head", head.removeprefix("head ")]) == 1
    assert "broken at entry 3: it was noted, and is not there" in capsys.readouterr().out
    with assistant.store.get().writing() as on:
        on.exec_driver_sql("UPDATE audit_entries SET person = 'nobody' WHERE number = 2")
    assert cli.main(["verify-audit", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["broken_at"] == 2
    assert cli.main(["verify-audit", "--head", "three"]) == 1


def test_old_entries_are_removed_as_the_setting_says(assistant: Assistant):
    audit = Audit(assistant.store.get, keep_days=30, most_waiting=10)
    audit.note(replace(noted("old"), at=datetime(2020, 1, 1, tzinfo=UTC)))
    assert audit.flush(20)
    assert trail(assistant) == []
    assert checked_chain(assistant.store.get()).broken_at is None
