"""Which cells of a result may leave for a language model: none, figures over many rows, or its first rows.

What is sensitive never leaves, whatever the setting says.
"""

from __future__ import annotations

from sqlglot import exp

from ai_engine.errors import SqlRejected
from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.llm.aggregated import aggregated_columns
from ai_engine.llm.lineage import Computed, Lineage, Stored
from ai_engine.ports import InsightTask
from ai_engine.semantics.kept_back import sensitive_columns
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Scalar, SendRows

HIDDEN = "[hidden]"
_LONGEST_CELL_CHARS = 120


def disclosed_rows(task: InsightTask, vocabulary: Vocabulary, max_rows: int, hidden: frozenset[int]) -> str:
    """Return the first rows as tab separated lines under their labels, `hidden` columns replaced."""
    formats = Formats(vocabulary.model.currency)

    def written(position: int, cell: Scalar) -> str:
        if position in hidden:
            return HIDDEN
        return " ".join(format_cell(cell, task.columns[position], formats).split())[:_LONGEST_CELL_CHARS]

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
    """Find the result columns that show values of sensitive fields, whatever they are called on the way.

    Errs on the side of hiding: with sensitive fields in the vocabulary nothing of a statement that cannot be read is
    shown, and no column that cannot be followed. A count reveals no value.
    """
    sensitive = _sensitive_columns(vocabulary)
    if not sensitive:
        return frozenset()
    every = frozenset(range(len(task.columns)))
    try:
        lineage = Lineage(task.sql, vocabulary.catalogue)
    except SqlRejected:
        return every
    if any(len(select.selects) != len(task.columns) for select in lineage.lists):
        return every
    return frozenset(i for i in every if any(_shows(one.selects[i], sensitive, lineage) for one in lineage.lists))


def _sensitive_columns(vocabulary: Vocabulary) -> frozenset[Stored]:
    said = sensitive_columns(vocabulary.model, vocabulary.catalogue)
    return frozenset(
        Stored(table.name.lower(), column)
        for table in vocabulary.catalogue.tables
        for column in table.columns_among(vocabulary.kept_back) | table.columns_among(said)
    )


def _shows(item: exp.Expr, sensitive: frozenset[Stored], lineage: Lineage) -> bool:
    """Tell whether a value of a sensitive column comes through, at each column that the item stands for."""
    seen: set[tuple[str, str]] = set()
    stack = [item]
    while stack:
        for column in stack.pop().find_all(exp.Column):
            key = (column.table, column.name)
            if key in seen or isinstance(column.find_ancestor(exp.Count, exp.Select), exp.Count):
                continue
            seen.add(key)
            found = lineage.of(column)
            if found is None or found in sensitive:
                return True
            if isinstance(found, Computed):
                stack += [select.selects[place] for select, place in found.items]
    return False
