"""A summary on its way, below the rule-made one that stands until it is whole."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.drawing.escaping import as_prose
from pages.telling import Telling

_TICK_S = 0.3


@st.fragment(run_every=_TICK_S)
def draw_telling(telling: Telling, words: str, key: str, done: Callable[[], None]) -> None:
    """Draw the words that stand, the sentences that have come and a button; only this is drawn again as it grows.

    Args:
        telling: the summary.
        words: what is said meanwhile, as HTML.
        key: of the exchange.
        done: called once the summary has ended, before the page is drawn anew.
    """
    if f"telling_{key}" in st.session_state:  # at first rows and chart are on their way to the screen
        telling.listen()
    st.session_state[f"telling_{key}"] = True
    if telling.answer is not None:
        del st.session_state[f"telling_{key}"]
        done()
        st.rerun()
    with st.container():
        note = f'<p class="ba-note">{"As it comes:" if telling.text else "The language model is telling it too …"}</p>'
        text = f'<p class="ba-more" role="status">{as_prose(telling.text)}</p>' if telling.text else ""
        st.html(f"{words}{note}{text}")
        st.button(
            "Stop the summary", key=f"stop_{key}", type="tertiary", icon=":material/stop_circle:",
            on_click=telling.stop,
        )  # fmt: skip
