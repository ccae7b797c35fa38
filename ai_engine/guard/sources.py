"""What one table of the catalogue offers to a statement."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from sqlglot import exp

from ai_engine.catalogue import Catalogue, Column
from ai_engine.guard.domains import OF_A_DOMAIN_COLUMN
from ai_engine.guard.policy import Policy
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import USUAL_CHARS, OutputColumn, Source, key_of, stored
from ai_engine.guard.sizes import OF_A_VIEW_COLUMN
from ai_engine.guard.tables import DUAL, catalogued, has_closed_heirs, restricted_columns, schema_of

_TELLING_CASES_APART = frozenset({"postgres", "clickhouse"})
_OF_ANY_WIDTH = frozenset({"text", "other"})
_OF_LISTED_VALUES = ("ENUM", "SET")
_BOUND = re.compile(r"[\w ]*(?:CHAR|BINARY)\w*\((\d+)\)", re.IGNORECASE)
_LONGEST_CHARS = 8_000


def stored_source(table: exp.Table, catalogue: Catalogue, policy: Policy, ctes: list[str], fresh: str) -> Source:
    """Find a table of the catalogue and its columns that may be read; `ctes` are names that were meant, perhaps."""
    known = catalogued(table, catalogue, ctes)
    if table.args.get("alias") is not None and table.args["alias"].args.get("columns"):
        raise refuse(f"the columns of {known.name} may not be renamed in FROM", known.name)
    hidden = restricted_columns(known, policy)
    sampled = catalogue.dialect == "postgres" and table.args.get("sample") is not None
    if sampled and (hidden or known.has_withheld_rows or has_closed_heirs(known, catalogue, policy)):
        raise refuse(f"{known.name} may not be sampled: what is drawn tells how much there is that may not be read")
    size = OF_A_VIEW_COLUMN if known.is_view else 1
    columns, listed = _readable(known.columns, hidden, size, catalogue.dialect)
    return Source(
        name_in_from(table),
        columns,
        listed,
        fresh,
        hidden,
        table=known.name,
        schema=schema_of(known, catalogue).lower(),
        most_rows=1 if known is DUAL else None,
    )


def name_in_from(table: exp.Table) -> exp.Identifier:
    """How the columns of a table are qualified."""
    alias = table.args.get("alias")
    name: exp.Identifier = alias.this if alias is not None else table.this
    return name


@lru_cache(maxsize=500)
def _readable(
    known: tuple[Column, ...], hidden: frozenset[str], size: int, dialect: str
) -> tuple[Mapping[str, OutputColumn], tuple[OutputColumn, ...]]:
    """The columns of a table that may be read, by their names in small letters, and those of `*` in order."""
    readable = [column for column in known if column.name.lower() not in hidden]
    columns = {
        column.name: OutputColumn(
            column.name, longest=_longest(column), size=size * (OF_A_DOMAIN_COLUMN if column.is_checked else 1)
        )
        for column in readable
    }
    for name, column in columns.items():
        if stored(name, dialect) != name:
            columns[name] = replace(column, inner=stored(name, dialect))
    listed = tuple(columns[column.name] for column in readable if not column.unlisted)
    return MappingProxyType({name.lower(): column for name, column in columns.items()}), listed


def _longest(column: Column) -> int:
    """How wide a value may be by the type of its column; one without a bound is taken for several thousand letters."""
    if column.type not in _OF_ANY_WIDTH or column.native_type.upper().startswith(_OF_LISTED_VALUES):
        return USUAL_CHARS
    bound = _BOUND.match(column.native_type)
    return min(int(bound[1][:9]) if bound else _LONGEST_CHARS, _LONGEST_CHARS)


def with_twins(source: Source, dialect: str) -> Source:
    """A source that knows which of its columns have names that only the database tells apart."""
    if dialect in _TELLING_CASES_APART:
        names = {column.name for column in source.listed}
    elif all(column.name.isascii() for column in source.listed):
        return source
    else:
        names = {key_of(column, dialect) for column in source.listed}
    if len({name.lower() for name in names}) == len(names):
        return source
    called = Counter(name.lower() for name in names)
    return replace(source, twins=frozenset(name for name, times in called.items() if times > 1))
