"""The file that names further data sources: YAML, a list of entries with a name, a URL and who may ask."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ai_engine.errors import BadConfiguration
from backend.sources.source import OWN, Source

_NAME = r"^[a-z0-9][a-z0-9_-]{0,39}$"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    name: Annotated[str, Field(pattern=_NAME)]
    title: Annotated[str, Field(max_length=80)] = ""
    url: str = ""
    url_variable: str = ""
    """The environment variable that has the URL, so that no password stands in the file."""
    vocabulary: Path | None = None
    people: list[str] = []


def read_sources(file: Path, taken: str, environment: Mapping[str, str] = os.environ) -> tuple[Source, ...]:
    """Read the file of `BANK_SOURCES_FILE`; relative paths in it are beside it.

    Args:
        taken: name of the first source, which none of these may have.
        environment: where `url_variable` is looked up; a variable that is not there fails that source alone.

    Raises:
        BadConfiguration: the file cannot be read, an entry is wrong, or a name stands twice; no URL is quoted.
    """
    entries = [_entry(place, told) for place, told in enumerate(_list_in(file), 1)]
    names = [taken, OWN, *(one.name for one in entries)]
    for one in entries:
        if names.count(one.name) > 1:
            raise BadConfiguration(f"BANK_SOURCES_FILE: there is another source named {one.name!r}; rename one.")
    return tuple(_source(one, file, environment) for one in entries)


def _list_in(file: Path) -> Sequence[object]:
    try:
        told = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise BadConfiguration(f"BANK_SOURCES_FILE: {file} cannot be read: {fault.strerror}") from fault
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        raise BadConfiguration(f"BANK_SOURCES_FILE: {file} is no YAML that can be read") from None
    listed = told.get("sources") if isinstance(told, Mapping) else told
    if not isinstance(listed, list):
        raise BadConfiguration(f"BANK_SOURCES_FILE: {file} has no list of `sources`")
    return listed


def _entry(place: int, told: object) -> _Entry:
    try:
        entry = _Entry.model_validate(told)
    except ValidationError as faults:
        first = faults.errors()[0]
        where = ".".join(map(str, first["loc"])) or "entry"
        raise BadConfiguration(f"BANK_SOURCES_FILE: source {place}: {where}: {first['msg']}") from None
    if bool(entry.url) == bool(entry.url_variable):
        raise BadConfiguration(f"BANK_SOURCES_FILE: source {entry.name!r} needs one of `url` and `url_variable`")
    return entry


def _source(entry: _Entry, file: Path, environment: Mapping[str, str]) -> Source:
    url = entry.url or environment.get(entry.url_variable, "")
    vocabulary = file.parent / entry.vocabulary if entry.vocabulary is not None else None
    return Source(entry.name, entry.title or entry.name, url, vocabulary, frozenset(entry.people) - {""})
