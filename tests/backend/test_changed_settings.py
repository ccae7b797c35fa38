"""Settings change while the app runs: by those who may, to values that fit, at once, and without a store not at all."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ai_engine.errors import BadConfiguration, NotPermitted
from ai_engine.semantics.infer.doubts import ColumnAnswer
from backend.configuration.changed_settings import CHANGEABLE, ChangedSettings
from backend.opening import open_assistant
from backend.settings import Settings, read_settings
from backend.sources.sources import Sources
from backend.store import SharedStore, open_store
from backend.uploads.own_data import OwnData
from backend.vocabulary import doubts
from tests.ai_engine.scripted_model import write_bank


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name, value in {
        "DATABASE_URL": write_bank(tmp_path / "core.duckdb"), "UPLOADS_DIR": tmp_path / "uploads",
        "CACHE_DIR": tmp_path / "cache", "STORE_URL": f"sqlite:///{tmp_path}/store.sqlite", "ADMINISTRATORS": "local",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"BANK_{name}", str(value))
    return read_settings()


def test_a_change_counts_for_the_next_question_and_is_given_back_when_emptied(bank):
    with (
        closing(Sources(read_settings, open_assistant)) as sources,
        closing(Sources(read_settings, open_assistant)) as other,
    ):
        before = sources.assistant()
        assert before.limits.max_rows == bank.max_rows
        sources.changes.change(bank, "max_rows", "7", "local")
        sources.changes.change(bank, "fiscal_year_start_month", "1", "local")
        after = sources.assistant()
        assert (after.limits.max_rows, after.vocabulary.model.fiscal_year_start_month) == (7, 1)
        assert other.assistant().limits.max_rows == 7
        listed = {one.name: one for one in sources.changes.listed(bank)}
        assert (listed["max_rows"].value, listed["max_rows"].by, listed["model"].by) == ("7", "local", "")
        sources.changes.change(bank, "max_rows", None, "local")
        assert sources.assistant().limits.max_rows == bank.max_rows


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("max_rows", "0"),
        ("max_rows", "many"),
        ("currency", "rupees"),
        ("fiscal_year_start_month", "13"),
        ("send_rows", "all"),
    ],
)
def test_a_value_that_is_none_of_the_setting_is_refused_with_its_variable(bank, name, text):
    with closing(Sources(read_settings, open_assistant)) as sources:
        with pytest.raises(BadConfiguration, match=f"BANK_{name.upper()}"):
            sources.changes.change(bank, name, text, "local")
        assert sources.settings == bank


def test_nobody_else_changes_anything_and_nobody_a_secret_a_place_or_a_right(bank):
    store = SharedStore(lambda: open_store(bank))
    changes = ChangedSettings(store.get)
    with pytest.raises(NotPermitted):
        changes.change(bank, "max_rows", "7", "ravi")
    for name in ("openai_api_key", "database_url", "verifiers", "administrators", "uploads_dir", "user_header"):
        assert name not in CHANGEABLE
        with pytest.raises(NotPermitted):
            changes.change(bank, name, "x", "local")
    store.close()


def test_a_store_that_is_damaged_changes_nothing(bank, tmp_path):
    (tmp_path / "store.sqlite").write_bytes(b"no store at all, but long enough to be taken for one" * 100)
    with closing(Sources(read_settings, open_assistant)) as sources:
        assert sources.settings == bank
        assert sources.assistant().ask("How many loans?").status == "answered"


def test_at_most_five_questions_are_asked_and_the_answers_are_the_sources_vocabulary(bank):
    raw = b"voucher,amount,value date,entry date,holder name\n10000001,5,2026-01-01,2026-02-01,Asha\n"
    own = OwnData(bank, "local")
    looked = own.look("entries.csv", raw * 1 + b"10000002,6,2026-01-02,2026-02-02,Ravi\n")
    own.build(looked, looked.tables, "2026-11-23")
    with closing(Sources(read_settings, open_assistant)) as sources:
        source, assistant = sources.named("own", "local"), sources.assistant("own", "local")
        asked = doubts.open_doubts(assistant)
        assert 0 < len(asked) <= 5
        kinds = {one.asked for one in asked}
        assert {"code", "unit", "date"} <= kinds
        model = assistant.vocabulary.model
        wanted = [
            ColumnAnswer(one.dataset, one.field, one.asked, one.choices[-1 if one.asked != "unit" else 1])
            for one in asked
        ]
        doubts.answer(assistant, source, wanted, "local")
        sources.close_one("own", "local")
        after = sources.assistant("own", "local")
        assert doubts.open_doubts(after) == ()
        (before,), (dataset,) = model.datasets, after.vocabulary.model.datasets
        assert dataset.field("voucher").role == "identifier"
        assert dataset.field("amount").unit == "INR"
        assert dataset.default_time != before.default_time
        with pytest.raises(NotPermitted):
            doubts.answer(after, sources.named(None, "ravi"), wanted, "ravi")
        sources.forget_answers("own", "local")
        sources.close_one("own", "local")
        assert doubts.open_doubts(sources.assistant("own", "local")) == asked
