"""Conditions written as SQL inside of a definition: "open means schl_dat IS NULL", "poor: bon_kl IN ('C', 'D')"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.catalogue import Catalogue

_NAME = re.compile(r"(?<![\w.'\"-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?")
_COMPARES = re.compile(r"[<>=]|!=|\b(?:is|in|between|like)\b", re.IGNORECASE)
_LAST = re.compile(r"'[^']*'|\"[^\"]*\"|\d+(?:\.\d+)?|\bNULL\b|[A-Za-z_]\w*(?:\.\w+)?|\)", re.IGNORECASE)
_SPELLINGS = {"‘": "'", "’": "'", "≤": "<=", "≥": ">=", "≠": "<>", "=>": ">="}
_SPACED = re.compile(r"([<>!])\s+=")
_ALLOWED = (
    exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean, exp.Neg, exp.Paren, exp.And, exp.Or, exp.Not,
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between, exp.Like,
    exp.Add, exp.Sub, exp.Mul, exp.Div,
)  # fmt: skip
_TESTS = (exp.Predicate, exp.Connector, exp.Not)
_LONGEST_CONDITION = 40


@dataclass(frozen=True, slots=True)
class WrittenCondition:
    """A condition at `start` up to `end` of a text.

    Attributes:
        tables: those whose rows it can be asked of: they have all its columns.
        sql: over bare column names.
        equals: the column and the one value that it must have, None for any other condition.
    """

    start: int
    end: int
    tables: tuple[str, ...]
    sql: str
    equals: tuple[str, str] | None = None


def conditions_in(text: str, catalogue: Catalogue) -> tuple[WrittenCondition, ...]:
    """Return the longest conditions of a text over columns of one table, in order."""
    text = _plainly_spelled(text)
    found: list[WrittenCondition] = []
    for name in _NAME.finditer(text):
        start = name.start()
        if (found and start < found[-1].end) or not _tables(name[0], catalogue):
            continue
        plain = next(_conditions_at(text, start, catalogue), None)
        longest = _with_brackets(text, start, plain, catalogue)
        if longest is not None:
            found.append(longest)
    return tuple(found)


def _with_brackets(
    text: str, start: int, plain: WrittenCondition | None, catalogue: Catalogue
) -> WrittenCondition | None:
    """Return a condition that begins with brackets, "(a = 1 or b = 2) and c = 3", where it goes on behind them."""
    opening = start
    while opening and text[opening - 1] == "(":
        opening -= 1
    if opening == start:
        return plain
    end = plain.end if plain else start
    whole = next(_conditions_at(text, opening, catalogue), None)
    return whole if whole is not None and text[end : whole.end].strip(") ") else plain


def _plainly_spelled(text: str) -> str:
    """Write signs as SQL has them; the length stays, so that places in the text do."""
    for written, plain in _SPELLINGS.items():
        text = text.replace(written, plain) if len(written) == len(plain) else text
    return _SPACED.sub(lambda sign: f"{sign[1]}={' ' * (len(sign[0]) - 2)}", text)


def _conditions_at(text: str, start: int, catalogue: Catalogue) -> Iterator[WrittenCondition]:
    ends = [found.end() for found in _LAST.finditer(text, start)][:_LONGEST_CONDITION]
    for end in reversed(ends):
        if _COMPARES.search(text, start, end):
            condition = condition_of(text[start:end], catalogue)
            if condition is not None:
                tables, tree = condition
                yield WrittenCondition(start, end, tables, tree.sql(), _equality(tree))


def condition_of(text: str, catalogue: Catalogue) -> tuple[tuple[str, ...], exp.Expr] | None:
    """Return the tables and the tree, over bare columns, of a text that is a condition and nothing else."""
    try:
        tree = sqlglot.parse_one(text)
    except (SqlglotError, RecursionError):
        return None
    tree = tree.transform(lambda node: _as_text(node, catalogue))
    if not isinstance(tree.unnest(), _TESTS) or not all(isinstance(node, _ALLOWED) for node in tree.walk()):
        return None
    columns = list(tree.find_all(exp.Column))
    tables = _shared_tables(columns, catalogue)
    if not tables or _equates_columns(tree):
        return None
    for column in columns:
        column.set("table", None)
    return tables, tree


def _as_text(node: exp.Expr, catalogue: Catalogue) -> exp.Expr:
    """Take what stands in double quotes and is no column for a text."""
    if isinstance(node, exp.Column) and node.this.quoted and not _tables(node.name, catalogue):
        return exp.Literal.string(node.name)
    return node


def _equates_columns(tree: exp.Expr) -> bool:
    """ "balance = amount" says what a figure is, or how two tables hang together."""
    sides = ((node.this, node.expression) for node in tree.find_all(exp.EQ))
    return any(isinstance(left, exp.Column) and isinstance(right, exp.Column) for left, right in sides)


def _equality(tree: exp.Expr) -> tuple[str, str] | None:
    if not isinstance(tree, exp.EQ) or not isinstance(tree.this, exp.Column):
        return None
    return (tree.this.name, tree.expression.name) if isinstance(tree.expression, exp.Literal) else None


def _tables(name: str, catalogue: Catalogue) -> tuple[str, ...]:
    table, _, column = name.rpartition(".")
    return tuple(
        known.name
        for known in catalogue.tables
        if known.column(column) is not None and table.lower() in {"", known.name.lower()}
    )


def _shared_tables(columns: list[exp.Column], catalogue: Catalogue) -> tuple[str, ...]:
    held = [set(_tables(f"{column.table}.{column.name}".lstrip("."), catalogue)) for column in columns]
    shared = set.intersection(*held) if held else set()
    return tuple(table.name for table in catalogue.tables if table.name in shared)
