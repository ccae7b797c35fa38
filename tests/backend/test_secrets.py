"""A password and a key go in by the settings, and come out nowhere: not in a log, an error, an answer or a file."""

from __future__ import annotations

import io
import json
import logging
import socket
import threading
import traceback
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from fastapi.testclient import TestClient

from ai_engine.errors import AssistantError, BadConfiguration, DatabaseUnavailable
from ai_engine.formats import Formats
from ai_engine.llm import client as client_module
from ai_engine.types import Answer
from backend import cli
from backend.answers.conversation_html import conversation_html
from backend.answers.evidence import evidence_pack
from backend.answers.excel import to_excel
from backend.answers.exports import to_csv
from backend.answers.json_values import answer_to_json
from backend.configuration.about import kept_where, shown_address
from backend.configuration.fixed_settings import fixed_settings
from backend.databases import open_database
from backend.main import create_app
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings, read_settings
from backend.store.audit_trail import Wanted
from tests.ai_engine.llm.server import Answer as Reply
from tests.ai_engine.llm.server import fails, says, serving
from tests.backend.databases.servers.small_bank import administer_postgres, own_postgres

KEY = "sk-Vertraulich88/+="
PASSWORD = "Geh@im 77/:?#ß"
QUESTION = "How many branches are there?"
QUOTED = quote(PASSWORD, safe="")
SECRETS = {KEY, quote(KEY, safe=""), PASSWORD, QUOTED, quote_plus(PASSWORD), quote(PASSWORD), PASSWORD.encode().hex()}
PARTS = ("Vertraulich88", "im 77", "im%2077", "im+77")
"""What every spelling of a secret has in it, whatever stands around."""


def assert_no_secret(text: str) -> None:
    assert [secret for secret in (*SECRETS, *PARTS) if secret in text] == []


def all_of(error: BaseException) -> str:
    """Everything that a log or a traceback could show of an error: its causes, and the values it carries."""
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))
    user_message = getattr(error, "user_message", "")
    linked = [one for one in (error.__cause__, error.__context__) if one is not None]
    return shown + user_message + "".join(map(all_of, linked))


@contextmanager
def closed_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    yield port


@contextmanager
def black_hole() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0), backlog=16) as server:
        yield server.getsockname()[1]


@contextmanager
def talks_nonsense() -> Iterator[int]:
    """A server that sends back what it was sent, the way a misdirected port does."""

    def echo() -> None:
        try:
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(b"N" + connection.recv(65_536) + b"\0" * 64)
        except OSError:
            return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=echo, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)


@pytest.fixture(params=[closed_port, black_hole, talks_nonsense], ids=["closed", "silent", "nonsense"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    with request.param() as found:
        yield found


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_database_that_cannot_be_reached_does_not_show_its_password(
    scheme, port, tmp_path, capsys, caplog, monkeypatch
):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("BANK_DATABASE_CONNECT_TIMEOUT_S", "1")
    url = f"{scheme}://analyst:{QUOTED}@127.0.0.1:{port}/bank?application_name=x"
    url = url.partition("?")[0] if scheme == "mysql" else url
    options = {"database_url": url, "cache_dir": tmp_path, "openai_api_key": None, "openai_base_url": None}
    settings = read_settings(**options)
    with pytest.raises(DatabaseUnavailable) as caught:
        open_assistant(settings)
    assert_no_secret(all_of(caught.value))

    with TestClient(create_app(lambda: open_assistant(settings))) as client:
        health, answer = client.get("/health"), client.post("/ask", json={"query": QUESTION})
    assert (health.status_code, answer.status_code) == (503, 503)
    assert_no_secret(health.text + answer.text)

    assert cli.main(["ask", QUESTION, "--database", url, "--json"]) == 1
    output = capsys.readouterr()
    assert_no_secret(output.out + output.err)
    assert_no_secret(caplog.text + repr([vars(record) for record in caplog.records]))
    assert_no_secret(f"{settings!r} {settings}")


@pytest.mark.parametrize(
    "url",
    [
        f"oracle://analyst:{QUOTED}@127.0.0.1/bank",
        f"postgresql://analyst:{QUOTED}@127.0.0.1/",
        f"postgresql://analyst:{QUOTED}@127.0.0.1/bank?nonsense=1",
        f"mysql://analyst:{QUOTED}@127.0.0.1/bank?nonsense=1",
        f"postgresql://analyst:{QUOTED}@127.0.0.1:port/bank",
        f"sqlite://analyst:{QUOTED}@127.0.0.1/bank",
        f"analyst:{QUOTED}@127.0.0.1/bank",
        # written down without quoting: what is not understood must not be repeated either
        f"postgresql://analyst:{PASSWORD}@127.0.0.1/bank",
        f"mysql://analyst:{PASSWORD}@127.0.0.1/bank",
        "postgresql://analyst:x@im 77@127.0.0.1/bank",
    ],
)
def test_an_address_that_is_refused_is_not_repeated_with_its_password(url, caplog, capsys):
    caplog.set_level(logging.DEBUG)
    with pytest.raises(BadConfiguration) as caught:
        open_database(url)
    assert_no_secret(all_of(caught.value) + caplog.text)
    assert cli.main(["sql", "SELECT 1", "--database", url]) == 2
    output = capsys.readouterr()
    assert_no_secret(output.out + output.err)


@pytest.mark.server
def test_what_is_kept_and_taken_away_names_the_place_and_neither_role_nor_password(postgres_url, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    server = postgres_url.partition("@")[2]
    with own_postgres(postgres_url, "secret") as name:
        administer_postgres(postgres_url, "CREATE TABLE branches (branch_id INT PRIMARY KEY, city TEXT)", database=name)
        url = f"postgresql://postgres:{QUOTED}@{server}/{name}"
        settings = read_settings(
            database_url=url, cache_dir=tmp_path / "cache", store_url=f"sqlite:///{tmp_path}/store.sqlite", auditors="*"
        )
        beside = settings.model_copy(update={"store_url": f"{url}?password={QUOTED}"})
        with closing(open_assistant(settings)) as assistant:
            answer = assistant.ask(QUESTION, who="asha")
            assert answer.status == "answered", answer.error
            assert assistant.audit.flush(20)
            pack = zipfile.ZipFile(io.BytesIO(evidence_pack(answer, assistant, "asha", "una")))
            taken = [pack.read(member).decode() for member in pack.namelist()]
            taken += [b"".join(assistant.history.csv("asha", Wanted(), 9)).decode()]
            taken += [b"".join(assistant.history.json_lines("asha", Wanted(), 9)).decode()]
            taken += [conversation_html([answer], assistant.vocabulary, Formats(), assistant.database.place)]
            said = [shown_address(url), *kept_where(beside).values()]
            listed = [one.value for one in fixed_settings(settings, may_see_places=True)]
        place = f"postgresql://{server}/{name}"
        names_it = [False] * len(pack.namelist()) + [True] * 3  # evidence goes out of the house
        assert [place in text for text in taken] == names_it
        assert said[:2] == [place, place.replace("://", "+psycopg://")]
        assert not any("postgres:" in text or "postgres@" in text for text in (*taken, *said))
        stored = "".join(file.read_text("latin-1") for file in tmp_path.rglob("*") if file.is_file())
        assert_no_secret("".join((*taken, *said, *listed, stored, caplog.text)))


@pytest.fixture
def _short_waits(monkeypatch):
    monkeypatch.setattr(client_module, "_FIRST_WAIT_S", 0.01)


def settings_of(bank: Path, base_url: str, cache_dir: Path) -> Settings:
    return read_settings(
        database_url=str(bank), cache_dir=cache_dir, openai_api_key=KEY, openai_base_url=base_url, model_timeout_s=5
    )


def everything_an_answer_becomes(assistant: Assistant, answer: Answer) -> str:
    """The page's, the API's and the files' material, and what an audit could write down of a run."""
    parts = [repr(answer), json.dumps(answer_to_json(answer)), repr(assistant), repr(assistant.services())]
    if answer.result is not None:
        parts += [b"".join(to_csv(answer.result)).decode(), to_excel(answer.result).decode("latin-1")]
    return "".join(parts)


TOTAL = {
    "outcome": "query",
    "restatement": "Branches.",
    "intent": {"measures": [{"aggregate": "count", "dataset": "branches"}]},
}
LEAKY = f'{{"error": "you sent Bearer {KEY}"}}'
REPLIES: dict[str, Callable[[], list[Reply]]] = {
    "refused": lambda: [fails(401, f"wrong key {KEY}")],
    "rejected": lambda: [fails(400, f"bad request with {KEY}")] * 2,
    "overloaded": lambda: [fails(503, f"no place for {KEY}")] * 3,
    "no completion": lambda: [Reply(LEAKY), Reply(LEAKY)],
    "broken body": lambda: [Reply("<html>", headers={"content-type": "text/html"})] * 2,
    "answered": lambda: [says(TOTAL), fails(401, KEY)],
}


@pytest.mark.usefixtures("_short_waits")
@pytest.mark.parametrize("replies", REPLIES.values(), ids=REPLIES.keys())
def test_a_model_that_fails_does_not_show_its_key(replies, small_bank, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    with (
        serving(*replies()) as server,
        closing(open_assistant(settings_of(small_bank, server.base_url, tmp_path))) as assistant,
    ):
        answer = assistant.ask(QUESTION)
        assert_no_secret(everything_an_answer_becomes(assistant, answer))
        assert server.keys[0] == f"Bearer {KEY}"
    assert_no_secret(caplog.text + repr([vars(record) for record in caplog.records]))
    assert_no_secret("".join(path.read_text("latin-1") for path in tmp_path.rglob("*") if path.is_file()))


def test_an_address_of_the_model_may_hold_no_password():
    """The client writes the address of every request into its log."""
    with pytest.raises(BadConfiguration, match="OPENAI_BASE_URL") as caught:
        read_settings(openai_base_url=f"http://proxy:{QUOTED}@127.0.0.1:1/v1")
    assert_no_secret(all_of(caught.value))


def test_every_error_of_the_assistant_keeps_to_its_own_words():
    """What the API says of an error it did not expect is the class's sentence, never the error's text."""

    def broken() -> Assistant:
        raise RuntimeError(f"connection to postgresql://analyst:{PASSWORD}@host failed with key {KEY}")

    with TestClient(create_app(broken)) as client:
        health, answer = client.get("/health"), client.post("/ask", json={"query": QUESTION})
    assert answer.json()["error"] == AssistantError.user_message
    assert_no_secret(health.text + answer.text)
