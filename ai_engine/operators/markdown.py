"""Tables and texts of the data as Markdown, letter by letter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ai_engine.agent import TabularResult
from ai_engine.operators.column_meanings import cell_in_words
from ai_engine.types import OutputColumn

_TICKS = re.compile(r"`+")
_MARKS = re.compile(r"([\\`*_\[\]<>|#~])")


def table_text(table: TabularResult, columns: Mapping[str, OutputColumn], currency: str | None, max_rows: int) -> str:
    """Write the first rows as a Markdown table, figures to the right, and how many more rows there are."""
    cells = {name: [row.get(name) for row in table.rows] for name in columns}
    lines = [
        table_line([escaped(column.label) for column in columns.values()]),
        table_line(["---:" if column.role == "measure" else "---" for column in columns.values()]),
    ]
    for row in table.rows[:max_rows]:
        written = (cell_in_words(row.get(name), column, cells[name], currency) for name, column in columns.items())
        lines.append(table_line([escaped(text) for text in written]))
    left = table.row_count - max_rows
    more = f"\n\n… and {left:,} more {'row' if left == 1 else 'rows'}" if left > 0 else ""
    return "\n".join(lines) + more


def table_line(cells: Sequence[str]) -> str:
    """Write cells that are escaped as a line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Keep a text of the data, on one line, from being read as Markdown or HTML."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def fenced(text: str, language: str) -> str:
    """Write a text as a block that no line of it can end."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.strip()}\n{fence}"
