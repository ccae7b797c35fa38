"""Trino's own client against a server that speaks its protocol: values, faults, pages, deadline, stop and cost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest

from ai_engine.errors import DatabaseUnavailable, QueryFailed, QueryStopped, QueryTimedOut, ResultTooLarge
from ai_engine.ports import EstimatesCost
from ai_engine.types import QueryResult, ScanEstimate
from backend.databases import Database, open_database
from tests.backend.databases.resources import count_resources
from tests.backend.databases.spoken_data import MARKER
from tests.backend.databases.trino.conftest import LIMITS, PAGE_ROWS
from tests.patience import allowed_s
from tests.trino_server import Behaviour, Coordinator, serving_trino

pytestmark = pytest.mark.server
ENDLESS = "SELECT count(*) FROM many AS a CROSS JOIN many AS b CROSS JOIN many AS c WHERE a.n + b.n + c.n = -1"
GONE_WITHIN_S = 2.0


def run(
    database: Database,
    sql: str,
    *,
    max_rows: int = 100,
    timeout_s: float = 20.0,
    stop: threading.Event | None = None,
) -> QueryResult:
    return database.runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop or threading.Event())


def cell(database: Database, expression: str) -> object:
    return run(database, f"SELECT {expression}").rows[0][0]


def eventually(condition: Callable[[], bool], within_s: float) -> bool:
    until = time.monotonic() + allowed_s(within_s)
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return condition()


def test_tables_are_read_with_comments_views_and_partitions_and_no_invented_keys(bank: Database):
    found = {table.name: table for table in bank.catalogue.tables}
    assert found.keys() == {"accounts", "branches", "many", "rich", "t"}
    assert (found["branches"].comment, found["branches"].columns[1].comment) == ("Where people go", "Town")
    assert [name for name, table in found.items() if table.is_view] == ["rich"]
    assert found["accounts"].partition_columns == ("opened",)
    assert not any(table.primary_key or table.foreign_keys or table.unique_keys for table in found.values())
    assert [(c.name, c.type, c.native_type, c.nullable) for c in found["accounts"].columns[2:5]] == [
        ("balance", "decimal", "decimal(12,2)", True),
        ("opened", "date", "date", True),
        ("seen", "timestamp", "timestamp(6)", True),
    ]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("CAST('-99999999999999999999999999999999999.99' AS DECIMAL(38, 2))", Decimal("-" + "9" * 35 + ".99")),
        ("CAST('0.10' AS DECIMAL(38, 2))", Decimal("0.10")),
        ("9223372036854775807", 9223372036854775807),
        ("CAST(0.1 AS DOUBLE)", 0.1),
        ("1 = 1", True),
        ("DATE '2024-02-29'", date(2024, 2, 29)),
        ("TIMESTAMP '2024-02-29 10:30:00.123456'", datetime.fromisoformat("2024-02-29 10:30:00.123456")),
        ("ARRAY[CAST('1.10' AS DECIMAL(4,2)), NULL]", '["1.10", null]'),
        ("MAP(ARRAY['a', 'b'], ARRAY[1, 2])", '{"a": 1, "b": 2}'),
        ("CAST(ROW(1, 'é') AS ROW(a INTEGER, b VARCHAR))", '{"a": 1, "b": "é"}'),
        ("NULL", None),
        ("'100% :of \"it\"'", '100% :of "it"'),
    ],
)  # fmt: skip
def test_values_arrive_exactly(bank: Database, expression: str, value: object):
    told = cell(bank, expression)
    assert (told, type(told)) == (value, type(value))
    if isinstance(value, Decimal):
        assert str(told) == str(value)


def test_a_result_is_typed_by_the_server_and_keeps_what_is_null(bank: Database):
    told = run(bank, "SELECT account_id, balance, opened, seen, active, note FROM accounts ORDER BY 1")
    assert told.types == ("integer", "decimal", "date", "timestamp", "boolean", "text")
    assert told.rows[0] == (
        1,
        Decimal("1200.50"),
        date(2024, 1, 31),
        datetime.fromisoformat("2024-02-01 10:30"),
        True,
        "",
    )
    assert told.rows[2][2:] == (None, None, None, "x")
    empty = run(bank, "SELECT balance, opened FROM accounts WHERE account_id < 0")
    assert (empty.rows, empty.types) == ((), ("decimal", "date"))


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT nowhere FROM accounts", "unknown column: nowhere"),
        ("SELECT * FROM nothing", "unknown table: nothing"),
        ("SELECT balance, COUNT(*) FROM accounts GROUP BY branch_id", "neither grouped"),
        ("SELECT never_heard(1)", "unknown function"),
        ("SELECT FROM WHERE", "syntax"),
        ("DELETE FROM accounts", "this may not be read"),
    ],
)
def test_faults_are_told_in_our_words_with_the_names_of_the_statement(bank: Database, sql: str, words: str):
    with pytest.raises(QueryFailed, match=words) as told:
        run(bank, sql)
    assert "line 1" not in str(told.value)


@pytest.mark.parametrize("shape", ["SELECT {} AS x FROM t", "SELECT id FROM t WHERE {} = 1", "SELECT MAX({}) FROM t"])
@pytest.mark.parametrize("expression", ["CAST(note AS INTEGER)", "CAST(note AS DATE)", "CAST(note AS DECIMAL(4,1))"])
def test_what_the_server_quotes_of_the_data_reaches_nobody(bank: Database, shape: str, expression: str):
    with pytest.raises(QueryFailed) as told:
        run(bank, shape.format(expression))
    assert MARKER not in f"{told.value} {told.value.user_message}"


def test_every_statement_is_read_in_a_transaction_that_cannot_write_and_ends(bank: Database, coordinator: Coordinator):
    assert eventually(lambda: not coordinator.transactions, 1.0)
    before = len(coordinator.statements)
    run(bank, "SELECT 1")
    assert eventually(lambda: not coordinator.transactions, 1.0)
    asked = list(coordinator.statements.values())[before:]
    assert [one.sql for one in asked] == ["START TRANSACTION READ ONLY", "SELECT 1", "ROLLBACK"]
    assert {one.user for one in asked} == {"analyst"}
    assert asked[1].session["query_max_run_time"].endswith("ms")


def test_rows_beyond_the_limit_are_cancelled_and_not_fetched(bank: Database, coordinator: Coordinator):
    told = run(bank, "SELECT n, text FROM many", max_rows=150)
    assert (told.row_count, told.truncated) == (150, True)
    assert eventually(lambda: not coordinator.running(), GONE_WITHIN_S)
    asked = [one for one in coordinator.statements.values() if one.sql == "SELECT n, text FROM many"][-1]
    assert asked.token <= 150 // PAGE_ROWS + 3
    assert run(bank, "SELECT n FROM many", max_rows=5_000).row_count == 5_000


@pytest.mark.parametrize("page_rows", [5_000, 500_000])
def test_a_result_too_large_is_refused_whatever_its_pages(bank: Database, coordinator: Coordinator, page_rows: int):
    usual, coordinator.behaviour = coordinator.behaviour, Behaviour(page_rows=page_rows)
    try:
        with pytest.raises(ResultTooLarge):
            run(bank, "SELECT a.n, a.text FROM many AS a CROSS JOIN branches AS b", max_rows=1_000_000)
    finally:
        coordinator.behaviour = usual
    assert cell(bank, "2") == 2


def test_the_deadline_cancels_the_statement_at_the_server(bank: Database, coordinator: Coordinator):
    cell(bank, "1")
    limit_s = allowed_s(0.8)
    began = time.monotonic()
    with pytest.raises(QueryTimedOut):
        run(bank, ENDLESS, timeout_s=limit_s)
    assert eventually(lambda: not coordinator.running(), GONE_WITHIN_S)
    assert time.monotonic() - began < limit_s + allowed_s(GONE_WITHIN_S)
    ended = [one for one in coordinator.statements.values() if one.sql == ENDLESS][-1]
    assert (ended.state, ended.error and ended.error.name) == ("FAILED", "USER_CANCELED")
    assert eventually(lambda: not coordinator.transactions, GONE_WITHIN_S)


def test_a_stop_cancels_the_statement_at_the_server_within_two_seconds(bank: Database, coordinator: Coordinator):
    cell(bank, "1")
    stop = threading.Event()
    threading.Timer(allowed_s(0.5), stop.set).start()
    with pytest.raises(QueryStopped):
        run(bank, ENDLESS, stop=stop)
    assert eventually(lambda: not coordinator.running(), GONE_WITHIN_S)
    assert cell(bank, "3") == 3


def test_the_server_ends_what_its_client_has_left(coordinator: Coordinator):
    left = coordinator.submit(ENDLESS, "analyst", {"query_max_run_time": "300ms"}, "NONE")
    coordinator.begin(left)
    assert eventually(lambda: left.state == "FAILED", GONE_WITHIN_S)
    assert left.error is not None
    assert left.error.name == "EXCEEDED_TIME_LIMIT"


def test_cost_is_what_the_plan_expects_to_read(bank: Database, coordinator: Coordinator):
    assert isinstance(bank.runner, EstimatesCost)
    never = threading.Event()
    small = bank.runner.cost("SELECT city FROM branches", timeout_s=10, stop=never)
    large = bank.runner.cost("SELECT SUM(n) FROM many", timeout_s=10, stop=never)
    assert (small.rows, large.rows) == (2, 50_000)
    assert small.bytes is not None
    assert large.bytes is not None
    assert 0 < small.bytes < large.bytes
    assert bank.runner.cost("SELECT 1", timeout_s=10, stop=never) == ScanEstimate(None, None, 0.0)
    assert not any(one.sql == "SELECT SUM(n) FROM many" for one in coordinator.statements.values())
    with pytest.raises(QueryFailed, match="unknown column: nowhere"):
        bank.runner.cost("SELECT nowhere FROM many", timeout_s=10, stop=never)


def test_nothing_is_left_behind(trino_file: Path):
    with serving_trino(trino_file) as (url, coordinator):
        open_database(url, LIMITS).close()
        before = count_resources()
        with open_database(url, LIMITS) as bank:
            left = set(coordinator.transactions)  # of the one above, which was closed before it could say so
            cell(bank, "1")
            assert eventually(lambda: coordinator.transactions.keys() <= left, GONE_WITHIN_S)
        assert count_resources().children == before.children


def test_a_zone_stays_with_its_moment(trino_file: Path):
    from backend.databases.trino_values import reader

    read = reader({"rawType": "timestamp with time zone", "arguments": []})
    assert read("2024-07-01 10:00:00.500 Europe/Berlin").utcoffset() == timedelta(hours=2)
    assert read("2024-07-01 10:00:00 -05:30") == datetime(
        2024, 7, 1, 10, tzinfo=timezone(-timedelta(hours=5, minutes=30))
    )
    assert read("2024-07-01 10:00:00.123456000 UTC").microsecond == 123456
    for beyond in ("2024-07-01 10:00:00.123456789 UTC", "20240-07-01 10:00:00 UTC", "2024-07-01 10:00:00 Nowhere/Land"):
        assert read(beyond) == beyond


def test_a_connection_cut_within_a_page_fails_the_statement_and_not_the_next(bank: Database, coordinator: Coordinator):
    usual, coordinator.behaviour = coordinator.behaviour, Behaviour(page_rows=PAGE_ROWS, cut_page=2)
    try:
        with pytest.raises(DatabaseUnavailable, match="connection to the Trino server was lost"):
            run(bank, "SELECT n, text FROM many", max_rows=10_000)
    finally:
        coordinator.behaviour = usual
    assert run(bank, "SELECT n FROM many", max_rows=1_000).row_count == 1_000


def test_a_server_that_is_busy_for_a_moment_is_asked_again(bank: Database, coordinator: Coordinator):
    coordinator.unavailable = 2
    assert cell(bank, "1") == 1


@pytest.mark.parametrize(("person", "auth"), [(("analyst", "se@cret"), "basic"), (("", "se@cret"), "jwt")])
def test_a_password_or_token_opens_and_is_told_to_nobody(trino_file: Path, person: tuple[str, str], auth: str):
    with serving_trino(trino_file, Behaviour(person=person)) as (url, _):
        place = url.partition("@")[2]
        with open_database(f"trino://analyst:se%40cret@{place}?auth={auth}", LIMITS) as bank:
            assert cell(bank, "1") == 1
            assert "cret" not in f"{bank.url_shown} {bank.identity} {bank!r}"
        with pytest.raises(DatabaseUnavailable, match="access denied") as told:
            open_database(f"trino://analyst:wrong@{place}?auth={auth}", LIMITS)
        assert not any(secret in f"{told.value} {told.value.user_message}" for secret in ("wrong", "cret"))


def test_a_password_is_never_sent_in_plain_text_to_another_machine():
    with pytest.raises(DatabaseUnavailable, match="over TLS only"):
        open_database("trino://analyst:secret@warehouse.invalid:8080/lake/bank", LIMITS)
