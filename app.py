"""The web page. `make app` serves it through `server.py`."""

from pathlib import Path

import streamlit as st

from pages.screens import FIRST, SCREENS, Screen

PAGES = Path(__file__).parent / "pages"
ICON = PAGES / "drawing" / "icon.svg"


def drawn(screen: Screen) -> st.Page:
    """Return a screen as Streamlit knows it."""
    return st.Page(
        PAGES / f"{screen.name}.py",
        title=screen.title,
        icon=f":material/{screen.icon}:",
        url_path=screen.name,
        default=screen is FIRST,
    )


st.set_page_config(page_title="Banking Assistant", page_icon=ICON, layout="centered")
st.logo(ICON, size="large")
sections = {section: [drawn(screen) for screen in screens] for section, screens in SCREENS.items()}
st.navigation(sections, position="sidebar", expanded=True).run()
