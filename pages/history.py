"""The history: who asked what, what ran, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.errors import AssistantError, NotPermitted
from backend.store.audit_trail import Wanted
from backend.trust.audit_book import AuditBook, Page
from pages import session, source
from pages.drawing.history.chain import draw_chain
from pages.drawing.history.entries import draw_entries, draw_entry
from pages.drawing.history.filters import draw_filters, go_to, place
from pages.drawing.states import draw_empty, draw_failed, draw_no_permission
from pages.drawing.style import apply_style
from pages.drawing.welcome import draw_heading, opened

if TYPE_CHECKING:
    from backend.answers.withheld import Judge
    from backend.service import Assistant

_PER_PAGE = 50


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    draw_heading("History")
    assistant = opened(session.get_assistant, "the assistant", st.empty())
    if assistant is None:
        return
    try:
        _draw(assistant, source.judges(), session.visitor())
    except NotPermitted:
        draw_no_permission("see who asked what, as nobody knows who you are")
    except AssistantError as fault:
        draw_failed(fault.user_message)


def _draw(assistant: Assistant, judge_of: Callable[[str], Judge | None], who: str) -> None:
    book = assistant.history.beside(judge_of)
    settings, of_all = assistant.settings, book.sees_all(who)
    kept = f"kept for {settings.audit_days:g} days" if settings.audit_days else "never removed"
    whose = "What everybody asked" if of_all else "What you asked"
    st.html(f'<p class="ba-muted">{whose}, with the SQL and what came of it. Entries are only added, and {kept}.</p>')
    if not settings.audit:
        st.html('<p class="ba-warning">Nothing new is noted: the audit trail is switched off (BANK_AUDIT).</p>')
    wanted = draw_filters(of_all=of_all)
    before, after = place()
    page = book.page(who, wanted, _PER_PAGE, before=before, after=after)
    if not page.entries:
        _draw_nothing(wanted)
        return
    chosen = draw_entries(page.entries, of_all=of_all)
    opened_now = source.opener()
    _draw_below(lambda: opened_now().history.beside(judge_of), who, wanted, page, settings.audit_export_rows)
    if chosen is not None:
        draw_entry(chosen)
    draw_chain(book, may_check_all=of_all)


def _draw_nothing(wanted: Wanted) -> None:
    if wanted == Wanted():
        draw_empty("Nothing has been asked yet", "Questions appear here as soon as they are answered.")
    else:
        draw_empty("Nothing fits", "Take a filter away, or search for a part of a word.")


def _draw_below(book_now: Callable[[], AuditBook], who: str, wanted: Wanted, page: Page, most: int) -> None:
    """Offer the pages beside this one, and all entries that fit as a file; `book_now` is as of when it is written."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        with st.container(horizontal=True, gap="xsmall", width="content"):
            st.button(
                "Newer", icon=":material/chevron_left:", type="tertiary", disabled=not page.has_newer,
                key="history_newer", on_click=go_to, args=(None, page.entries[0].number),
            )  # fmt: skip
            st.button(
                "Older", icon=":material/chevron_right:", type="tertiary", disabled=not page.has_older,
                key="history_older", on_click=go_to, args=(page.entries[-1].number, None),
            )  # fmt: skip
        with st.container(horizontal=True, gap="xsmall", width="content"):
            for label, write, kind, mime in (
                ("CSV", AuditBook.csv, "csv", "text/csv"),
                ("JSON Lines", AuditBook.json_lines, "jsonl", "application/jsonl"),
            ):
                st.download_button(
                    label, data=partial(_file, write, book_now, who, wanted, most), file_name=f"history.{kind}",
                    mime=mime, key=f"history_{kind}", type="tertiary", icon=":material/download:", on_click="ignore",
                    help=f"Download the entries that fit, the newest {most:,} at most, as {label}",
                )  # fmt: skip


def _file(
    write: Callable[[AuditBook, str, Wanted, int], Iterator[bytes]], book_now: Callable[[], AuditBook], who: str,
    wanted: Wanted, most: int,
) -> bytes:  # fmt: skip
    return b"".join(write(book_now(), who, wanted, most))


show()
