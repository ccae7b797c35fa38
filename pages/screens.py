"""Which screens there are, as the sidebar lists them; each is drawn by the file of its name in this folder."""

from typing import NamedTuple


class Screen(NamedTuple):
    """One screen: its file and address, what it is called, and its Material icon."""

    name: str
    title: str
    icon: str


FIRST = Screen("ask", "Ask", "forum")
SCREENS = {
    "Questions": (
        FIRST,
        Screen("investigate", "Investigate", "travel_explore"),
        Screen("chat", "Chat", "support_agent"),
    ),
    "Kept": (
        Screen("dashboards", "Dashboards", "dashboard"),
        Screen("evaluation", "Evaluation", "fact_check"),
    ),
    "The bank's data": (
        Screen("catalogue", "Catalogue", "menu_book"),
        Screen("your_data", "Your data", "upload_file"),
        Screen("settings", "Settings", "settings"),
    ),
    "Trust": (
        Screen("verified", "Verified answers", "verified"),
        Screen("history", "History", "history"),
    ),
}
