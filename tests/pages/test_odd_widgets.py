"""Widgets with a payload that nobody foresaw leave the page as it is."""

import pytest
from streamlit.testing.v1 import AppTest

from pages import session
from tests.pages import scripted

ROWS = [["a", 1], ["b", 2], ["c", 3]]
ODD = [
    {"columns": ["k", "n"], "rows": ROWS, "chart": ["bar"]},
    {"columns": ["k", "n"], "rows": ROWS, "chart": "no such chart"},
    {"columns": ["k", "n"], "rows": ROWS, "units": [1], "truncated": {}},
    {"columns": ["k", "n"], "rows": [["a", float("nan")], ["b", float("inf")], ["c", 10**400]]},
    {"columns": ["k", "n"], "rows": [["0000-00-00", 1], ["9999-12-31", "1e999999"]]},
    {"columns": ["\ud800", ""], "rows": [["\ud800", "\x00"], ["x" * 5000, None]]},
    {"columns": [{"name": "k"}, ["n"]], "rows": [[{"a": [1]}, [2]], {"k": 1}]},
    {"columns": [], "rows": None},
    [1],
]


def script(data: object) -> None:
    import streamlit as st

    from pages.drawing.contents import draw_content

    draw_content({"content_type": "application/vnd.mcp.widget+json", "data": data}, "w")
    st.text("still here")


@pytest.mark.parametrize("inner", ODD, ids=range(len(ODD)))
def test_the_page_stays_whatever_a_widget_holds(inner: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "get_assistant", scripted.ScriptedAssistant)
    data = {"widget_type": "chart", "title": "Odd", "data": inner}
    screen = AppTest.from_function(script, kwargs={"data": data}, default_timeout=60).run()
    assert not screen.exception
    assert screen.text[0].value == "still here"
