"""What a database says against a statement, in our words: its own may quote the data that the statement met."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from backend.databases.engine import EngineFault

Trouble: TypeAlias = Literal[
    "unknown_column", "unknown_table", "unknown_function", "unknown_name", "ambiguous_name", "misused_aggregate",
    "wrong_type", "conversion", "division_by_zero", "out_of_range", "invalid_pattern", "several_rows", "syntax",
    "permission", "locked", "memory", "space", "other",
]  # fmt: skip

_WORDS: dict[Trouble, str] = {
    "unknown_column": "unknown column",
    "unknown_table": "unknown table",
    "unknown_function": "unknown function, or one that does not take such values",
    "unknown_name": "unknown table, column, function or type",
    "ambiguous_name": "ambiguous name: say of which table",
    "misused_aggregate": "an aggregate or window function stands where none may, or a column is neither grouped nor "
    "aggregated",
    "wrong_type": "values of types that do not go together",
    "conversion": "a value cannot be converted to the type that is asked for",
    "division_by_zero": "division by zero",
    "out_of_range": "overflow: a number or date is out of range",
    "invalid_pattern": "the regular expression is not valid",
    "several_rows": "a subquery that is used as one value gives several rows",
    "syntax": "syntax that this database does not know",
    "permission": "this may not be read",
    "locked": "a table is locked by another program",
    "memory": "the query needs more memory than it may use: aggregate or filter first",
    "space": "the query needs more temporary space than it may use: aggregate or filter first",
    "other": "the database refused the statement",
}
_ABOUT_NAMES: frozenset[Trouble] = frozenset(
    {"unknown_column", "unknown_table", "unknown_function", "unknown_name", "ambiguous_name", "misused_aggregate"}
)
"""Not about permission: a view or a function may read what nobody shall know of, which is then named."""
_PARTS = re.compile(r"\w+")


def statement_fault(trouble: Trouble, said: str, spoken_names: re.Pattern[str]) -> EngineFault:
    """Tell what is wrong and, where it is about names, which; `spoken_names` finds them in what the database said.

    Whoever shows the names keeps only those that stand in the statement as such: others may be data.
    """
    if trouble == "memory":
        return out_of_memory()
    heard = spoken_names.findall(said.partition("\n")[0]) if trouble in _ABOUT_NAMES else ()
    parts = (part for found in heard for part in _PARTS.findall("".join(found)))
    return EngineFault("failed", _WORDS[trouble], tuple(dict.fromkeys(parts)))


_HEARD: tuple[tuple[str, Trouble], ...] = (
    ("column", "unknown_column"),
    ("table", "unknown_table"),
    ("relation", "unknown_table"),
    ("function", "unknown_function"),
    ("ambiguous", "ambiguous_name"),
    ("syntax", "syntax"),
    ("zero", "division_by_zero"),
    ("permi", "permission"),
)
_ANY_NAMES = re.compile(r"(\w+)")


def heard_fault(said: str) -> EngineFault:
    """Tell what is wrong by what a program says that asked the database for us, in its words or in its database's."""
    own: list[Trouble] = [trouble for trouble, words in _WORDS.items() if words in said]
    told: list[Trouble] = [trouble for word, trouble in _HEARD if word in said.lower()]
    return statement_fault([*own, *told, "other"][0], said, _ANY_NAMES)


def out_of_memory() -> EngineFault:
    """Tell that a statement may be tried again by a worker that has more to give."""
    return EngineFault("memory", _WORDS["memory"])
