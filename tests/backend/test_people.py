"""Settings that list people: every one of them read alike."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ai_engine.errors import NotPermitted
from backend.configuration.changed_settings import is_administrator
from backend.configuration.people import is_among, people_in
from backend.evaluation.sets import permissions
from backend.opening import open_assistant
from backend.schedules.book import ScheduleBook
from backend.settings import read_settings
from backend.uploads.own_data import OwnData
from tests.ai_engine.scripted_model import write_bank

LISTS = (
    "verifiers", "auditors", "editors", "schedulers", "administrators", "evaluators", "uploaders",
)  # fmt: skip


@pytest.mark.parametrize(
    ("listed", "permitted"),
    [
        (None, set()), ("", set()), (" , ", set()), ("asha,", {"asha"}), (",asha, ravi ,", {"asha", "ravi"}),
        ("*", {"", "*", "asha", "ravi"}),
    ],
)  # fmt: skip
def test_a_list_permits_those_it_names_and_never_who_has_no_name(listed: str | None, permitted: set[str]):
    assert {who for who in ("", "*", "asha", "ravi") if is_among(people_in(listed), who)} == permitted


def test_no_setting_takes_who_has_no_name_for_one_of_its_list(tmp_path: Path):
    settings = read_settings(
        database_url=str(write_bank(tmp_path / "bank.sqlite")), store_url=f"sqlite:///{tmp_path}/store.sqlite",
        cache_dir=tmp_path, uploads_dir=tmp_path, database_workers=1, **dict.fromkeys(LISTS, "asha,"),
    )  # fmt: skip
    with closing(open_assistant(settings)) as assistant:

        def permitted(who: str) -> list[bool]:
            return [
                assistant.verified.permissions.allow(who), assistant.changes.permissions.allow(who),
                assistant.history.sees_all(who), permissions(settings).allow(who), is_administrator(settings, who),
                ScheduleBook(assistant.store.get, settings).may_schedule(who),
            ]  # fmt: skip

        assert all(permitted("asha"))
        assert not any(permitted(""))
    with pytest.raises(NotPermitted):
        OwnData(settings, "")
