"""The page's server is told to end while somebody waits for an answer: real processes, real signals, a real browser."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.backend.chat.test_api import wait_until
from tests.pages.conftest import Server, served
from tests.pages.test_page import ask

pytestmark = pytest.mark.browser

STOPPING = "This server is being restarted"


def scripted(folder: Path, **settings: str) -> Iterator[Server]:
    with served(lambda port: ["-m", "tests.pages.scripted_server", str(port)], folder, **settings) as server:
        yield server


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[Server]:
    yield from scripted(tmp_path)


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Server]:
    yield from scripted(tmp_path, BANK_SHUTDOWN_TIMEOUT_S="1")


def asked(page: Page, server: Server, question: str) -> None:
    page.goto(server.url)
    ask(page, question)
    expect(page.get_by_text("Understood:")).to_be_visible()
    server.process.send_signal(signal.SIGTERM)


def test_a_question_on_its_way_is_answered_before_the_server_ends(page: Page, patient: Server):
    asked(page, patient, "unhurried: deposits by month")
    expect(page.locator(".ba-answer")).to_be_visible()
    expect(page.get_by_text("Failed to fetch")).to_have_count(0)
    assert patient.process.wait(20) == 0


@pytest.mark.slow
def test_a_question_that_takes_longer_is_stopped_and_says_so(page: Page, hasty: Server):
    asked(page, hasty, "slow: everything")
    expect(page.get_by_text("Stopped.")).to_be_visible()
    assert hasty.process.wait(20) == 0
    assert "SLOW QUERY STOPPED" in hasty.log.read_text()


@pytest.mark.slow
def test_a_new_question_is_told_that_the_server_ends(page: Page, patient: Server):
    page.goto(patient.url)
    expect(page.get_by_test_id("stChatInputTextArea")).to_be_enabled()
    other = page.context.new_page()
    asked(other, patient, "unhurried: deposits by month")
    wait_until(lambda: httpx.get(patient.url).status_code == 503)
    ask(page, "Deposits by month")
    expect(page.get_by_text(STOPPING)).to_be_visible()
    assert patient.process.wait(20) == 0
