"""Several databases side by side: each person's own list, each opened alone, and no more of them than are permitted."""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.errors import AssistantError, BadConfiguration, UnknownSource
from backend.cli import main
from backend.main import create_app
from backend.opening import open_assistant
from backend.settings import read_settings
from backend.sources.opened import OpenSources
from backend.sources.source import name_of
from backend.sources.source_file import read_sources
from backend.sources.sources import Sources
from tests.ai_engine.scripted_model import write_bank

SECRET = "hunter2-of-the-cards"


@pytest.fixture
def two_banks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The environment's bank, one of cards for Asha, one for everybody and one that is not there."""
    write_bank(tmp_path / "core.duckdb")
    with duckdb.connect(tmp_path / "cards.duckdb") as duck:
        duck.execute(
            "CREATE TABLE cards (card_id INTEGER PRIMARY KEY, kind TEXT); INSERT INTO cards VALUES (1, 'gold')"
        )
    write_bank(tmp_path / "copy.duckdb")
    file = tmp_path / "sources.yaml"
    file.write_text(
        f"""
sources:
  - {{name: cards, title: Card system, url: "{tmp_path}/cards.duckdb", people: [asha]}}
  - {{name: copy, url: "{tmp_path}/copy.duckdb", people: ["*"]}}
  - {{name: gone, url: "postgresql://reader:{SECRET}@127.0.0.1:1/cards", people: ["*"]}}
  - {{name: nobodys, url: "{tmp_path}/copy.duckdb"}}
""",
        encoding="utf-8",
    )
    monkeypatch.setenv("BANK_DATABASE_URL", str(tmp_path / "core.duckdb"))
    monkeypatch.setenv("BANK_SOURCES_FILE", str(file))
    monkeypatch.setenv("BANK_USER_HEADER", "X-User")
    monkeypatch.setenv("BANK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("BANK_STORE_URL", f"sqlite:///{tmp_path}/store.sqlite")
    return file


def test_everybody_sees_their_own_list_the_environments_first(two_banks):
    with closing(Sources(read_settings, open_assistant)) as sources:
        assert [one.name for one in sources.of("asha")] == ["core", "cards", "copy", "gone"]
        assert [one.name for one in sources.of("ravi")] == ["core", "copy", "gone"]
        with pytest.raises(UnknownSource):
            sources.named("nobodys", "asha")


def test_a_source_of_another_answers_by_no_door_as_one_that_is_not_there(two_banks, capsys):
    with closing(Sources(read_settings, open_assistant)) as sources:
        app = create_app(sources.assistant, sources=sources, settings=read_settings())
        with TestClient(app, base_url="http://localhost") as client:

            def asked(source: str | None, who: str) -> dict[str, Any]:
                body = {"query": "How many cards?", "source": source}
                return client.post("/ask", json=body, headers={"X-User": who}).json()

            assert asked("cards", "asha")["execution_result"]["data"] == [{"cards": 1}]
            refused = asked("cards", "ravi")
            assert refused["error_kind"] == "UnknownSource"
            assert refused["error"] == asked("zards", "ravi")["error"].replace("zards", "cards")
            listed = client.get("/sources", headers={"X-User": "ravi"}).json()
            assert [one["name"] for one in listed] == ["core", "copy", "gone"]
            for path in ("/verified?source=cards", "/verified?source=gone"):
                assert client.get(path, headers={"X-User": "ravi"}).status_code in {422, 503}
            several = {"question": "How many cards?"}
            reply = client.post("/orchestrate?source=cards", json=several, headers={"X-User": "ravi"})
            assert reply.status_code == 422
    assert main(["ask", "How many cards?", "--source", "cards"]) == 2
    assert "no data source" in capsys.readouterr().err
    assert main(["ask", "How many loans?", "--source", "copy"]) == 0


def test_a_source_that_cannot_be_opened_fails_alone_and_says_no_password(two_banks, caplog):
    with closing(Sources(read_settings, open_assistant)) as sources:
        with pytest.raises(AssistantError) as fault:
            sources.assistant("gone", "ravi")
        assert sources.assistant("copy", "ravi").ask("How many loans?").status == "answered"
        assert sources.assistant(None, "ravi").ask("How many loans?").status == "answered"
        told = f"{fault.value} {fault.value.user_message} {caplog.text} {sources.of('ravi')!r}"
        assert "127.0.0.1:1" in str(fault.value)
        assert SECRET not in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "no list"),
        ("sources: [{name: a}]", "needs one of"),
        ("sources: [{name: A B, url: x.duckdb}]", "name"),
        ("sources: [{name: own, url: x.duckdb}]", "another source named 'own'"),
        ("sources: [{name: first, url: x.duckdb}]", "another source named 'first'"),
        (f"sources: [{{name: a, url: 'postgresql://u:{SECRET}@h/d', colour: red}}]", "colour"),
        ("sources: [", "no YAML"),
    ],
)
def test_a_file_that_is_wrong_says_where_and_quotes_no_address(tmp_path, text, said):
    file = tmp_path / "sources.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadConfiguration) as fault:
        read_sources(file, "first")
    assert said in str(fault.value)
    assert SECRET not in str(fault.value)


def test_an_address_may_stand_in_a_variable_of_the_environment(tmp_path):
    file = tmp_path / "sources.yaml"
    file.write_text("[{name: a, url_variable: A_URL, vocabulary: a.yaml}]", encoding="utf-8")
    (source,) = read_sources(file, "first", {"A_URL": f"postgresql://u:{SECRET}@h/d"})
    assert source.url.endswith("@h/d")
    assert source.vocabulary_file == tmp_path / "a.yaml"
    assert SECRET not in repr(source)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("duckdb:////srv/core.duckdb", "core"),
        ("postgresql://u:p@h:1/Core Bank", "core_bank"),
        ("mcp+https://h", "bank"),
    ],
)
def test_a_database_is_called_by_its_address(url, name):
    assert name_of(url) == name


@dataclass
class Opened:
    outdated: bool = False
    closed: bool = False
    database: Any = field(init=False)

    def __post_init__(self) -> None:
        self.database = self

    def close(self) -> None:
        self.closed = True


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 30)), max_size=40), st.integers(1, 4))
def test_no_more_are_open_than_may_be_and_none_is_closed_that_was_just_asked(asked, most):
    now, made = 0.0, []
    opened = OpenSources(most, 60, lambda: now)
    for key, after_s in asked:
        now += after_s
        got = opened.get(key, lambda: made.append(Opened()) or made[-1])
        assert not got.closed
        assert opened.count == sum(not one.closed for one in made) <= most
    opened.close()
    assert all(one.closed for one in made)


def test_one_that_is_slow_to_open_keeps_no_other_waiting():
    opened, slow = OpenSources(4, 60), threading.Event()
    thread = threading.Thread(target=opened.get, args=("slow", lambda: slow.wait(20) and Opened()))
    thread.start()
    opened.get("quick", Opened)
    slow.set()
    thread.join()
    assert opened.count == 2
