"""The history page: one's own entries, all of them for auditors, each whole, and as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import read_settings
from backend.store.audit_trail import Wanted
from pages import session
from tests.ai_engine.scripted_model import write_bank
from tests.pages.conftest import Server
from tests.pages.test_screen import APP, words

QUESTION = "How many customers are there?"


@pytest.fixture
def assistant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Assistant]:
    opened = open_assistant(
        read_settings(
            database_url=str(write_bank(tmp_path / "bank.sqlite")), store_url=f"sqlite:///{tmp_path / 'store.sqlite'}",
            cache_dir=tmp_path, database_workers=1, as_of=date(2026, 11, 21), auditors=getattr(request, "param", None),
        )
    )  # fmt: skip
    monkeypatch.setattr(session, "get_assistant", lambda: opened)
    yield opened
    opened.close()


def history() -> AppTest:
    screen = AppTest.from_file(APP, default_timeout=60).run()
    return screen.switch_page("pages/history.py").run()


def shown(screen: AppTest) -> list[str]:
    return [text for frame in screen.dataframe for text in frame.value["Question"]]


def test_everybody_sees_what_they_asked_and_nothing_of_others(assistant: Assistant):
    assert "Nothing has been asked yet" in words(history())
    assistant.ask(QUESTION)
    assistant.ask("Customers by <b>segment</b>", who="asha")
    screen = history()
    assert not screen.exception
    assert shown(screen) == [QUESTION]
    assert "Unchanged since written: the newest 2 entries." in words(screen)
    assert all(button.label != "Check the whole chain" for button in screen.button)
    book = assistant.history
    assert [one.entry.person for one in book.page("asha", Wanted(person="local"), 10).entries] == ["asha"]
    assert b"".join(book.json_lines("asha", Wanted(), 10)).count(b"\n") == 1


@pytest.mark.parametrize("assistant", ["local"], indirect=True)
def test_auditors_see_all_narrow_it_and_have_the_chain_checked(assistant: Assistant):
    for who in ("asha", "vikram", "asha"):
        assistant.ask(QUESTION, who=who)
    assistant.ask("How many flibbertigibbets?", who="asha")
    screen = history()
    assert len(shown(screen)) == 4
    screen.text_input(key="history_person").set_value("vikram").run()
    assert shown(screen) == [QUESTION]
    screen.text_input(key="history_person").set_value("").run()
    screen.selectbox(key="history_status").set_value("refused").run()
    assert shown(screen) == ["How many flibbertigibbets?"]
    screen.text_input(key="history_words").set_value("nowhere").run()
    assert "Nothing fits" in words(screen)
    screen.text_input(key="history_words").set_value("").run()
    screen.button(key="history_check").click().run()
    assert "all 4 entries" in words(screen)
    with assistant.store.get().writing() as on:
        on.exec_driver_sql("UPDATE audit_entries SET person = 'nobody' WHERE number = 2")
    screen.button(key="history_check").click().run()
    assert "The chain is broken at entry 2: it is not as it was written." in words(screen)


@pytest.mark.parametrize("assistant", ["*"], indirect=True)
def test_entries_leave_as_files_that_run_in_no_spreadsheet(assistant: Assistant):
    assistant.ask('=HYPERLINK("https://evil.example")')
    assert assistant.audit.flush(20)
    book = assistant.history
    (row,) = csv.DictReader(io.StringIO(b"".join(book.csv("local", Wanted(), 10)).decode("utf-8-sig")))
    assert row["question"].startswith("'=")
    (line,) = b"".join(book.json_lines("local", Wanted(), 10)).splitlines()
    said = json.loads(line)
    assert (said["number"], said["question"]) == (1, '=HYPERLINK("https://evil.example")')
    assert len(said["hash"]) == 64


def test_who_is_nobody_sees_nothing(assistant: Assistant, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session, "visitor", lambda: "")
    assistant.ask(QUESTION, who="")
    assert "Not for you" in words(history())


@pytest.mark.browser
def test_an_entry_opens_from_the_table(bank_server: Server, page: Page):
    page.goto(bank_server.url)
    page.get_by_test_id("stChatInputTextArea").fill("How many customers are there?")
    page.keyboard.press("Enter")
    expect(page.locator(".ba-answer").first).to_be_visible()
    page.goto(f"{bank_server.url}/history")
    expect(page.get_by_text("Unchanged since written")).to_be_visible()
    page.locator("[data-testid=stDataFrame] .dvn-scroller").first.click(position={"x": 20, "y": 55})
    entry = page.locator(".st-key-history_entry")
    expect(entry.get_by_text("let the statement through")).to_be_visible()
    expect(entry.locator("code")).to_contain_text("SELECT")
