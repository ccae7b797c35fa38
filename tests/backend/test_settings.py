from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from pydantic import ValidationError

from ai_engine.errors import BadConfiguration
from ai_engine.types import Limits
from backend.settings import SAMPLE_BANK_FILE, Settings, read_settings

WRONG = [
    ("BANK_MAX_ROWS", "many"),
    ("BANK_MAX_ROWS", "0"),
    ("BANK_MAX_RETRIES", "-1"),
    ("BANK_MAX_RETRIES", "11"),
    ("BANK_QUERY_TIMEOUT_S", "0"),
    ("BANK_MODEL_TIMEOUT_S", "-1"),
    ("BANK_AS_OF", "yesterday"),
    ("BANK_ALLOW_UNION", "perhaps"),
    ("BANK_DATABASE_MEMORY_MB", "1"),
    ("BANK_DATABASE_WORKERS", "0"),
    ("BANK_MAX_QUESTION_CHARS", "0"),
]


def test_without_any_variable_the_sample_bank_is_asked_with_the_built_in_model():
    settings = read_settings()
    assert settings.database_url == f"duckdb:///{SAMPLE_BANK_FILE}"
    assert settings.openai_api_key is None
    assert settings.openai_base_url is None
    assert settings.as_of is None
    assert settings.vocabulary_file is None


def test_the_defaults_are_those_of_the_engine():
    settings, limits = read_settings(), Limits()
    assert (settings.query_timeout_s, settings.max_rows, settings.default_limit_rows) == (
        limits.timeout_s,
        limits.max_rows,
        limits.default_limit_rows,
    )
    assert (settings.max_retries, settings.max_question_chars) == (limits.max_retries, limits.max_question_chars)


def test_variables_of_the_environment_are_read_with_their_types(monkeypatch):
    for name, value in {
        "BANK_DATABASE_URL": "bank.sqlite",
        "BANK_AS_OF": "2026-11-21",
        "BANK_VOCABULARY_FILE": "bank.yaml",
        "BANK_MAX_ROWS": "7",
        "BANK_ALLOW_UNION": "true",
        "BANK_QUERY_TIMEOUT_S": "2.5",
        "OPENAI_BASE_URL": "http://localhost/v1",
    }.items():
        monkeypatch.setenv(name, value)
    settings = read_settings()
    assert (settings.database_url, settings.as_of) == ("bank.sqlite", date(2026, 11, 21))
    assert settings.vocabulary_file == Path("bank.yaml")
    assert (settings.max_rows, settings.allow_union, settings.query_timeout_s) == (7, True, 2.5)
    assert settings.openai_base_url == "http://localhost/v1"


def test_what_is_given_in_the_call_wins(monkeypatch):
    monkeypatch.setenv("BANK_MAX_ROWS", "7")
    assert read_settings(max_rows=9).max_rows == 9
    assert read_settings().max_rows == 7


def test_an_empty_variable_is_as_good_as_none(monkeypatch):
    monkeypatch.setenv("BANK_AS_OF", "")
    monkeypatch.setenv("OPENAI_API_KEY", "")
    settings = read_settings()
    assert (settings.as_of, settings.openai_api_key) == (None, None)


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_refused_with_the_name_of_its_variable(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(BadConfiguration, match=rf"\b{name}\b") as caught:
        read_settings()
    assert caught.value.user_message == str(caught.value)


def test_every_variable_at_fault_is_named(monkeypatch):
    monkeypatch.setenv("BANK_MAX_ROWS", "many")
    monkeypatch.setenv("BANK_AS_OF", "yesterday")
    with pytest.raises(BadConfiguration) as caught:
        read_settings()
    assert "BANK_MAX_ROWS" in str(caught.value)
    assert "BANK_AS_OF" in str(caught.value)


def test_the_key_appears_in_no_text(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-bank")
    settings = read_settings()
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-secret-of-the-bank"
    assert "sk-secret" not in f"{settings!r} {settings}"


def test_a_wrong_value_is_not_repeated_in_the_message(monkeypatch):
    monkeypatch.setenv("BANK_MAX_ROWS", "sk-secret")
    with pytest.raises(BadConfiguration) as caught:
        read_settings()
    assert "sk-secret" not in str(caught.value)


def test_settings_do_not_change_after_they_were_read():
    with pytest.raises(ValidationError):
        read_settings().max_rows = 5  # type: ignore[misc]


def test_every_setting_says_what_it_is_for():
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_a_database_behind_an_mcp_server_is_the_database(monkeypatch):
    monkeypatch.setenv("BANK_MCP_DATABASE_URL", "https://:secret@bank.example/mcp")
    settings = read_settings()
    assert settings.database_url == "mcp+https://:secret@bank.example/mcp"
    assert "secret" not in f"{settings!r} {settings}"
    assert read_settings(database_url="bank.sqlite").database_url == "bank.sqlite"


def test_two_names_for_the_database_are_one_too_many(monkeypatch):
    monkeypatch.setenv("BANK_MCP_DATABASE_URL", "https://:secret@bank.example/mcp")
    monkeypatch.setenv("BANK_DATABASE_URL", "bank.sqlite")
    with pytest.raises(BadConfiguration, match="unset one") as caught:
        read_settings()
    assert "secret" not in str(caught.value)


def test_an_mcp_server_is_reached_over_http_alone(monkeypatch):
    monkeypatch.setenv("BANK_MCP_DATABASE_URL", "ftp://:secret@bank.example/mcp")
    with pytest.raises(BadConfiguration, match="BANK_MCP_DATABASE_URL: must begin") as caught:
        read_settings()
    assert "secret" not in str(caught.value)
