"""What a text of definitions can say, one kind each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ai_engine.semantics.hints.formulas import Formula
from ai_engine.semantics.hints.groups import GroupHint


@dataclass(frozen=True, slots=True)
class TableHint:
    """`phrase` is another noun for the rows of a table."""

    table: str
    phrase: str


@dataclass(frozen=True, slots=True)
class ColumnHint:
    """`phrase` is another word for a column; `table` None where several tables have it or none was named."""

    table: str | None
    column: str
    phrase: str


@dataclass(frozen=True, slots=True)
class ColumnsHint:
    """`phrase` is said for several columns together: "full name refers to vn, nn"."""

    columns: tuple[str, ...]
    phrase: str


@dataclass(frozen=True, slots=True)
class DaysHint:
    """A column keeps days as 20261121."""

    table: str | None
    column: str


@dataclass(frozen=True, slots=True)
class ValueHint:
    """`phrase` is another word for a stored value; table and column None where the text does not say."""

    table: str | None
    column: str | None
    value: str
    phrase: str


@dataclass(frozen=True, slots=True)
class CodesHint:
    """The codes of a column are those of one kind in the database's list of codes."""

    table: str | None
    column: str
    kind: str


@dataclass(frozen=True, slots=True)
class ConditionHint:
    """`phrase` is said of the rows that satisfy a condition; `sql` is over bare columns that all `tables` have."""

    tables: tuple[str, ...]
    sql: str
    phrase: str


@dataclass(frozen=True, slots=True)
class LinkHint:
    """A column leads to the row of a table that has its value; `roles` are words for what that row is to this one.

    Table and column led to are None where only the role was told.
    """

    table: str
    column: str
    to_table: str | None
    to_column: str | None
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PhraseHint:
    """`words` of a question stand for `meaning`: an abbreviation written out, or another noun."""

    words: str
    meaning: str


@dataclass(frozen=True, slots=True)
class FormulaHint:
    """A figure with its names, shortest first, and how it is reckoned; `each` is what every row has one of."""

    names: tuple[str, ...]
    formula: Formula
    each: str = ""


Hint: TypeAlias = (
    TableHint
    | ColumnHint
    | ColumnsHint
    | DaysHint
    | ValueHint
    | CodesHint
    | ConditionHint
    | LinkHint
    | PhraseHint
    | GroupHint
    | FormulaHint
)


@dataclass(frozen=True, slots=True)
class Hints:
    """What a text of definitions says; `unread` are the clauses that were not understood."""

    tables: tuple[TableHint, ...] = ()
    columns: tuple[ColumnHint, ...] = ()
    several: tuple[ColumnsHint, ...] = ()
    days: tuple[DaysHint, ...] = ()
    values: tuple[ValueHint, ...] = ()
    codes: tuple[CodesHint, ...] = ()
    conditions: tuple[ConditionHint, ...] = ()
    links: tuple[LinkHint, ...] = ()
    phrases: tuple[PhraseHint, ...] = ()
    groups: tuple[GroupHint, ...] = ()
    formulas: tuple[FormulaHint, ...] = ()
    unread: tuple[str, ...] = ()
