"""Ids that people choose, as any database takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, Connection, Integer, Table
from sqlalchemy.dialects import postgresql, sqlite

from ai_engine.errors import BadQuestion

MOST_KEY_CHARS = 200
BIG_NUMBER = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself in an INTEGER key alone."""


def key_of(part: str) -> str:
    """Write an id; NUL and lone surrogates, which some databases refuse, are spelled out.

    Raises:
        BadQuestion: it is longer than an index takes.
    """
    if len(part) > MOST_KEY_CHARS:
        raise BadQuestion(f"An id has {len(part):,} characters; at most {MOST_KEY_CHARS} are kept.")
    return "".join(json.dumps(char)[1:-1] if char in "\\\0" or "\ud800" <= char <= "\udfff" else char for char in part)


def read_key(text: str) -> str:
    """Return an id as it was before `key_of`."""
    return text if "\\" not in text else str(json.loads('"' + text.replace('"', '\\"') + '"', strict=False))


def written(text: str) -> str:
    """Write a text of people or models as any database takes it; what it does not, a question mark stands for."""
    return text.replace("\0", "?").encode("utf-8", "replace").decode()


def insert_unless_there(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless one has its key; True where it was inserted."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    made = dialect.insert(table).values(dict(row)).on_conflict_do_nothing().returning(*table.primary_key.columns)
    return connection.execute(made).first() is not None
