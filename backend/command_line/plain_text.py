"""Answers and results as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.json_values import scalar_to_json
from ai_engine.said_scan import said_read
from ai_engine.trust import said_of_age, said_of_trust
from ai_engine.types import Answer, QueryResult, Scalar

_MAX_ROWS_SHOWN = 20
_MAX_CELL_CHARS = 40


def answer_text(answer: Answer, formats: Formats) -> str:
    """Write an answer: words, rows, SQL, assumptions and what it rests on; `formats` are the reader's."""
    parts = [cleaned(answer.summary or answer.error or "", keep_lines=True)]
    if answer.result is not None and answer.result.rows:
        parts.append(answer_table(answer, answer.result, formats))
    if answer.sql is not None:
        parts.append(cleaned(answer.sql, keep_lines=True))
    parts += [
        _list(title, items)
        for title, items in (
            ("Assumptions", answer.assumptions),
            ("Did you mean", answer.choices),
            ("You could ask", answer.suggestions),
        )
        if items
    ]
    if answer.result is not None and answer.result.expected is not None and (said := said_read(answer.result.expected)):
        parts.append(said)
    if said := said_of_age(answer):
        parts.append(said)
    if answer.trust is not None:
        parts.append(cleaned(said_of_trust(answer)))
    if answer.tie_out is not None:
        parts.append(cleaned(answer.tie_out.said))
    parts.append(f"{answer.model}, {answer.timings_ms.get('total', 0.0):,.0f} ms")
    return "\n\n".join(parts)


def result_text(result: QueryResult) -> str:
    """Write the result of a statement, cells as they are."""
    numeric = [kind in ("integer", "decimal", "float") for kind in result.types]
    rows = [[_plain(cell) for cell in row] for row in result.rows[:_MAX_ROWS_SHOWN]]
    return _table(result.columns, rows, numeric) + _rest(result)


def answer_table(answer: Answer, result: QueryResult, formats: Formats) -> str:
    """Write the rows of an answer, cells in the units of their columns."""
    if len(answer.columns) != len(result.columns):
        return result_text(result)
    rows = [
        [format_cell(cell, column, formats) for cell, column in zip(row, answer.columns, strict=True)]
        for row in result.rows[:_MAX_ROWS_SHOWN]
    ]
    table = _table(
        [column.label or column.name for column in answer.columns],
        rows,
        [column.role == "measure" for column in answer.columns],
    )
    return table + _rest(result)


def _rest(result: QueryResult) -> str:
    more = result.row_count - _MAX_ROWS_SHOWN
    if more > 0:
        return f"\n... and {more:,} more row{'s' * (more != 1)}{', the first of even more' * result.truncated}"
    return "\n... and more rows" if result.truncated else ""


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    cells = [[_crop(cell) for cell in row] for row in (headers, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if numeric else cell.ljust(width)
            for cell, width, numeric in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _list(title: str, items: Sequence[str]) -> str:
    return "\n".join([f"{title}:", *(f"  - {cleaned(item)}" for item in items)])


def _plain(cell: Scalar) -> str:
    return "" if cell is None else str(scalar_to_json(cell))


def _crop(text: str) -> str:
    text = cleaned(text)
    return text if len(text) <= _MAX_CELL_CHARS else text[: _MAX_CELL_CHARS - 1] + "…"


def cleaned(text: str, *, keep_lines: bool = False) -> str:
    """Blank what a terminal would obey instead of show; cells come from outside."""
    return "".join(char if char.isprintable() or (keep_lines and char == "\n") else " " for char in text)
