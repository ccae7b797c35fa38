"""The rows of an answer, and the file they can be taken away in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from ai_engine.types import Answer, OutputColumn, QueryResult, Scalar
from backend.charts import title_of
from backend.charts.text import part_days, spelled
from backend.excel import said_of, to_excel
from backend.exports import file_name, neutralise, to_csv
from backend.seen_text import seen
from pages.drawing.escaping import as_html

FIRST_ROWS = 100
"""Rows of an answer drawn before somebody asks for all of them."""
_LARGEST_INTEGER = 2**63 - 1
_DECIMAL_DIGITS = 38
_EXCEL_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def draw_table(result: QueryResult, columns: tuple[OutputColumn, ...], currency: str | None, *, key: str) -> None:
    """Draw the first rows, or all once they were asked for: written in the bank's format, sorted by what they are."""
    if not st.session_state.get(_all_rows_key(key)):
        result = replace(result, rows=result.rows[:FIRST_ROWS])
    headings = {
        str(place): st.column_config.Column(
            seen(column.label), alignment="right" if column.role == "measure" else "left"
        )
        for place, column in enumerate(columns)
    }
    rows = written_rows(result, columns, currency)
    st.dataframe(rows, hide_index=True, column_config=headings, key=f"table_{key}", placeholder="–")


def draw_row_count(answer: Answer, result: QueryResult, *, key: str) -> None:
    """Say how many rows there are, above all when they are not all, and offer them all, and as a file."""
    title = title_of(answer)
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
            write_csv, write_excel = partial(_csv, result), partial(_excel, answer, result, title)
            _offer_file("CSV", file_name(title, "csv"), "text/csv", write_csv, key)
            _offer_file("Excel", file_name(title, "xlsx"), _EXCEL_TYPE, write_excel, key)
            st.html(_picture_buttons(file_name(title, "")), width="content")


def _said_of_rows(result: QueryResult, key: str) -> str:
    fetched = f"{result.row_count:,} row{'s' * (result.row_count != 1)}"
    if result.truncated:
        of_all = f"{result.total_rows:,}" if result.total_rows is not None else "more"
        return f"First {fetched} of {of_all}. Ask for a total, or narrow the question."
    if result.row_count > FIRST_ROWS and not st.session_state.get(_all_rows_key(key)):
        return f"First {FIRST_ROWS} of {fetched}"
    return fetched


def _all_rows_key(key: str) -> str:
    return f"all_rows_{key}"


def _show_all(key: str) -> None:
    st.session_state[_all_rows_key(key)] = True


def _picture_buttons(name: str) -> str:
    """Write the buttons that save the chart above; the browser does it, as `style.py` tells it to."""
    return "".join(
        f'<button type="button" class="ba-save" data-picture="{kind.lower()}" data-name="{as_html(name.rstrip("."))}" '
        f'title="Save the chart as {kind}">{kind}</button>'
        for kind in ("PNG", "SVG")
    )


def _csv(result: QueryResult) -> bytes:
    return b"".join(to_csv(result, bom=True))


def _excel(answer: Answer, result: QueryResult, title: str) -> bytes:
    return to_excel(result, said_of(answer, title))


def _offer_file(label: str, name: str, mime_type: str, write: Callable[[], bytes], key: str) -> None:
    """Draw a button; the file is written only when somebody asks for it."""
    st.download_button(
        label,
        data=write,
        file_name=name,
        mime=mime_type,
        key=f"{name.rpartition('.')[2]}_{key}",
        help=f"Download the rows as {label}",
        type="tertiary",
        on_click="ignore",
    )


def written_rows(result: QueryResult, columns: tuple[OutputColumn, ...], currency: str | None) -> Styler:
    """Pair each cell with its text; what is copied into a spreadsheet is the cell, neutralised."""
    frame = pd.DataFrame(
        {str(place): _sortable([row[place] for row in result.rows]) for place in range(len(columns))}, dtype=object
    )
    writers = {
        str(place): partial(_written, column=column, cells=[row[place] for row in result.rows], currency=currency)
        for place, column in enumerate(columns)
    }
    return frame.style.format(writers, na_rep="")


def _written(cell: Scalar, column: OutputColumn, cells: list[Scalar], currency: str | None) -> str:
    """Write a cell, and of a step that is covered only in part, the days that are."""
    days = next((days for step, days in column.part_steps if step == cell), None)
    return spelled(cell, column, cells, currency) + (f" (only {part_days(days)})" if days else "")


def _sortable(cells: list[Scalar]) -> list[Scalar]:
    """Keep cells of one kind as they are; what the browser's table format cannot hold becomes text."""
    present = [cell for cell in cells if cell is not None]
    kinds = {type(cell) for cell in present}
    if kinds <= {int, Decimal} and all(_fits(cell) for cell in present):
        return [Decimal(cell) if Decimal in kinds and isinstance(cell, int) else cell for cell in cells]
    if kinds in ({float}, {bool}, {date}) or (kinds == {datetime} and len({cell.tzinfo for cell in present}) == 1):  # type: ignore[union-attr]
        return cells
    return [None if cell is None else neutralise(str(cell)) for cell in cells]


def _fits(number: Scalar) -> bool:
    if isinstance(number, Decimal):
        return number.is_finite() and abs(number.adjusted()) + len(number.as_tuple().digits) <= _DECIMAL_DIGITS
    return isinstance(number, int) and -_LARGEST_INTEGER <= number <= _LARGEST_INTEGER
