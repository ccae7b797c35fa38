"""What a bank allows a statement to read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ai_engine.catalogue import Catalogue, names_in
from ai_engine.errors import BadConfiguration
from ai_engine.guard.refusal import nearest_names


def _small(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)


@dataclass(frozen=True, slots=True)
class Policy:
    """Names are compared without regard to case and held in small letters; those of tables have no schema or quotes.

    Attributes:
        allowed_tables: only these may be read; None allows every table of the catalogue.
        hidden_tables: these do not exist as far as a statement is concerned.
        restricted_columns: table → columns that may not be read, in any clause.
        allow_union: permits UNION, INTERSECT and EXCEPT.
        max_rows: the largest LIMIT that stays as it is, for statements that list rows.
        max_groups: the same for statements whose rows are groups, and the LIMIT given to one that has none.
        default_limit_rows: the LIMIT given to another statement without one.
        max_sql_chars: longer text is refused before it is parsed.
        allow_recursive: permits WITH RECURSIVE, and the same without the word where an engine allows it.
        max_tables: table references in one statement, those inside subqueries included.
        max_columns: columns of one result, stars expanded.
        max_literal_count: the largest number in repeat, lpad, space and their like.
        max_value_chars: how wide one value may be made by those and by concatenation, estimated.
        max_series_rows: rows that generate_series or range may make.
    """

    allowed_tables: frozenset[str] | None = None
    hidden_tables: frozenset[str] = frozenset()
    restricted_columns: Mapping[str, frozenset[str]] = field(default_factory=dict)
    allow_union: bool = False
    max_rows: int = 1_000
    max_groups: int = 2_000
    default_limit_rows: int = 100
    max_sql_chars: int = 20_000
    allow_recursive: bool = False
    max_tables: int = 32
    max_columns: int = 500
    max_literal_count: int = 10_000
    max_value_chars: int = 1_000_000
    max_series_rows: int = 10_000

    def __post_init__(self) -> None:
        restricted: dict[str, frozenset[str]] = {}
        for table, columns in self.restricted_columns.items():
            restricted[table.lower()] = restricted.get(table.lower(), frozenset()) | _small(columns)
        object.__setattr__(self, "restricted_columns", restricted)
        object.__setattr__(self, "hidden_tables", _small(self.hidden_tables))
        if self.allowed_tables is not None:
            object.__setattr__(self, "allowed_tables", _small(self.allowed_tables))


def unknown_names(policy: Policy, catalogue: Catalogue) -> list[str]:
    """Tables and columns that a policy names and the catalogue does not have, so that they protect nothing."""
    tables = {*(policy.allowed_tables or ()), *policy.hidden_tables, *policy.restricted_columns}
    kin = {name for table in catalogue.tables for name in table.kin}
    names = [name for name in tables - kin if catalogue.table(name) is None]
    for table, columns in policy.restricted_columns.items():
        known = catalogue.table(table)
        names += [f"{table}.{column}" for column in columns if known is not None and known.column(column) is None]
    return sorted(names)


_NAME_LISTS = ("allowed_tables", "hidden_tables")
_SWITCHES = ("allow_union", "allow_recursive")
_COUNTS = (
    "max_rows",
    "max_groups",
    "default_limit_rows",
    "max_sql_chars",
    "max_tables",
    "max_columns",
    "max_literal_count",
    "max_value_chars",
    "max_series_rows",
)
_KEYS = (*_NAME_LISTS, "restricted_columns", *_SWITCHES, *_COUNTS)


def policy_from_json(text: str) -> Policy:
    """Read a policy file: one JSON object whose keys are those of `Policy`, each optional.

    Raises:
        BadConfiguration: not an object, an unknown key (with the nearest known one), a key that stands there
            twice, or a value of the wrong kind.
    """
    try:
        raw = json.loads(text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        raise BadConfiguration(f"the policy file is not JSON: {error}") from error
    if not isinstance(raw, dict):
        raise BadConfiguration("the policy file must hold one JSON object")
    return Policy(**{key: _value(key, value) for key, value in raw.items()})


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        twice = next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place]))
        raise BadConfiguration(f"the policy file has the key {twice} twice")
    return read


def _value(key: str, value: Any) -> Any:
    if key not in _KEYS:
        nearest = nearest_names(key, _KEYS) or _KEYS
        raise BadConfiguration(f"the policy file has the unknown key {key}; nearest: {', '.join(nearest)}")
    if key in _NAME_LISTS:
        return None if value is None and key == "allowed_tables" else frozenset(map(_bare, _names(key, value)))
    if key == "restricted_columns":
        if not isinstance(value, dict):
            raise BadConfiguration("policy key restricted_columns must be an object: table to list of columns")
        found: dict[str, frozenset[str]] = {}
        for table, columns in value.items():
            name = _bare(table)
            found[name] = found.get(name, frozenset()) | _names(f"{key}.{table}", columns)
        return found
    if key in _SWITCHES:
        if not isinstance(value, bool):
            raise BadConfiguration(f"policy key {key} must be true or false")
        return value
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadConfiguration(f"policy key {key} must be a whole number above 0")
    return value


def _bare(table: str) -> str:
    """The table's own name in small letters: without its schema, and without quotes, in which a dot is part of it."""
    return names_in(table)[-1].lower() if table else ""


def _names(key: str, value: Any) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadConfiguration(f"policy key {key} must be a list of names")
    return frozenset(value)
