from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from ai_engine.errors import CannotKeep, NotPermitted
from ai_engine.semantics.intent import Intent, Measure
from backend.schedules.book import ScheduleBook
from backend.schedules.clock import ScheduleClock
from backend.schedules.delivery import SentFile, put
from backend.settings import Settings
from backend.store import schedules as rows
from backend.store.schedules import Schedule
from tests.backend.test_tile_results import Bank

CUSTOMERS = Intent(measures=(Measure(aggregate="count", dataset="customers"),))
DAILY = "0 7 * * *"


class Post:
    """A mail server that keeps what it is given."""

    def __init__(self) -> None:
        self.kept: list[EmailMessage] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self.kept.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 OK"


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory, kept_at: str) -> Iterator[Bank]:
    opened = Bank(tmp_path_factory.mktemp("clock"), kept_at)
    opened.pin(CUSTOMERS, "Customers / ../../etc")
    yield opened
    opened.sources.close()
    opened.store.close()


@pytest.fixture
def post() -> Iterator[tuple[Post, int]]:
    kept = Post()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Controller(kept, hostname="127.0.0.1", port=port)
    server.start()
    yield kept, port
    server.stop()


def settings_of(bank: Bank, folder: Path | None = None, **more: object) -> Settings:
    return bank.settings.model_copy(update={"schedulers": "asha", "schedules_dir": folder, **more})


def scheduled(bank: Bank, settings: Settings, mail_to: str = "", kind: str = "csv") -> Schedule:
    book = ScheduleBook(bank.store.get, settings)
    for earlier in book.of(bank.board.id, "asha"):
        book.remove(earlier, "asha")
    made = book.add(bank.board.id, "", DAILY, kind, mail_to, "asha")
    book.run_now(made, "asha")
    return made


def now_of(bank: Bank, schedule: Schedule) -> Schedule:
    with bank.store.get().reading() as connection:
        found = rows.by_id(connection, schedule.id)
    assert found is not None
    return found


def clock_of(bank: Bank, settings: Settings) -> ScheduleClock:
    return ScheduleClock(settings, bank.store.get, lambda: bank.results)


def test_of_several_servers_one_runs_what_is_due_once(bank: Bank, tmp_path: Path):
    settings = settings_of(bank, tmp_path)
    schedule = scheduled(bank, settings)
    ran: list[int] = []
    servers = [threading.Thread(target=lambda: ran.append(clock_of(bank, settings).look())) for _ in range(4)]
    for server in servers:
        server.start()
    for server in servers:
        server.join(60)
    assert sorted(ran) == [0, 0, 0, 1]
    done = now_of(bank, schedule)
    assert not done.last_failed, done.last_said
    assert done.next_at > datetime.now(UTC)
    files = list(tmp_path.iterdir())
    assert len(files) == 1
    assert files[0].name.startswith("customers-etc-")
    assert files[0].read_bytes().startswith(b"\xef\xbb\xbf")


def test_nothing_runs_for_an_owner_who_may_schedule_no_more(bank: Bank, tmp_path: Path):
    schedule = scheduled(bank, settings_of(bank, tmp_path))
    assert clock_of(bank, settings_of(bank, tmp_path, schedulers="ravi")).look() == 1
    done = now_of(bank, schedule)
    assert (done.last_failed, list(tmp_path.iterdir())) == (True, [])
    assert done.last_said == "asha may have nothing run by the clock any more."


def test_what_was_missed_while_no_server_ran_is_run_once(bank: Bank, tmp_path: Path):
    settings = settings_of(bank, tmp_path)
    schedule = scheduled(bank, settings)
    with bank.store.get().writing() as connection:
        rows.set_due(connection, schedule.id, datetime.now(UTC) - timedelta(days=9), is_on=True)
    clock = clock_of(bank, settings)
    assert [clock.look(), clock.look()] == [1, 0]


def test_a_server_that_died_amid_a_run_leaves_it_to_the_next_when_its_lease_is_over(bank: Bank, tmp_path: Path):
    settings = settings_of(bank, tmp_path)
    schedule = scheduled(bank, settings)
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    with bank.store.get().writing() as connection:
        rows.set_due(connection, schedule.id, long_ago, is_on=True)
        assert rows.take(connection, schedule.id, "dead", datetime.now(UTC), 600)
    assert clock_of(bank, settings).look() == 0
    with bank.store.get().writing() as connection:
        connection.execute(rows.SCHEDULES.update().values(held_until=long_ago))
    assert clock_of(bank, settings).look() == 1


def test_a_page_is_mailed_with_what_it_says_in_the_text(bank: Bank, post: tuple[Post, int]):
    kept, port = post
    mail = {"smtp_host": "127.0.0.1", "smtp_port": port, "smtp_tls": "none", "smtp_domains": "bank.example"}
    settings = settings_of(bank, smtp_sender="reports@bank.example", **mail)
    schedule = scheduled(bank, settings, "asha@bank.example, vikram@bank.example", "html")
    assert clock_of(bank, settings).look() == 1
    assert not now_of(bank, schedule).last_failed, now_of(bank, schedule).last_said
    (message,) = kept.kept
    assert message["To"] == "asha@bank.example, vikram@bank.example"
    (page,) = message.iter_attachments()
    assert page.get_content_type() == "text/html"
    assert page.get_filename().endswith(".html")
    assert "Customers" in message.get_body().get_content()


@pytest.mark.parametrize(("tls", "said"), [("starttls", "does not offer"), ("tls", "encryption")])
def test_a_failure_is_kept_with_its_reason_and_the_next_run_stays(
    bank: Bank, post: tuple[Post, int], tls: str, said: str
):
    mail = {"smtp_host": "127.0.0.1", "smtp_port": post[1], "smtp_tls": tls, "smtp_domains": "bank.example"}
    settings = settings_of(bank, **mail, smtp_timeout_s=3)
    schedule = scheduled(bank, settings, "asha@bank.example")
    clock_of(bank, settings).look()
    failed = now_of(bank, schedule)
    assert failed.last_failed
    assert said in failed.last_said
    assert failed.next_at > datetime.now(UTC)
    assert post[0].kept == []


def test_mail_goes_to_allowed_domains_alone_and_only_who_may_schedules(bank: Bank):
    settings = settings_of(bank, smtp_host="127.0.0.1", smtp_domains="bank.example")
    book = ScheduleBook(bank.store.get, settings)
    for to in ("x@evil.example", "x@bank.example.evil.example", "x@bank.example\nBcc: y@evil.example", "nobody", ""):
        with pytest.raises(CannotKeep):
            book.add(bank.board.id, "", DAILY, "csv", to, "asha")
    with pytest.raises(NotPermitted):
        book.add(bank.board.id, "", DAILY, "csv", "x@bank.example", "vikram")


def test_the_folder_keeps_the_newest_files_and_none_leaves_it(bank: Bank, tmp_path: Path):
    folder = tmp_path / "out"
    settings = settings_of(bank, folder, schedule_keep_files=2)
    for number in range(4):
        put([SentFile(f"../../up-{number}.csv", "text/csv", b"x")], "0123456789", settings)
    (folder / "other.csv").write_text("kept")
    assert {file.name for file in folder.iterdir()} == {"up-2-01234567.csv", "up-3-01234567.csv", "other.csv"}
    assert {file.name for file in tmp_path.iterdir()} == {"out"}
