"""Whether the figures by group are the whole figure, below the answer as soon as it is known."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ai_engine.tie_out import TieOut
from pages.drawing.escaping import as_html
from pages.formats import for_visitor
from pages.session import Exchange

_CLASSES = {"ties out": "ba-note ba-ties", "differs": "ba-warning ba-differs", "not checked": "ba-note"}


def draw_tie_out(exchange: Exchange, done: Callable[[], None]) -> None:
    """Draw what the check found; one that is under way is waited for here, as all else is on the screen already.

    Args:
        exchange: the answer, and what is left of its run.
        done: called once the check has ended.
    """
    found, telling = exchange.answer.tie_out, exchange.telling
    place = st.empty()
    if found is None and telling is not None and not telling.summary_follows:
        while telling.answer is None:
            place.html('<p class="ba-note" role="status">Holding the figures against their total …</p>')
            telling.listen()
        done()
        found = telling.answer.tie_out
    if found is None:
        place.empty()
    else:
        place.html(_said(found))


def _said(found: TieOut) -> str:
    alert = ' role="alert"' if found.outcome == "differs" else ""
    return f'<p class="{_CLASSES[found.outcome]}"{alert}>{as_html(for_visitor(found.said))}</p>'
