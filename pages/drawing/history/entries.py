"""The entries of the history as a table, and one of them whole."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from ai_engine.seen_text import seen
from backend.configuration.about import shown_address
from backend.store.audit_trail import KeptEntry
from pages import source
from pages.drawing.escaping import as_html

_STEPS = ("intent", "sql", "validation", "execution", "insight", "total")


def draw_entries(entries: list[KeptEntry], *, of_all: bool) -> KeptEntry | None:
    """Draw a table, one row of which can be chosen, and return that one's entry."""
    frame = pd.DataFrame([_row(one, of_all=of_all) for one in entries])
    columns = {
        "Time": st.column_config.DatetimeColumn("Time (UTC)", format="YYYY-MM-DD HH:mm", width=135),
        "Question": st.column_config.TextColumn(width="large"),
        "ms": st.column_config.NumberColumn("Time, ms"),
    }
    shown = st.dataframe(
        frame, hide_index=True, column_config=columns, on_select="rerun", selection_mode="single-row",
        key=f"history_rows_{entries[0].number}", placeholder="–", alt="Entries of the history, the newest first",
    )  # fmt: skip
    chosen = shown.selection.rows
    return entries[chosen[0]] if chosen and chosen[0] < len(entries) else None


def draw_entry(kept: KeptEntry) -> None:
    """Draw one entry whole."""
    entry = kept.entry
    decision = {"let through": "let the statement through", "refused": "refused the statement"}.get(entry.decision)
    facts = {
        "Asked": f"{entry.at:%Y-%m-%d %H:%M:%S} UTC by {entry.person or 'nobody known'}, {entry.door}",
        "Understood as": entry.restatement,
        "Status": entry.status + (f" ({entry.error_kind})" if entry.error_kind else ""),
        "The guard": f"{decision}{': ' if entry.reason else ''}{entry.reason}" if decision else "",
        "Rows": "" if entry.row_count is None else f"{entry.row_count:,}",
        "Time": _timings(entry.timings_ms),
        "Answered by": entry.model,
        "Database": _named(entry.database),
        "Question id": entry.question_id,
        "Hash of the rows": entry.result_hash,
        "Hash of the entry": kept.hash,
        "Missing before it": f"{entry.missed:,} answers, as the store was away" if entry.missed else "",
    }
    with st.container(border=True, key="history_entry"):
        st.html(f"<h3>Entry {kept.number:,}: {as_html(entry.question or 'a statement of their own')}</h3>")
        rows = "".join(f"<tr><th>{name}</th><td>{as_html(text)}</td></tr>" for name, text in facts.items() if text)
        st.html(f'<table class="ba-facts">{rows}</table>')
        if entry.sql:
            st.code(entry.sql, language="sql", wrap_lines=True)


def _named(address: str) -> str:
    """Write an address, which earlier entries have with a role in it, behind the title of its source."""
    place = shown_address(address) or address
    titles = [one.title for one in source.permitted() if one.folder is None and shown_address(one.url) == place]
    return " · ".join((*titles[:1], place))


def _row(kept: KeptEntry, *, of_all: bool) -> dict[str, object]:
    entry = kept.entry
    return {
        "Time": entry.at.replace(tzinfo=None),
        **({"Person": seen(entry.person)} if of_all else {}),
        "Question": seen(entry.question or entry.sql),
        "Status": entry.status,
        "Rows": entry.row_count,
        "ms": entry.elapsed_ms,
    }


def _timings(text: str) -> str:
    spent = json.loads(text)
    return ", ".join(f"{step} {spent[step]:,.0f} ms" for step in _STEPS if spent.get(step))
