"""A source that does not answer keeps nobody waiting but those who ask it."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ai_engine import errors
from backend.main import create_app
from backend.settings import read_settings
from tests.backend.canned_assistant import CUSTOMERS, CannedAssistant
from tests.patience import allowed_s

_ASKING = 40


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/verified?source=away", None),
        ("POST", "/verified/x/confirm?source=away", None),
        ("POST", "/orchestrate?source=away", {"question": "How many customers are there?"}),
    ],
)
def test_who_asks_a_source_that_is_away_waits_alone(method: str, path: str, body: dict[str, Any] | None):
    release, waiting = threading.Event(), threading.Semaphore(0)

    class Away:
        settings = read_settings()

        def assistant(self, name: str, who: str) -> Any:
            waiting.release()
            assert release.wait(30)
            raise errors.DatabaseUnavailable("it is away")

    assistant = CannedAssistant({"q": CUSTOMERS})
    app = create_app(lambda: assistant, lambda: None, sources=Away())  # type: ignore[arg-type, return-value]
    with TestClient(app) as client:
        statuses: list[int] = []

        def ask() -> None:
            statuses.append(client.request(method, path, json=body).status_code)

        threads = [threading.Thread(target=ask) for _ in range(_ASKING)]
        for thread in threads:
            thread.start()
        for _ in range(6):
            assert waiting.acquire(timeout=20)
        began = time.monotonic()
        assert client.get("/health").status_code == 200
        assert client.post("/ask", json={"query": "q"}).status_code == 200
        assert time.monotonic() - began < allowed_s(2)
        release.set()
        for thread in threads:
            thread.join(20)
    assert statuses == [503] * _ASKING
