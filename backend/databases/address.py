"""Reads a database URL or a file's path, and says what is wrong with it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from ai_engine.errors import BadConfiguration
from backend.databases.server_kinds import SERVER_FORMS, SERVER_KINDS, SERVER_SCHEMES, ServerDialect

FileDialect: TypeAlias = Literal["sqlite", "duckdb"]

_FILE_SCHEMES: dict[str, FileDialect] = {"sqlite": "sqlite", "duckdb": "duckdb"}
_SUFFIXES = (".duckdb", ".db", ".sqlite", ".sqlite3")
_PERSON = re.compile(r"^([\w+]+://)[^/@]*@")
_FORMS = f"sqlite:///FILE, duckdb:///FILE, {SERVER_FORMS}, mcp+https://HOST/PATH"


@dataclass(frozen=True, slots=True)
class FileAddress:
    """A database in one file; `path` is absolute."""

    dialect: FileDialect
    path: Path

    @property
    def shown(self) -> str:
        """URL for people."""
        return f"{self.dialect}:///{self.path}"

    @property
    def identity(self) -> str:
        """What tells this database from every other."""
        return self.shown


@dataclass(frozen=True, slots=True, repr=False)
class ServerAddress:
    """A database on a server; has no repr, so that the password stays out of logs.

    Attributes:
        host: where it is; on Snowflake the account, on BigQuery the project.
        database: a catalogue where a schema follows, the service on Oracle, the data set on BigQuery.
        options: what stood behind the `?`.
        schema: the default one, "" where the address names none.
    """

    dialect: ServerDialect
    host: str
    port: int
    user: str
    password: str
    database: str
    options: tuple[tuple[str, str], ...] = ()
    schema: str = ""

    @property
    def shown(self) -> str:
        """URL for people, its password masked and its options left out."""
        secret = ":***" if self.password else ""
        person = f"{quote(self.user)}{secret}@" if self.user else ""
        place = f"{self.host}:{self.port}" if self.port else self.host
        names = "/".join(quote(name, safe="" if self.schema else "/") for name in (self.database, self.schema) if name)
        return f"{SERVER_KINDS[self.dialect].scheme}://{person}{place}/{names}"

    @property
    def identity(self) -> str:
        """What tells it from every other, as this role sees it under these options; whatever the password is."""
        return _told_apart(self.shown, *self.options)


@dataclass(frozen=True, slots=True, repr=False)
class McpAddress:
    """A database behind an MCP server; has no repr, so that token and query stay out of logs.

    Attributes:
        url: without the token; its query may hold a key.
        token: for `Authorization: Bearer`, empty for none.
    """

    url: str
    token: str = ""

    @property
    def shown(self) -> str:
        """URL for people, without token and query."""
        parts = urlsplit(self.url)
        return f"mcp+{parts.scheme}://{':***@' if self.token else ''}{parts.netloc}{parts.path}"

    @property
    def identity(self) -> str:
        """What tells it from every other, as shown to whoever has this token and query."""
        query = urlsplit(self.url).query
        return _told_apart(self.shown, *((self.token, query) if self.token or query else ()))


def parse_address(url: str) -> FileAddress | ServerAddress | McpAddress:
    """Read a SQLAlchemy URL, or the path of a `.duckdb`, `.db`, `.sqlite` or `.sqlite3` file.

    Raises:
        BadConfiguration: not a URL, an engine that is not supported, or a file that is missing or of another kind.
    """
    given = url.strip()
    if "://" not in given:
        if Path(given).suffix.lower() not in _SUFFIXES:
            raise BadConfiguration(
                f"the database address is not one of: {_FORMS}, or the path of a {_SUFFIXES[0]} file"
            )
        return _file(Path(given), None)
    scheme, _, place = given.partition("://")
    if scheme.lower() in ("mcp+http", "mcp+https"):
        return _mcp(given[len("mcp+") :])
    kind = scheme.partition("+")[0].lower()
    if kind in SERVER_SCHEMES:
        return _server(given, SERVER_SCHEMES[kind])
    if kind not in _FILE_SCHEMES:
        raise BadConfiguration(f"databases of kind {scheme!r} are not supported; use one of: {_FORMS}")
    if not place.startswith("/") or "?" in place:
        raise BadConfiguration(f"a {kind} address is {kind}:///FILE, without host and options")
    return _file(Path(place[1:]), _FILE_SCHEMES[kind])


def without_person(shown: str) -> str:
    """Leave out of an address for people as whom it is asked."""
    return _PERSON.sub(r"\1", shown)


def _told_apart(shown: str, *unshown: object) -> str:
    """Add to an address for people a hash of what it leaves out."""
    return f"{shown}#{hashlib.sha256(repr(unshown).encode()).hexdigest()[:32]}" if unshown else shown


def _server(given: str, dialect: ServerDialect) -> ServerAddress:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    kind = SERVER_KINDS[dialect]
    if given.count("@") > 1:  # else what is taken for the host would be shown, and is the end of a password
        raise BadConfiguration("in the database address a name or password has an @: write %40 for it")
    try:
        parts = make_url(given)
    except (ArgumentError, ValueError):
        raise BadConfiguration(f"the database address cannot be read; write it as {kind.form}") from None
    names = [unquote(name) for name in (parts.database or "").split("/")] if kind.names > 1 else [parts.database or ""]
    if len(names) != kind.names or not all(names):
        wanted = "database" if kind.names == 1 else "catalogue or no schema"
        raise BadConfiguration(f"the database address names no {wanted}: {kind.form}")
    options = {name: value if isinstance(value, str) else value[-1] for name, value in parts.query.items()}
    unknown = sorted(set(options) - kind.options) if kind.options is not None else []
    if unknown:
        known = sorted(kind.options or ())
        raise BadConfiguration(f"the database address has an unknown option {unknown[0]!r}: {known}")
    return ServerAddress(
        dialect=dialect,
        host=parts.host or "127.0.0.1",
        port=parts.port or kind.port,
        user=parts.username or "",
        password=str(parts.password or ""),
        database=names[0],
        options=tuple(options.items()),
        schema=names[1] if kind.names > 1 else "",
    )


def _mcp(given: str) -> McpAddress:
    parts = urlsplit(given)
    person, _, place = parts.netloc.rpartition("@")
    name, _, token = person.partition(":")
    try:
        usable = bool(parts.hostname) and parts.port != 0 and not name and "@" not in person
    except ValueError:
        usable = False
    if not usable:
        raise BadConfiguration(
            "the MCP server's address is http(s)://HOST:PORT/PATH, or http(s)://:TOKEN@HOST:PORT/PATH "
            "where it asks for a token, in which an @ is written %40"
        )
    return McpAddress(parts._replace(netloc=place, fragment="").geturl(), unquote(token))


def _file(given: Path, named: FileDialect | None) -> FileAddress:
    if str(given) in ("", ".", ":memory:"):
        raise BadConfiguration("A database in memory holds no data to ask about: give the path of a file")
    path = given.expanduser().resolve()
    if not path.is_file():
        raise BadConfiguration(f"There is no database file {path}: check the path, or build one first")
    try:
        with path.open("rb") as opened:
            start = opened.read(16)
    except OSError as error:
        raise BadConfiguration(f"The database file {path} cannot be read: {error.strerror}") from None
    found: FileDialect | None = None
    if start.startswith(b"SQLite format 3\0"):
        found = "sqlite"
    elif start[8:12] == b"DUCK":
        found = "duckdb"
    if found is None:
        raise BadConfiguration(f"The file {path} is neither a SQLite nor a DuckDB database")
    if named not in (None, found):
        raise BadConfiguration(f"The file {path} is a {found} database: use {found}:///{path}")
    return FileAddress(found, path)
