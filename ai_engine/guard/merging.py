"""What USING and NATURAL make of two sides of a join: which columns become one, and in which order `*` gives them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.errors import SqlRejected
from ai_engine.guard.columns import restricted
from ai_engine.guard.refusal import refuse, unknown
from ai_engine.guard.scopes import Merged, Scope, Value, key_of
from ai_engine.guard.tables import schema_of
from ai_engine.guard.warehouses import WAREHOUSES

_COMMON_COLUMNS_FIRST = WAREHOUSES | {"postgres", "mysql"}
_OF_A_THIRD_TYPE = frozenset({"postgres", "trino"})
_KEEPING_LEFT = frozenset({"SEMI", "ANTI"})
Pairs = tuple[tuple[Value, Value], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """What is joined so far.

    Attributes:
        keys: its sources in the scope.
        merged: lower-case name → column that its joins made of several.
        columns: what `*` stands for.
    """

    keys: tuple[str, ...]
    merged: dict[str, Merged]
    columns: list[Value]


def shared_names(left: Side, right: Side, scope: Scope) -> list[str]:
    """The columns that a NATURAL JOIN compares, restricted ones among them."""
    one, other = (
        dict.fromkeys(value[0][1].name.lower() for value in side.columns)
        | dict.fromkeys(name for key in side.keys for name in scope.sources[key].restricted)
        for side in (left, right)
    )
    return [name for name in one if name in other]


def joined_sides(
    join: exp.Join, shared: list[str], left: Side, right: Side, scope: Scope, catalogue: Catalogue
) -> tuple[Side, Pairs]:
    """Join two sides by the columns they share.

    Returns:
        Both as one side, and what is compared, left to right.

    Raises:
        SqlRejected: a shared column is restricted, ambiguous or missing on one side.
    """
    dialect = catalogue.dialect
    keeps_left = join.args.get("kind") in _KEEPING_LEFT
    merged = left.merged if keeps_left else left.merged | right.merged
    columns = left.columns if keeps_left else left.columns + right.columns
    pairs: list[tuple[Value, Value]] = []
    made: dict[str, Merged] = {}
    for name in shared:
        one, other = _common(name, left, right, scope), _common(name, right, left, scope)
        if key_of(one.value[0][1], dialect) != key_of(other.value[0][1], dialect):
            raise _two_names(name)
        pairs.append((one.value, other.value))
        first, second = (other, one) if join.side.upper() == "RIGHT" else (one, other)
        is_of_both = join.side.upper() == "FULL" or (
            dialect in _OF_A_THIRD_TYPE and _differ(one.value, other.value, catalogue)
        )
        value = first.value + second.value if is_of_both else first.value
        made[name.lower()] = Merged(one.members | other.members, value)
    if join.side.upper() in {"RIGHT", "FULL"}:
        scope.before_right.update(left.keys)
    for identifier, (read, _) in zip(join.args.get("using") or (), pairs, strict=False):
        if not identifier.this.isascii():
            identifier.set("this", read[0][1].name)
    if made and not keeps_left:
        merged = merged | made
        scope.merged.update(made)
        for key in left.keys:
            scope.shared_later.setdefault(key, set()).update(made)
        scope.compared[:0] = [(pair[0][0][1].name.lower(), _readers(pair)) for pair in pairs]
        swapped = dialect == "mysql" and join.side.upper() == "RIGHT"  # the server itself makes a LEFT JOIN of it
        columns = _starred(right, left, made, dialect) if swapped else _starred(left, right, made, dialect)
    return Side(left.keys if keeps_left else left.keys + right.keys, merged, columns), tuple(pairs)


def _readers(pair: tuple[Value, Value]) -> frozenset[str]:
    """The keys of the sources whose own columns are compared."""
    return frozenset(value[0][0].alias.this.lower() for value in pair if not value[1:])


def _two_names(name: str) -> SqlRejected:
    return refuse(f"{name} is spelled in two ways, which are two names to this database: write ON", name)


def _common(name: str, side: Side, other: Side, scope: Scope) -> Merged:
    """The one column of a name that a side has."""
    key = name.lower()
    for source in (scope.sources[one] for one in (*side.keys, *other.keys)):
        if key in source.restricted:
            raise restricted(name, source)
        if key in source.twins:
            raise _two_names(name)
    holders = [one for one in side.keys if key in scope.sources[one].columns]
    if not holders:
        columns = scope.sources[side.keys[0]].columns
        raise unknown("column", name, columns, "is not on both sides of the join")
    merged = side.merged.get(key)
    if merged is not None and merged.members >= set(holders):
        return merged
    if len(holders) > 1:
        owners = " and ".join(scope.sources[one].alias.this for one in holders)
        raise refuse(f"column {name} is ambiguous: it is in {owners}", name)
    source = scope.sources[holders[0]]
    return Merged(frozenset(holders), ((source, source.columns[key]),))


def _differ(one: Value, other: Value, catalogue: Catalogue) -> bool:
    """Whether two columns are of types so different that PostgreSQL makes a third of both."""
    kinds = {kind for value in (one, other) if (kind := _native_type(value, catalogue))}
    return len(kinds) > 1


def _native_type(value: Value, catalogue: Catalogue) -> str:
    """The type of a column without its size; "" for one that is computed."""
    source, read = value[0]
    for table in catalogue.tables_called(source.table):
        column = table.column(read.name) if schema_of(table, catalogue).lower() == source.schema else None
        if column is not None:
            return column.native_type.partition("(")[0].upper()
    return ""


def _starred(left: Side, right: Side, made: dict[str, Merged], dialect: str) -> list[Value]:
    """The order of `*`: common columns come first in the standard, in DuckDB and SQLite where the left one has them.

    MySQL gives them as the left one has them, PostgreSQL as USING names them.
    """
    rest = [value for value in right.columns if value[0][1].name.lower() not in made]
    if dialect in _COMMON_COLUMNS_FIRST:
        others = [value for value in left.columns if value[0][1].name.lower() not in made]
        order = (
            [name for value in left.columns if (name := value[0][1].name.lower()) in made]
            if dialect == "mysql"
            else made
        )
        return [made[name].value for name in order] + others + rest
    places = {value[0][1].name.lower(): place for place, value in reversed(list(enumerate(left.columns)))}
    columns = list(left.columns)
    for name, one in made.items():
        columns[places[name]] = one.value
    return columns + rest
