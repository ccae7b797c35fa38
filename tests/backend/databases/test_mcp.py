"""A database behind a real MCP server answers as the database itself does."""

from __future__ import annotations

import threading
import time
from datetime import date, datetime
from decimal import Decimal

import pytest

from ai_engine.errors import BadConfiguration, QueryFailed, QueryStopped, QueryTimedOut
from backend.databases import DatabaseLimits, excess_rights, open_database
from backend.databases.address import parse_address
from tests.backend.databases.conftest import write_bank
from tests.backend.databases.resources import count_resources
from tests.backend.databases.statements import ENDLESS
from tests.mcp_database import serving_database
from tests.patience import allowed_s

SOON_S = 1.0


@pytest.fixture(scope="module", params=["duckdb", "sqlite"])
def near(request, tmp_path_factory):
    """The bank itself, with one worker: it is free again only when its statement has ended."""
    file = write_bank(tmp_path_factory.mktemp(request.param), request.param)
    with open_database(str(file), DatabaseLimits(workers=1)) as opened:
        yield opened


@pytest.fixture(scope="module")
def far(near):
    with serving_database(near) as url:
        open_database(f"mcp+{url}").close()
        before = count_resources()
        with open_database(f"mcp+{url}", DatabaseLimits(connections=2)) as opened:
            yield opened
        assert count_resources().children == before.children


def run(database, sql, *, max_rows=100, timeout_s=20.0, stop=None):
    return database.runner.run(sql, max_rows=max_rows, timeout_s=timeout_s, stop=stop or threading.Event())


def test_tables_values_and_faults_are_those_of_the_database_itself(near, far):
    assert far.catalogue == near.catalogue
    assert far.dialect == near.dialect
    sql = "SELECT account_id, balance, opened, seen, active, note FROM accounts ORDER BY 1"
    told, own = run(far, sql), run(near, sql)
    assert (told.columns, told.types, told.rows) == (own.columns, own.types, own.rows)
    assert told.rows[0] == (
        1,
        Decimal("1200.50"),
        date(2024, 1, 31),
        datetime.fromisoformat("2024-02-01 10:30"),
        True,
        "",
    )
    assert {str(row[1]) for row in told.rows} == {"1200.50", "0.10", "-7.25"}
    assert run(far, "SELECT city, city FROM branches LIMIT 1").columns == ("city", "city_2")
    assert run(far, "SELECT city FROM branches WHERE branch_id > 9").rows == ()
    with pytest.raises(QueryFailed, match="unknown column: balanse"):
        run(far, "SELECT balanse FROM accounts")
    assert run(far, "SELECT '5% at :noon %s ?' AS note").rows == (("5% at :noon %s ?",),)
    assert excess_rights(far) == ()


def test_more_rows_than_asked_are_told_whoever_left_them_out(near):
    with (
        serving_database(near, max_rows=2) as url,
        open_database(f"mcp+{url}", DatabaseLimits(connections=1)) as far,
    ):
        ours = run(far, "SELECT account_id FROM accounts LIMIT 2", max_rows=1)
        theirs = run(far, "SELECT account_id FROM accounts")
    assert (ours.row_count, ours.truncated) == (1, True)
    assert (theirs.row_count, theirs.truncated) == (2, True)


def test_a_stop_ends_the_statement_behind_the_server_within_a_second(near, far):
    run(far, "SELECT 1")
    stop = threading.Event()
    stopped = []

    def set_stop():
        stopped.append(time.monotonic())
        stop.set()

    threading.Timer(0.5, set_stop).start()
    with pytest.raises(QueryStopped):
        run(far, ENDLESS[far.dialect], stop=stop)
    assert time.monotonic() - stopped[0] < allowed_s(SOON_S)
    assert run(near, "SELECT 1", timeout_s=stopped[0] + allowed_s(SOON_S) - time.monotonic()).rows == ((1,),)
    assert run(far, "SELECT 1").rows == ((1,),)
    assert far.load.replaced == 0


def test_the_deadline_ends_the_statement_behind_the_server(near, far):
    run(far, "SELECT 1")
    with pytest.raises(QueryTimedOut):
        run(far, ENDLESS[far.dialect], timeout_s=0.5)
    assert run(near, "SELECT 1", timeout_s=allowed_s(SOON_S)).rows == ((1,),)


def test_a_token_goes_where_it_belongs_and_is_never_shown():
    address = parse_address("mcp+https://:se%40cret@bank.example:8443/mcp?key=other#part")
    assert (address.url, address.token) == ("https://bank.example:8443/mcp?key=other", "se@cret")
    assert address.shown == "mcp+https://:***@bank.example:8443/mcp"
    assert "cret" not in repr(address)
    assert "other" not in repr(address)


@pytest.mark.parametrize("url", ["mcp+http://", "mcp+https://user:x@host/mcp", "mcp+http://host:x/mcp", "mcp+ftp://h"])
def test_an_address_that_is_none_is_told_without_what_it_holds(url):
    with pytest.raises(BadConfiguration) as told:
        parse_address(url)
    assert "user" not in str(told.value) or "USER" in str(told.value)
