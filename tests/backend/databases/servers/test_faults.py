"""Servers that go away, fall silent or have no place left."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time

import psycopg
import pymysql
import pytest

from ai_engine.errors import DatabaseUnavailable, QueryTimedOut
from backend.databases import DatabaseLimits, open_database
from tests.backend.databases.resources import child_processes
from tests.backend.databases.servers.small_bank import NAME, administer_mariadb, administer_postgres, run
from tests.backend.databases.statements import ENDLESS
from tests.patience import allowed_s

pytestmark = pytest.mark.server
SOON_S = 3.0  # a second is promised; the machine may be busy


def test_a_connection_that_was_cut_while_idle_is_opened_again(bank, postgres_url):
    run(bank, "SELECT 1")
    time.sleep(0.2)
    cut_connections(bank, postgres_url)
    assert run(bank, "SELECT count(*) FROM accounts").rows == ((2,),)


def test_a_connection_cut_during_a_query_is_a_clear_failure(bank, postgres_url):
    cutter = threading.Timer(0.5, cut_connections, (bank, postgres_url))
    run(bank, "SELECT 1")
    cutter.start()
    with pytest.raises(DatabaseUnavailable, match="lost"):
        run(bank, ENDLESS[bank.dialect])
    cutter.join()
    assert run(bank, "SELECT 1").rows == ((1,),)


def cut_connections(bank, postgres_url):
    if bank.dialect == "postgres":
        administer_postgres(
            postgres_url, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{NAME}'"
        )
        return
    for (number,) in administer_mariadb(f"SELECT id FROM information_schema.processlist WHERE db = '{NAME}'"):
        administer_mariadb(f"KILL {number}")


def test_tables_that_take_too_long_to_be_read_leave_the_server_unavailable(postgres_bank):
    with pytest.raises(DatabaseUnavailable, match="statement timeout"):
        open_database(postgres_bank, DatabaseLimits(catalogue_timeout_s=0.001))


class Valve:
    """Passes bytes between the client and a server until it is shut: then it goes on listening and passes nothing."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.open = True
        self._closing = False
        self._thread = threading.Thread(target=self._pass_on)
        self._thread.start()

    def _pass_on(self) -> None:
        partner: dict[socket.socket, socket.socket] = {}
        while not self._closing:
            for ready in select.select([self._listener, *(partner if self.open else ())], [], [], 0.02)[0]:
                if ready is self._listener:
                    client = self._listener.accept()[0]
                    server = socket.create_connection(("127.0.0.1", self._server_port))
                    partner |= {client: server, server: client}
                elif ready in partner:
                    self._move(ready, partner)
        for end in partner:
            end.close()

    @staticmethod
    def _move(ready: socket.socket, partner: dict[socket.socket, socket.socket]) -> None:
        other = partner[ready]
        with contextlib.suppress(OSError):
            piece = ready.recv(65_536)
            if piece:
                other.sendall(piece)
                return
        for end in (ready, other):
            del partner[end]
            end.close()

    def close(self) -> None:
        self._closing = True
        self._thread.join()
        self._listener.close()


@pytest.mark.parametrize("server", ["postgres", "mariadb"])
def test_a_network_that_falls_silent_during_a_query_ends_at_the_deadline(others, server, request):
    url = request.getfixturevalue(f"{server}_bank")
    port = {"postgres": 5432, "mariadb": 3306}[server]
    with contextlib.closing(Valve(port)) as valve:
        with open_database(url.replace(f":{port}", f":{valve.port}"), DatabaseLimits(connect_timeout_s=2)) as database:
            run(database, "SELECT 1")
            valve.open = False
            began = time.monotonic()
            with pytest.raises(QueryTimedOut):
                run(database, "SELECT count(*) FROM accounts", timeout_s=0.5)
            with pytest.raises((DatabaseUnavailable, QueryTimedOut)):
                run(database, "SELECT count(*) FROM accounts", timeout_s=3)
            assert time.monotonic() - began < 0.5 + 3 + 2 * allowed_s(SOON_S)
            valve.open = True
            assert run(database, "SELECT count(*) FROM accounts").rows == ((2,),)
        assert not child_processes() - others


@pytest.fixture
def one_connection_role(bank, bank_url, postgres_url):
    """A role that the server lets in once at a time: its URL, and a way to take that one place."""
    if bank.dialect == "postgres":
        statements = [
            f"CREATE ROLE {NAME} LOGIN PASSWORD 'x' CONNECTION LIMIT 1",
            f"GRANT SELECT ON branches TO {NAME}",
        ]
        administer_postgres(postgres_url, *statements, database=NAME)
        url = bank_url.replace("postgres@", f"{NAME}:x@")
        yield url, lambda: psycopg.connect(url.replace("+psycopg", ""))
        administer_postgres(postgres_url, f"DROP OWNED BY {NAME}", f"DROP ROLE {NAME}", database=NAME)
    else:
        user = f"{NAME}@'127.0.0.1'"
        administer_mariadb(
            f"CREATE USER {user} IDENTIFIED BY 'x' WITH MAX_USER_CONNECTIONS 1", f"GRANT SELECT ON {NAME}.* TO {user}"
        )
        yield (
            bank_url.replace("root@", f"{NAME}:x@"),
            lambda: pymysql.connect(host="127.0.0.1", user=NAME, password="x", database=NAME),
        )
        administer_mariadb(f"DROP USER {user}")


def soon(action):
    """Try again for a while: a server notices a little later that a connection was closed."""
    deadline = time.monotonic() + 10
    while True:
        try:
            return action()
        except (DatabaseUnavailable, psycopg.OperationalError, pymysql.OperationalError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def test_a_server_without_a_free_connection_is_unavailable_until_it_has_one(one_connection_role):
    url, take_the_place = one_connection_role
    with open_database(url) as database:
        with contextlib.closing(soon(take_the_place)), pytest.raises(DatabaseUnavailable, match="connect"):
            run(database, "SELECT 1")
        assert soon(lambda: run(database, "SELECT count(*) FROM branches")).rows == ((2,),)
