"""Which cells of a result may leave for a language model: none, figures over many rows, or its first rows.

What is sensitive never leaves, whatever the setting says.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.insight.amounts import format_cell
from ai_engine.llm.aggregated import aggregated_columns
from ai_engine.llm.read_sources import branches
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Scalar, SendRows

HIDDEN = "[hidden]"
_LONGEST_CELL_CHARS = 120


def disclosed_rows(task: InsightTask, vocabulary: Vocabulary, max_rows: int, hidden: frozenset[int]) -> str:
    """Return the first rows as tab separated lines under their labels, `hidden` columns replaced."""
    currency = vocabulary.model.currency

    def written(position: int, cell: Scalar) -> str:
        if position in hidden:
            return HIDDEN
        return " ".join(format_cell(cell, task.columns[position], currency).split())[:_LONGEST_CELL_CHARS]

    header = "\t".join(f"{column.label}" for column in task.columns)
    lines = ["\t".join(written(i, cell) for i, cell in enumerate(row)) for row in task.result.rows[:max_rows]]
    return "\n".join([header, *lines])


def kept_back(task: InsightTask, vocabulary: Vocabulary, send_rows: SendRows) -> frozenset[int]:
    """Find the result columns whose cells stay here.

    With "aggregates" those leave that are aggregated, and what the groups are formed by: categories, dates, and names
    of what is no person. A row of a table, a key and a person's name stay.
    """
    every = frozenset(range(len(task.columns)))
    if send_rows == "none":
        return every
    sensitive = hidden_columns(task, vocabulary)
    return sensitive if send_rows == "sample" else sensitive | (every - aggregated_columns(task, vocabulary))


def hidden_columns(task: InsightTask, vocabulary: Vocabulary) -> frozenset[int]:
    """Find the result columns that show values of sensitive fields, through whatever aliases they went.

    Errs on the side of hiding: a column of another table with the same name is hidden too, and with sensitive fields
    in the vocabulary nothing of a statement that cannot be read is shown. A count reveals no value.
    """
    sensitive = _sensitive_names(vocabulary)
    if not sensitive:
        return frozenset()
    every = frozenset(range(len(task.columns)))
    try:
        tree = sqlglot.parse_one(task.sql, dialect=vocabulary.catalogue.dialect)
    except (SqlglotError, RecursionError):
        return every
    rows = frozenset(table.alias_or_name.lower() for table in tree.find_all(exp.Table))
    carriers = _spread(tree, sensitive, rows)
    lists = [select.selects for select in branches(tree)]
    if any(item.is_star for items in lists for item in items):
        return frozenset(i for i, name in enumerate(task.result.columns) if name.lower() in carriers)
    if not lists or any(len(items) != len(task.columns) for items in lists):
        return every
    return frozenset(i for i in every if any(_shows(items[i], carriers, rows) for items in lists))


def _sensitive_names(vocabulary: Vocabulary) -> frozenset[str]:
    names: set[str] = set()
    for dataset in vocabulary.model.datasets:
        for item in dataset.fields:
            if item.sensitive:
                names |= {item.name.lower(), item.label.lower(), item.expression.lower()}
                names |= {column.name.lower() for column in _columns_of(item.expression)}
    return frozenset(names)


def _columns_of(expression: str) -> list[exp.Column]:
    try:
        return list(sqlglot.parse_one(expression).find_all(exp.Column))
    except SqlglotError:
        return []


def _spread(tree: exp.Expr, sensitive: frozenset[str], rows: frozenset[str]) -> frozenset[str]:
    """Add every alias that carries a sensitive value, until no more are found."""
    carriers = sensitive
    while True:
        found = {alias.alias.lower() for alias in tree.find_all(exp.Alias) if _shows(alias.this, carriers, rows)}
        for renamed in tree.find_all(exp.TableAlias):
            if renamed.columns and renamed.parent is not None and _shows(renamed.parent, carriers, rows):
                found |= {column.name.lower() for column in renamed.columns}
        if found <= carriers:
            return carriers
        carriers |= found


def _shows(item: exp.Expr, carriers: frozenset[str], rows: frozenset[str]) -> bool:
    """Tell whether a value of a carrier comes through; a bare table name stands for all columns of its row."""
    return any(
        (column.name.lower() in carriers or (not column.table and column.name.lower() in rows))
        and column.find_ancestor(exp.Count) is None
        for column in item.find_all(exp.Column)
    )
