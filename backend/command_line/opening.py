"""From the flags of a command to an opened assistant."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ai_engine.errors import BadConfiguration
from ai_engine.guard.policy import Policy, policy_from_json
from ai_engine.model_use import LOCAL
from backend.command_line.arguments import BUILT_IN
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings, read_settings
from backend.sources.sources import Sources


@contextmanager
def opened_assistant(arguments: argparse.Namespace) -> Iterator[Assistant]:
    """Open what the flags describe, and close it at the end.

    Raises:
        BadConfiguration: a wrong URL, a missing file, a model without key.
        DatabaseUnavailable: the server does not answer.
    """
    policy = read_policy(arguments)
    assistant = open_assistant(settings_of(arguments), source=getattr(arguments, "source", None) or "")
    try:
        at_terminal = assistant.at("command line")
        yield at_terminal if policy is None else replace(at_terminal, policy=policy)
    finally:
        assistant.close()


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Put the flags over the environment."""
    flags = {
        "database_url": "database",
        "vocabulary_file": "vocabulary",
        "as_of": "as_of",
        "query_timeout_s": "timeout_s",
        "model": "model",
        "services_file": "api_docs",
        "services_base_url": "api_base_url",
        "replay_file": "replay",
        "record_file": "record",
    }
    overrides = {
        setting: value for setting, flag in flags.items() if (value := getattr(arguments, flag, None)) is not None
    }
    name = overrides.get("model")
    if name == BUILT_IN:
        del overrides["model"]
        overrides |= {"openai_api_key": None, "openai_base_url": None, "replay_file": None}
    settings = read_settings(**overrides)
    source: str | None = getattr(arguments, "source", None)
    if source is not None:
        if "database_url" in overrides:
            raise BadConfiguration("--database and --source both name the database: give one of them.")
        sources = Sources(lambda: settings, open_assistant)
        settings = sources.settings_of(sources.named(source, LOCAL))
        settings = settings.model_copy(
            update={"vocabulary_file": overrides.get("vocabulary_file", settings.vocabulary_file)}
        )
    reachable = settings.openai_api_key or settings.openai_base_url or settings.replay_file
    if name not in (None, BUILT_IN) and not reachable:
        raise BadConfiguration(f"The model {name!r} needs OPENAI_API_KEY or OPENAI_BASE_URL to be set.")
    return settings


def read_policy(arguments: argparse.Namespace) -> Policy | None:
    """Read the file of --policy, None where there is none."""
    file: Path | None = getattr(arguments, "policy", None)
    return None if file is None else policy_from_json(read_text(file, "policy"))


def read_text(file: Path, kind: str) -> str:
    """Read a file that the command line names.

    Raises:
        BadConfiguration: says which kind of file cannot be read, and why.
    """
    try:
        return file.read_text(encoding="utf-8")
    except OSError as fault:
        raise BadConfiguration(f"The {kind} file {file} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise BadConfiguration(f"The {kind} file {file} is not UTF-8 text: {fault}") from fault
