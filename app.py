"""The web page: which screens there are. `make app` serves it through `server.py`."""

from pathlib import Path

import streamlit as st

PAGES = Path(__file__).parent / "pages"

st.set_page_config(page_title="Banking Assistant", page_icon=PAGES / "drawing" / "icon.svg", layout="centered")
st.navigation(
    [
        st.Page(PAGES / "ask.py", title="Ask", url_path="ask", default=True),
        st.Page(PAGES / "investigate.py", title="Investigate", url_path="investigate"),
        st.Page(PAGES / "chat.py", title="Chat", url_path="chat"),
    ],
    position="hidden",
).run()
