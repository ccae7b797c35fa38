"""Whether the history is as it was written."""

from __future__ import annotations

import streamlit as st

from backend.store.audit_chain import Chain
from backend.trust.audit_book import AuditBook
from pages.drawing.escaping import as_html

_LOOKED_AT = 500
_WHOLE = "history_chain"


def draw_chain(book: AuditBook, *, may_check_all: bool) -> None:
    """Say whether the chain of the newest entries is whole; whoever may has all of it looked through."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        told = st.empty()
        if may_check_all and st.button("Check the whole chain", key="history_check", type="tertiary",
                                       icon=":material/verified_user:"):  # fmt: skip
            with st.spinner("Looking through every entry …"):
                st.session_state[_WHOLE] = book.chain()
    whole: Chain | None = st.session_state.get(_WHOLE)
    told.html(_said(whole, "all") if whole is not None else _said(book.chain(_LOOKED_AT), "the newest"))


def _said(chain: Chain, which: str) -> str:
    if chain.broken_at is not None:
        why = as_html(chain.why)
        return f'<p class="ba-problem" role="alert">The chain is broken at entry {chain.broken_at:,}: {why}.</p>'
    missing = f" {chain.missed:,} answers are said to be missing." if chain.missed else ""
    killed = f" Processes that were killed, with what they had not written: {chain.killed:,}." if chain.killed else ""
    return (
        f'<p class="ba-note">Unchanged since written: {which} {chain.entries:,} entries.{missing}{killed} '
        f"Head {chain.last:,}:{chain.head[:12]}</p>"
    )
