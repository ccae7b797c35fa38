"""Which columns a generated column is made of, as far as its expression names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ai_engine.catalogue import Column
from backend.databases.sqlite_authorizer import tokens, unquoted

_WORD = re.compile(r'`((?:[^`]|``)+)`|"((?:[^"]|"")+)"|([\w$]+)')


def with_made_of(
    columns: Iterable[Column], expressions: Mapping[str, str], further: Iterable[str] = ()
) -> tuple[Column, ...]:
    """Say of columns with an expression what they are made of: all whose names stand anywhere in it.

    `further` are names of columns that are not among them, as the role may not read them.
    """
    columns = tuple(columns)
    names = list(dict.fromkeys([*(column.name.lower() for column in columns), *further]))
    return tuple(
        replace(column, made_of=_among(names, expressions[column.name])) if column.name in expressions else column
        for column in columns
    )


def words_of(expressions: Iterable[str]) -> list[str]:
    """Everything in expressions of MySQL that may be the name of a column, in small letters."""
    found = (name for expression in expressions for name in _WORD.findall(expression.lower()))
    return sorted({double.replace('""', '"') + back.replace("``", "`") + plain for back, double, plain in found})


def sqlite_expressions(definition: str) -> dict[str, str]:
    """Return what a CREATE TABLE says of each column, by its name in small letters.

    Of one that is called "check" or "unique" that is also what constraints say, which begin with these words.
    """
    found: dict[str, str] = {}
    for name, said in _said_in(definition):
        found[name] = f"{found.get(name, '')} {said}"
    return found


def _said_in(definition: str) -> Iterator[tuple[str, str]]:
    found = tokens(definition)
    depth, said = 0, list[str]()
    for token in found[found.index("(") :]:
        depth += (token == "(") - (token == ")")  # noqa: S105 - no password
        if said and (depth == 0 or (depth == 1 and token == ",")):  # noqa: S105
            yield unquoted(said[0]).lower(), " ".join(said[1:])
            said = []
        elif depth > 1 or token not in "(,)":  # noqa: S105
            said.append(token)
        if depth == 0:
            return


def _among(names: list[str], expression: str) -> tuple[str, ...]:
    text = expression.lower()
    return tuple(name for name in names if any(_stands_in(text, one) for one in _spellings(name)))


def _spellings(name: str) -> set[str]:
    return {name, name.replace('"', '""'), name.replace("`", "``")}


def _stands_in(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
