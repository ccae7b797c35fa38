"""What is kept about one source is nothing to another, however alike their addresses look."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ai_engine.model_use import begin_asking
from ai_engine.semantics.model import Field, SemanticModel
from ai_engine.semantics.osi import dump_vocabulary
from ai_engine.semantics.vocabulary_edits import Edit
from ai_engine.types import Answer
from backend.catalogue.profile import profile_table
from backend.cli import main
from backend.databases.address import parse_address
from backend.opening import open_assistant
from backend.settings import read_settings
from backend.sources.sources import Sources
from backend.values.collection import collect_values
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank
from tests.backend.databases.servers.small_bank import administer_postgres

BY_SEGMENT = "SELECT COUNT(*) AS people FROM customers WHERE segment = 'Retail'"
TENANTS = "bank_kept_apart"


def closed(model: SemanticModel, dataset: str, field: str) -> SemanticModel:
    def kept(item: Field) -> Field:
        return replace(item, sensitive=True) if item.name == field else item

    return replace(
        model,
        datasets=tuple(
            replace(one, fields=tuple(map(kept, one.fields))) if one.name == dataset else one for one in model.datasets
        ),
    )


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sources]:
    """One file by three names: as the environment has it, `open` for Asha, and `strict`, which keeps segments back."""
    file = write_bank(tmp_path / "core.sqlite")
    (tmp_path / "core.yaml").write_text(dump_vocabulary(closed(MODEL, "customers", "segment")), encoding="utf-8")
    (tmp_path / "open.yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    (tmp_path / "strict.yaml").write_text(dump_vocabulary(closed(MODEL, "customers", "segment")), encoding="utf-8")
    listed = tmp_path / "sources.yaml"
    listed.write_text(
        f"""
sources:
  - {{name: open, url: "{file}", people: [asha], vocabulary: open.yaml}}
  - {{name: strict, url: "{file}", people: ["*"], vocabulary: strict.yaml}}
""",
        encoding="utf-8",
    )
    for name, value in {
        "DATABASE_URL": file, "SOURCES_FILE": listed, "USER_HEADER": "X-User", "CACHE_DIR": tmp_path / "cache",
        "STORE_URL": f"sqlite:///{tmp_path}/store.sqlite", "VERIFIERS": "asha", "EDITORS": "asha",
        "VOCABULARY_CHECK_S": "0", "DATABASE_WORKERS": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"BANK_{name}", str(value))
    with closing(Sources(read_settings, open_assistant)) as opened:
        yield opened


def test_each_source_of_one_database_is_told_by_its_own_vocabulary(sources: Sources):
    restricted = {
        name: "segment" in sources.assistant(name, "asha").policy.restricted_columns["customers"]
        for name in ("core", "open", "strict")
    }
    assert restricted == {"core": True, "open": False, "strict": True}


def test_what_is_verified_published_said_and_asked_in_vain_on_one_source_stays_there(sources: Sources):
    opened = sources.assistant("open", "asha")
    opened.verified.verify(Answer("How many Retail people?", "answered", "", sql=BY_SEGMENT), "asha")
    edit = Edit("column", "customers.segment", "description", MODEL.dataset("customers").field("segment").description,
                "Ravi is Retail")  # fmt: skip
    opened.changes.publish(opened.changes.propose([edit], "", "asha").id, "asha")
    for who in ("asha", "meena"):
        begin_asking(who)
        opened.unknown_words.count(Answer("q", "refused", "", unplaced=("punters",)))
    opened.feedback.say(Answer("q", "answered", "", sql=BY_SEGMENT), "wrong", "Retail people", "asha")
    assert opened.verified.listed()
    assert opened.unknown_words.most_asked() == [("punters", 2)]
    for name in ("core", "strict"):
        other = sources.assistant(name, "ravi")
        assert other.verified.listed() == []
        assert other.changes.versions() == []
        assert other.unknown_words.most_asked() == []
        assert other.feedback.listed("asha") == []
        assert "Ravi" not in dump_vocabulary(other.vocabulary.model)


def test_a_source_is_the_same_on_the_page_and_at_the_terminal(sources: Sources, capsys):
    edit = Edit("column", "customers.segment", "sensitive", False, True)
    book = sources.assistant("open", "asha").changes
    book.publish(book.propose([edit], "", "asha").id, "asha")
    assert main(["sql", BY_SEGMENT, "--source", "strict"]) != 0
    assert "segment" in capsys.readouterr().err
    with (
        closing(open_assistant(read_settings(), source="core")) as named,
        closing(open_assistant(read_settings())) as a,
    ):
        assert (
            named.kept_as == a.kept_as == sources.assistant(None, "ravi").kept_as == sources.named("core", "").kept_as
        )
    assert len({one.kept_as for one in sources.of("asha")}) == 3


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("postgresql://r@h/b?options=-capp.tenant%3Da", "postgresql://r@h/b?options=-capp.tenant%3Db", False),
        ("postgresql://r@h/b", "postgresql://r@h/b?options=-capp.tenant%3Db", False),
        ("postgresql://r@h/b", "postgresql://s@h/b", False),
        ("postgresql://r:old@h/b", "postgresql://r:new@h/b", True),
        ("mysql://r@h/b", "mysql://r@h/b?unix_socket=/run/other", False),
        ("mcp+https://:one@h/mcp", "mcp+https://:two@h/mcp", False),
        ("mcp+https://h/mcp?tenant=a", "mcp+https://h/mcp?tenant=b", False),
    ],
)
def test_addresses_are_another_by_what_they_do_not_show(one: str, other: str, same: bool):
    told = {parse_address(url).identity for url in (one, other)}
    assert (len(told) == 1) is same
    assert not any(secret in f"{told}" for secret in ("tenant", "one", "two", "old", "new"))


@pytest.fixture
def tenants(postgres_url: str) -> Iterator[str]:
    """The address of a bank in which one role sees other rows under each tenant; it lacks the tenant's name."""
    administer_postgres(postgres_url, f"DROP DATABASE IF EXISTS {TENANTS}", f"CREATE DATABASE {TENANTS}")
    administer_postgres(
        postgres_url,
        f"""
        CREATE TABLE clients (client_id int PRIMARY KEY, tenant text, client_name text, joined date);
        INSERT INTO clients SELECT 100 * n + i, chr(96 + n), 'Private ' || chr(96 + n) || ' ' || i,
            date '2010-01-01' + 3650 * n + i FROM generate_series(1, 2) n, generate_series(1, 9) i;
        ALTER TABLE clients ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON clients USING (tenant = current_setting('app.tenant', true));
        DROP ROLE IF EXISTS {TENANTS};
        CREATE ROLE {TENANTS} LOGIN;
        GRANT SELECT ON clients TO {TENANTS};
        """,
        database=TENANTS,
    )
    yield f"{postgres_url.replace('postgres@', f'{TENANTS}@')}/{TENANTS}?options=-capp.tenant%3D"
    administer_postgres(postgres_url, f"DROP DATABASE {TENANTS} WITH (FORCE)", f"DROP ROLE {TENANTS}")


def test_nothing_learnt_or_verified_of_one_tenant_reaches_another_on_one_server(tenants: str, tmp_path: Path):
    for tenant in "ab":
        settings = read_settings(
            database_url=tenants + tenant, store_url=f"sqlite:///{tmp_path}/store.sqlite", cache_dir=tmp_path / "cache",
            verifiers="*",
        )  # fmt: skip
        with closing(open_assistant(settings)) as assistant:
            model, database = assistant.vocabulary.model, assistant.database
            learnt = collect_values(database, model, cache_dir=settings.cache_dir)
            profile = profile_table(assistant, model.dataset("clients"), threading.Event())
            told = f"{learnt} {assistant.vocabulary.spans} {profile}"
            assert f"Private {tenant} 1" in told
            assert f"Private {'ba'['ab'.index(tenant)]}" not in told
            assert ("2020" in told, "2030" in told or "2029" in told) == (tenant == "a", tenant == "b")
            assert assistant.verified.listed() == []
            assistant.verified.verify(assistant.ask("How many clients?"), "asha")
