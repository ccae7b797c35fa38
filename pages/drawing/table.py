"""The rows of an answer, and how many they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from numbers import Integral, Number
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st
from pandas.io.formats.style import Styler

from ai_engine.formats import DateFormat, Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.insight.rewritten import in_formats
from ai_engine.insight.totals import totals_of
from ai_engine.seen_text import seen
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer, OutputColumn, QueryResult, Scalar
from backend.answers.exports import neutralise
from backend.charts.text import part_days, spelled
from pages.drawing.escaping import as_html
from pages.drawing.export import draw_export

FIRST_ROWS = 100
"""Rows of an answer drawn before somebody asks for all of them."""
WRITTEN_ROWS = 2_000
"""Rows whose every cell is written here; beyond them it would take seconds."""
_LARGEST_INTEGER = 2**63 - 1
_DECIMAL_DIGITS = 38
_DAYS: dict[DateFormat | None, str] = {
    None: "D MMMM YYYY", "iso": "YYYY-MM-DD", "short": "D MMM YYYY", "slashes": "DD/MM/YYYY",
}  # fmt: skip


def draw_table(
    result: QueryResult, columns: tuple[OutputColumn, ...], formats: Formats, *, key: str,
    on_marked: Callable[[], None] | None = None,
) -> None:  # fmt: skip
    """Draw the first rows, or all once they were asked for: written in the bank's format, sorted by what they are.

    Very many rows are written by the browser as they come into sight, in its own format with the units in the headings.
    With `on_marked`, a row can be marked.
    """
    if not st.session_state.get(_all_rows_key(key)):
        result = replace(result, rows=result.rows[:FIRST_ROWS])
    if result.row_count > WRITTEN_ROWS:
        sortable = [_sortable([row[place] for row in result.rows]) for place in range(len(columns))]
        rows: Styler | pa.Table = pa.table({str(place): _packed(cells) for place, cells in enumerate(sortable)})
        headings = {str(place): _heading(column, sortable[place], formats) for place, column in enumerate(columns)}
    else:
        rows = written_rows(result, columns, formats)
        headings = {
            str(place): st.column_config.Column(
                seen(column.label), alignment="right" if column.role == "measure" else "left"
            )
            for place, column in enumerate(columns)
        }
    marks: dict[str, Any] = {"on_select": on_marked, "selection_mode": "single-row"} if on_marked else {}
    st.dataframe(rows, hide_index=True, column_config=headings, key=table_key(key), placeholder="–", **marks)


def table_key(key: str) -> str:
    """Name the table of an answer, in whose state a marked row stands."""
    return f"table_{key}"


def draw_totals(answer: Answer, vocabulary: Vocabulary, formats: Formats) -> None:
    """Say what the figures that are parts of one whole come to, over all rows and not only those drawn."""
    result = answer.result
    found = totals_of(answer, vocabulary)
    if result is None or not found:
        return
    of_shown = f" of the {result.row_count:,} shown" if result.truncated else ""
    said = "".join(
        f"<span>{as_html(column.label)} <b>{as_html(format_cell(total, column, formats))}</b></span>"
        for column, total in found
    )
    st.html(f'<p class="ba-totals"><span>Total{of_shown}</span>{said}</p>')


def draw_row_count(answer: Answer, result: QueryResult, *, key: str, asked_by: str = "") -> None:
    """Say how many rows there are, above all when they are not all, and offer them all, and as a file."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        style = "ba-warning" if result.truncated else "ba-note ba-rows"
        st.html(f'<p class="{style}">{_said_of_rows(result, key)}</p>', width="content")
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", width="content"):
            if result.row_count > FIRST_ROWS and not st.session_state.get(_all_rows_key(key)):
                st.button(
                    f"Show all {result.row_count:,}",
                    key=f"more_{key}",
                    on_click=_show_all,
                    args=(key,),
                    type="tertiary",
                )
            draw_export(answer, result, key=key, asked_by=asked_by)


def _said_of_rows(result: QueryResult, key: str) -> str:
    fetched = f"{result.row_count:,} row{'s' * (result.row_count != 1)}"
    if result.truncated:
        of_all = f" of {result.total_rows:,}" if result.total_rows is not None else "; there are more"
        return f"First {fetched}{of_all}. Ask for a total, or narrow the question."
    if result.row_count > FIRST_ROWS and not st.session_state.get(_all_rows_key(key)):
        return f"First {FIRST_ROWS} of {fetched}"
    return fetched


def _all_rows_key(key: str) -> str:
    return f"all_rows_{key}"


def _show_all(key: str) -> None:
    st.session_state[_all_rows_key(key)] = True


def written_rows(result: QueryResult, columns: tuple[OutputColumn, ...], formats: Formats) -> Styler:
    """Pair each cell with its text; what is copied into a spreadsheet is the cell, neutralised."""
    writers: dict[Any, str | Callable[[object], str] | None] = {
        str(place): partial(
            _written, column=column, cells=_telling([row[place] for row in result.rows]), formats=formats
        )
        for place, column in enumerate(columns)
    }
    return _frame(result, columns).style.format(writers, na_rep="")


def _frame(result: QueryResult, columns: tuple[OutputColumn, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {str(place): _sortable([row[place] for row in result.rows]) for place in range(len(columns))}, dtype=object
    )


def _packed(cells: list[Scalar]) -> pa.Array:
    """Pack cells of one kind as the browser takes them; numbers whose digits do not fit beside each other as text."""
    try:
        return pa.array(cells)
    except pa.ArrowInvalid:
        return pa.array([None if cell is None else str(cell) for cell in cells])


def _heading(column: OutputColumn, cells: list[Scalar], formats: Formats) -> Any:
    """Say how the browser is to write a column: figures grouped, with their unit beside the heading, dates spelled.

    It groups figures as its own country does: it has no words for lakh.
    """
    first = next((cell for cell in cells if cell is not None), None)
    label = seen(column.label)
    if isinstance(first, datetime):
        return st.column_config.DatetimeColumn(label, format=f"{_DAYS[formats.dates]}, HH:mm:ss")
    if isinstance(first, date):
        return st.column_config.DateColumn(label, format=_DAYS[formats.dates])
    if column.role == "measure" and isinstance(first, Number) and not isinstance(first, bool):
        unit = f" ({column.unit})" if column.unit and column.unit != "count" else ""
        return st.column_config.NumberColumn(f"{label}{seen(unit)}", format="localized")
    if isinstance(first, Integral) and not isinstance(first, bool):
        return st.column_config.NumberColumn(label, format="%d", alignment="left")
    return st.column_config.Column(label)


def _telling(cells: list[Scalar]) -> list[Scalar]:
    """Return cells that tell of all how finely they step in time, or that they come round again."""
    different = list(dict.fromkeys(cells))
    numbers = [cell for cell in different if isinstance(cell, int | float)]
    others = [cell for cell in different if not isinstance(cell, int | float)]
    inside = [cell for cell in others if isinstance(cell, date) and cell.day != 1]
    return [*others[:2], *inside[:1], *([min(numbers), max(numbers)] if numbers else [])]


def _written(cell: Scalar, column: OutputColumn, cells: list[Scalar], formats: Formats) -> str:
    """Write a cell, and of a step that is covered only in part, the days that are."""
    days = next((days for step, days in column.part_steps if step == cell), None)
    partly = f" (only {part_days(in_formats(days, formats))})" if days else ""
    return _encodable(spelled(cell, column, cells, formats) + partly)


def _encodable(text: str) -> str:
    """Halves of characters, of which tools send some, end the drawing of a whole table."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _sortable(cells: list[Scalar]) -> list[Scalar]:
    """Keep cells of one kind as they are; what the browser's table format cannot hold becomes text."""
    present = [cell for cell in cells if cell is not None]
    kinds = {type(cell) for cell in present}
    if kinds <= {int, Decimal} and all(_fits(cell) for cell in present):
        return [Decimal(cell) if Decimal in kinds and isinstance(cell, int) else cell for cell in cells]
    if kinds in ({float}, {bool}, {date}) or (kinds == {datetime} and len({cell.tzinfo for cell in present}) == 1):  # type: ignore[union-attr]
        return cells
    return [None if cell is None else _encodable(neutralise(str(cell))) for cell in cells]


def _fits(number: Scalar) -> bool:
    if isinstance(number, Decimal):
        return number.is_finite() and abs(number.adjusted()) + len(number.as_tuple().digits) <= _DECIMAL_DIGITS
    return isinstance(number, int) and -_LARGEST_INTEGER <= number <= _LARGEST_INTEGER
