"""Settings that only the environment changes are listed with their meaning, and nothing secret is among them."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from backend.configuration.changed_settings import CHANGEABLE
from backend.configuration.fixed_settings import fixed_settings
from backend.settings import Settings, read_settings, variable_of

SECRET = "hunter2-of-the-bank"


def test_every_setting_is_either_changed_on_the_page_or_listed():
    listed = {one.variable for one in fixed_settings(read_settings(), may_see_places=True)}
    assert listed == {variable_of(name) for name in Settings.model_fields if name not in CHANGEABLE}
    assert {"OPENAI_API_KEY", "BANK_DATABASE_URL", "BANK_TIE_OUT"} <= listed


def test_no_secret_is_shown_not_even_inside_an_address_to_an_administrator():
    secret = {
        name: SecretStr(SECRET) for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)
    }
    addresses = {
        "database_url": f"postgresql://app:{SECRET}@db/bank",
        "store_url": f"postgresql://app:{SECRET}@db/store",
        "mcp_discovery_url": f"https://registry.bank/tools?token={SECRET}",
        "mcp_discovery_hosts": f"https://app:{SECRET}@registry.bank",
    }
    known = read_settings().model_copy(update={**secret, **addresses})
    listed = {one.variable: one.value for one in fixed_settings(known, may_see_places=True)}
    assert not [variable for variable, value in listed.items() if SECRET in value]
    assert listed["BANK_REDIS_URL"] == listed["BANK_STORE_URL"] == "set, not shown"
    assert listed["BANK_SMTP_HOST"] == ""


def test_folders_servers_and_names_are_for_administrators():
    known = read_settings().model_copy(
        update={"verifiers": "asha,ravi", "schedules_dir": Path("/srv/reports"), "smtp_host": "mail.bank"}
    )
    for_all = {one.variable: one.value for one in fixed_settings(known, may_see_places=False)}
    for_them = {one.variable: one.value for one in fixed_settings(known, may_see_places=True)}
    assert not any(word in str(for_all.values()) for word in ("asha", "/srv", "mail.bank"))
    assert (for_them["BANK_VERIFIERS"], for_them["BANK_SCHEDULES_DIR"]) == ("asha,ravi", "/srv/reports")
    assert for_all["BANK_TIE_OUT"] == "true"
    assert for_all["BANK_STORE_TIMEOUT_S"] == "5"


def test_a_search_finds_by_variable_value_and_meaning():
    known = read_settings()

    def found(search: str) -> list[str]:
        return [one.variable for one in fixed_settings(known, search, may_see_places=True)]

    assert found("bank_tie") == ["BANK_TIE_OUT"]
    assert found("CONTROL characters nowhere") == []
    assert "BANK_TIME_ZONE" in found("utc")
    assert "BANK_SANDBOX_MEMORY_MB" in found("memory sandbox")
