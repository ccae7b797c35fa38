"""What of an answer can be taken away as a file, in one menu; a file is written only when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.errors import NotPermitted
from ai_engine.formats import Formats
from ai_engine.types import Answer, QueryResult
from backend.answers.excel import said_of, to_excel
from backend.answers.exports import file_name, to_csv
from backend.answers.withheld import as_may_be_shown
from backend.charts import title_of
from backend.sources.source import name_in
from pages import session, source
from pages.drawing.escaping import as_html
from pages.formats import visitor_formats
from pages.session import Exchange

if TYPE_CHECKING:
    from backend.service import Assistant

_EXCEL_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def draw_export(answer: Answer, result: QueryResult, *, key: str, asked_by: str = "") -> None:
    """Draw the menu below the rows of an answer; `key` is that of the answer on its page.

    Evidence names who asked, this visitor where `asked_by` is empty, and who takes it away.
    A file is written after the run of the page, under the rules that are in force by then.
    """
    title, day = title_of(answer), answer.answered_at.date() if answer.answered_at else None
    opened_now, said = source.opener(), session.exchanges()

    def name(suffix: str) -> str:
        return file_name(title, suffix, day)

    with st.popover("Export", icon=":material/download:", type="tertiary", key=f"export_{key}"):
        with st.container(horizontal=True, gap="xsmall"):
            _offer("CSV", "The rows", name("csv"), "text/csv", partial(_csv, answer, result, opened_now), key)
            excel = partial(_excel, answer, result, title, opened_now)
            _offer("Excel", "The rows, and what they rest on", name("xlsx"), _EXCEL_TYPE, excel, key)
        st.html(_picture_buttons(name("").rstrip("."), key))
        if answer.sql:
            what, who = "A sealed ZIP: question, SQL, source, rows, hashes", session.visitor()
            pack = partial(_evidence, answer, opened_now, asked_by or who, who)
            _offer("Evidence pack", what, name("zip"), "application/zip", pack, key)
        if any(exchange.answer is answer for exchange in said):
            what, conversation = (
                "All questions and answers as one HTML file",
                partial(_conversation, said, opened_now, visitor_formats()),
            )
            _offer("Conversation", what, name("html"), "text/html", conversation, key)


def _offer(label: str, what: str, name: str, mime_type: str, write: Callable[[], bytes], key: str) -> None:
    st.download_button(
        label, data=write, file_name=name, mime=mime_type, key=f"{name.rpartition('.')[2]}_{key}", help=what,
        type="tertiary", on_click="ignore",
    )  # fmt: skip


def _picture_buttons(name: str, key: str) -> str:
    """Write the buttons that save the chart, where one is shown; the browser does it, as `style.py` tells it to."""
    buttons = f'.ba-save[data-of="{key}"]'
    hidden = (
        f"body:not(:has(.st-key-result_{key} .js-plotly-plot)) "
        f'[data-testid="stElementContainer"]:has({buttons}) {{ display: none }}'
    )
    return f"<style>{hidden}</style>" + "".join(
        f'<button type="button" class="ba-save" data-of="{as_html(key)}" data-picture="{kind.lower()}" '
        f'data-name="{as_html(name)}" title="Save the chart as {kind}">{kind}</button>'
        for kind in ("PNG", "SVG")
    )


def _csv(answer: Answer, result: QueryResult, opened_now: Callable[[], Assistant]) -> bytes:
    _permitted(answer, opened_now())
    return b"".join(to_csv(result, bom=True))


def _excel(answer: Answer, result: QueryResult, title: str, opened_now: Callable[[], Assistant]) -> bytes:
    told = _permitted(answer, opened_now())
    return to_excel(result, said_of(told, title), told.columns)


def _evidence(answer: Answer, opened_now: Callable[[], Assistant], asked_by: str, exported_by: str) -> bytes:
    from backend.answers.evidence import evidence_pack

    assistant = opened_now()
    return evidence_pack(_permitted(answer, assistant), assistant, asked_by, exported_by)


def _conversation(said: Sequence[Exchange], opened_now: Callable[[], Assistant], formats: Formats) -> bytes:
    from backend.answers.conversation_html import conversation_html

    assistant = opened_now()
    answers = [as_may_be_shown(exchange.answer, assistant.check, assistant.policy).answer for exchange in said]
    return conversation_html(answers, assistant.vocabulary, formats, name_in(assistant.kept_as)).encode()


def _permitted(answer: Answer, assistant: Assistant) -> Answer:
    """Return what may be shown since an answer was drawn; raises NotPermitted where its figures may not be."""
    shown = as_may_be_shown(answer, assistant.check, assistant.policy)
    if shown.why:
        raise NotPermitted(shown.why)
    return shown.answer
