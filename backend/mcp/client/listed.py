"""Which servers a person enabled: a file of theirs, in YAML or JSON."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError, field_validator

from ai_engine.errors import ApiCallRefused, BadConfiguration
from backend.outgoing.http_calls import origin_of

_MAX_FILE_BYTES = 256 * 1024
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
_OWN_HEADERS = {"host", "content-length", "content-type", "accept", "accept-encoding", "connection", "mcp-session-id"}

ServerId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
"""Without a dot, so that `server.tool` has one reading."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    id: ServerId
    enabled: bool = True


class HttpServer(_Entry):
    """A server at an address.

    Attributes:
        headers: header to the name of the environment variable that holds it.
        private: the host's name may lead into a private network; an address that is written out always may.
    """

    transport: Literal["http"]
    url: str
    headers: dict[str, str] = Field(default_factory=dict)
    private: bool = False

    @field_validator("url")
    @classmethod
    def _plain(cls, url: str) -> str:
        try:
            origin_of(url)
        except ApiCallRefused as refusal:
            raise ValueError(str(refusal)) from None
        return url

    @field_validator("headers")
    @classmethod
    def _free(cls, headers: dict[str, str]) -> dict[str, str]:
        for name in headers:
            if not _HEADER.fullmatch(name) or name.lower() in _OWN_HEADERS:
                raise ValueError(f"the header {name[:64]!r} cannot be set")
        return headers

    def given(self) -> dict[str, str]:
        """Read the headers, anew for each session.

        Raises:
            BadConfiguration: a variable is not set.
        """
        return {header: _variable(name, self.id) for header, name in self.headers.items()}


class StdioServer(_Entry):
    """A program of this machine.

    Attributes:
        env: names of the environment variables that are handed on; no others are, but PATH.
    """

    transport: Literal["stdio"]
    command: str = Field(min_length=1)
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    cwd: Path | None = None

    def given(self) -> dict[str, str]:
        """Read the environment that the program gets.

        Raises:
            BadConfiguration: a variable is not set.
        """
        path = os.environ.get("PATH", os.defpath)
        return {"PATH": path} | {name: _variable(name, self.id) for name in self.env}


ServerEntry = HttpServer | StdioServer
_ENTRIES: TypeAdapter[list[Annotated[ServerEntry, Field(discriminator="transport")]]] = TypeAdapter(
    list[Annotated[ServerEntry, Field(discriminator="transport")]]
)


def read_servers(path: Path) -> tuple[ServerEntry, ...]:
    """Read the enabled servers of a file: a list, or an object with the list under `servers`.

    Raises:
        BadConfiguration: it cannot be read, an entry is wrong, a variable is not set, or two have one id; names
            place and rule, no value.
    """
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise BadConfiguration(f"BANK_MCP_SERVERS: {path} is larger than {_MAX_FILE_BYTES // 1024} KB")
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as fault:
        raise BadConfiguration(f"BANK_MCP_SERVERS: {path} cannot be read: {type(fault).__name__}") from fault
    except (yaml.YAMLError, RecursionError):
        raise BadConfiguration(f"BANK_MCP_SERVERS: {path} is no YAML") from None
    if isinstance(told, dict) and set(told) == {"servers"}:
        told = told["servers"]
    try:
        entries = _ENTRIES.validate_python(told)
    except ValidationError as faults:
        first = faults.errors(include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadConfiguration(f"BANK_MCP_SERVERS: {path}: {place}: {first['msg']}") from None
    for entry in entries:
        if entry.enabled:
            entry.given()
    ids = [entry.id for entry in entries]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    if twice is not None:
        raise BadConfiguration(f"BANK_MCP_SERVERS: {path}: two servers are named {twice}")
    return tuple(entry for entry in entries if entry.enabled)


def _variable(name: str, server_id: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise BadConfiguration(f"The MCP server {server_id} needs the environment variable {name}, which is not set")
    return value
