"""The web page: which screens there are. `make app` serves it through `server.py`."""

from pathlib import Path

import streamlit as st

PAGES = Path(__file__).parent / "pages"
ICON = PAGES / "drawing" / "icon.svg"

st.set_page_config(page_title="Banking Assistant", page_icon=ICON, layout="centered")
st.logo(ICON, size="large")
st.navigation(
    {
        "Questions": [
            st.Page(PAGES / "ask.py", title="Ask", icon=":material/forum:", url_path="ask", default=True),
            st.Page(PAGES / "investigate.py", title="Investigate", icon=":material/travel_explore:"),
            st.Page(PAGES / "chat.py", title="Chat", icon=":material/support_agent:"),
        ],
        "Kept": [
            st.Page(PAGES / "dashboards.py", title="Dashboards", icon=":material/dashboard:"),
            st.Page(PAGES / "evaluation.py", title="Evaluation", icon=":material/fact_check:"),
        ],
        "The bank's data": [
            st.Page(PAGES / "catalogue.py", title="Catalogue", icon=":material/menu_book:"),
            st.Page(PAGES / "your_data.py", title="Your data", icon=":material/upload_file:"),
            st.Page(PAGES / "settings.py", title="Settings", icon=":material/settings:"),
        ],
        "Trust": [
            st.Page(PAGES / "verified.py", title="Verified answers", icon=":material/verified:"),
            st.Page(PAGES / "history.py", title="History", icon=":material/history:"),
        ],
    },
    position="sidebar",
    expanded=True,
).run()
