"""Reads the columns of all tables at once, or table by table where one of them refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from ai_engine.catalogue import Column, Table
from ai_engine.column_types import column_type

if TYPE_CHECKING:
    from sqlalchemy.engine.reflection import Inspector
    from sqlalchemy.exc import DBAPIError

_MYSQL_DENIED = frozenset({1142, 1143})
_MYSQL_GRANTED_COLUMNS = """SELECT column_name, column_type, is_nullable, column_comment
    FROM information_schema.columns WHERE table_schema = database() AND table_name = :name ORDER BY ordinal_position"""
_SQLITE_ERROR = 1  # of the one statement: neither of a lock nor of the file
_Columns: TypeAlias = Mapping[tuple[str | None, str], Any]


def granted_columns(inspector: Inspector, schema: str | None) -> tuple[_Columns, list[str], dict[str, str]]:
    """Return the columns by place, the tables whose definition the role may not see, and what cannot be read.

    MySQL shows no part of the former; the latter are views over what is gone, and SQLite's tables of unknown modules.
    """
    from sqlalchemy.engine.reflection import ObjectKind
    from sqlalchemy.exc import DBAPIError

    try:
        return inspector.get_multi_columns(schema, kind=ObjectKind.ANY), [], {}
    except DBAPIError as error:
        if not _is_denied(error) and not _is_broken(error):
            raise
    found: dict[tuple[str | None, str], Any] = {}
    denied: list[str] = []
    broken: dict[str, str] = {}
    for name in [*inspector.get_table_names(schema), *inspector.get_view_names(schema)]:
        try:
            found |= inspector.get_multi_columns(schema, kind=ObjectKind.ANY, filter_names=[name])
        except DBAPIError as error:
            if _is_broken(error):
                broken[name] = str(error.orig)
            elif _is_denied(error):
                denied.append(name)
            else:
                raise
    return found, denied, broken


def _is_broken(error: DBAPIError) -> bool:
    return getattr(error.orig, "sqlite_errorcode", None) == _SQLITE_ERROR


def _is_denied(error: DBAPIError) -> bool:
    arguments: tuple[Any, ...] = getattr(error.orig, "args", ())
    return bool(arguments) and arguments[0] in _MYSQL_DENIED


def partly_granted(inspector: Inspector, names: Iterable[str]) -> Iterable[Table]:
    """Read tables of which the role may read some columns: those alone, without keys."""
    from sqlalchemy import text

    for name in sorted(names):
        found = inspector.bind.execute(text(_MYSQL_GRANTED_COLUMNS), {"name": name})  # type: ignore[union-attr]
        columns = tuple(_granted_column(*map(str, row)) for row in found)
        if columns:
            yield Table(name, columns, unreadable=frozenset({""}))


def _granted_column(name: str, native: str, nullable: str, comment: str) -> Column:
    return Column(name, column_type(native), native, nullable == "YES", comment)
