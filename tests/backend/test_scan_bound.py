"""What a statement is expected to read is told, and more than it may is not read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.errors import ScanTooLarge
from ai_engine.said_scan import said_count, said_read, said_size
from ai_engine.types import ScanEstimate
from backend.answers.json_values import answer_to_json
from backend.command_line.plain_text import answer_text
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import read_settings
from pages.formats import Formats
from tests.backend.databases.servers.small_bank import administer_postgres, own_postgres

DATED = "total transaction amount in 2026"
KILOBYTE_GB = 1e-6
IN_POSTGRES = (
    "CREATE TABLE payments (payment_id INTEGER, amount NUMERIC(12,2), paid_on DATE) PARTITION BY RANGE (paid_on)",
    *(
        f"CREATE TABLE payments_{year} PARTITION OF payments FOR VALUES FROM ('{year}-01-01') TO ('{year + 1}-01-01')"
        for year in (2024, 2025, 2026)
    ),
    "INSERT INTO payments SELECT i, i, DATE '2024-01-01' + i % 1050 FROM generate_series(1, 20000) AS i",
    "CREATE TABLE loans (loan_id INTEGER, amount NUMERIC(12,2), region VARCHAR(9)) PARTITION BY LIST (region)",
    "CREATE TABLE loans_n PARTITION OF loans FOR VALUES IN ('North')",
    "CREATE TABLE loans_s PARTITION OF loans FOR VALUES IN ('South')",
    "INSERT INTO loans SELECT i, i, CASE WHEN i % 3 = 0 THEN 'South' ELSE 'North' END"
    " FROM generate_series(1, 20000) AS i",
    "ANALYZE",
)


def opened(url: str, tmp_path: Path, **options: object) -> Iterator[Assistant]:
    settings = read_settings(
        database_url=url, store_url=f"sqlite:///{tmp_path / 'store.sqlite'}", cache_dir=tmp_path, database_workers=1,
        **options,
    )  # fmt: skip
    assistant = open_assistant(settings)
    try:
        yield assistant
    finally:
        assistant.close()


@pytest.fixture(scope="module")
def open_bank(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    yield from opened(str(small_bank), tmp_path_factory.mktemp("open"))


@pytest.fixture(scope="module")
def bounded_bank(open_bank: Assistant, small_bank: Path, tmp_path_factory: pytest.TempPathFactory):
    """May read days and amounts of the transactions, and nothing beside them."""
    result = open_bank.ask(DATED).result
    assert result is not None
    assert result.expected is not None
    assert result.expected.bytes is not None
    bound = result.expected.bytes * 1.02 / 1e9
    yield from opened(str(small_bank), tmp_path_factory.mktemp("bounded"), max_scan_gb=bound)


def test_an_answer_tells_what_it_was_expected_to_read(open_bank):
    answer = open_bank.ask("total transaction amount by channel")
    (rows,), *_ = open_bank.run_statement("SELECT COUNT(*) FROM transactions")[1].rows
    assert answer.result.expected.rows == rows
    told = answer_to_json(answer)["expected_scan"]
    assert told == {"rows": rows, "bytes": answer.result.expected.bytes}
    assert f"Reads {said_read(answer.result.expected)[6:]}" in answer_text(answer, Formats())


def test_over_the_bound_nothing_runs_and_every_question_offered_is_answered(bounded_bank):
    offered = 0
    for question in (
        "total transaction amount by branch in 2026",
        "total transaction amount by customer city and month in 2026",
        "total transaction amount by branch and month in 2026",
        "transaction value by region for 2026 compared with the year before",
    ):
        refused = bounded_bank.ask(question)
        assert refused.status == "refused", question
        assert refused.result is None
        assert "was not run: by the database's own estimate it would read about" in refused.error
        for suggestion in refused.suggestions:
            offered += 1
            assert bounded_bank.ask(suggestion).status == "answered", suggestion
    assert offered >= 3


def test_within_the_bound_a_question_is_answered_as_ever(bounded_bank, open_bank):
    bounded, free = bounded_bank.ask(DATED), open_bank.ask(DATED)
    assert bounded.result.rows == free.result.rows
    assert bounded.result.expected == free.result.expected


def test_an_analysts_own_statement_has_the_same_bound(bounded_bank):
    with pytest.raises(ScanTooLarge, match="would read about"):
        bounded_bank.run_statement(
            "SELECT channel, status, SUM(amount) FROM transactions GROUP BY channel, status, account_id"
        )


@pytest.fixture(scope="module")
def parted_bank(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    with own_postgres(postgres_url, "bank_scan") as name:
        administer_postgres(postgres_url, *IN_POSTGRES, database=name)
        folder = tmp_path_factory.mktemp("parted")
        yield from opened(f"{postgres_url}/{name}", folder, max_scan_gb=650 * KILOBYTE_GB, as_of=date(2026, 11, 21))


@pytest.mark.server
def test_a_shorter_period_is_offered_where_the_database_keeps_periods_apart(parted_bank):
    refused = parted_bank.ask("total amount of payments")
    assert refused.status == "refused"
    assert "The data is kept apart by paid on" in refused.error
    assert [text.rpartition(", ")[2] for text in refused.suggestions] == [
        "2025",
        "July to September 2026",
        "October 2026",
    ]
    for suggestion in refused.suggestions:
        answer = parted_bank.ask(suggestion)
        assert answer.status == "answered"
        assert answer.result.expected.bytes <= 650_000


@pytest.mark.server
def test_one_part_is_offered_where_the_database_keeps_values_apart(parted_bank):
    refused = parted_bank.ask("total amount of loans")
    assert refused.status == "refused"
    assert any("South" in text for text in refused.suggestions)
    for suggestion in refused.suggestions:
        assert parted_bank.ask(suggestion).status == "answered"


@given(st.integers(0, 10**15), st.integers(0, 10**15))
def test_an_estimate_is_told_with_no_more_digits_than_it_deserves(rows, size):
    said = said_read(ScanEstimate(rows, size))
    assert said.startswith("Reads ")
    assert len(said) < 80
    assert sum(character.isdigit() and character != "0" for character in said_count(rows)) <= 3
    assert len(said_size(size)) <= 9


def test_what_is_not_told_is_not_said():
    assert said_read(ScanEstimate(work=3.0)) == ""
    assert said_read(ScanEstimate(rows=None, bytes=18_000_000)) == "Reads about 18 MB by the engine's estimate."
    assert (
        said_read(ScanEstimate(1_234_567, 18_000_000))
        == "Reads about 1.2 million rows (18 MB) by the engine's estimate."
    )
    assert said_read(ScanEstimate(0, 0)) == "Reads no rows, by the engine's estimate."
    assert said_read(ScanEstimate(1, 40)) == "Reads about 1 row (40 bytes) by the engine's estimate."
