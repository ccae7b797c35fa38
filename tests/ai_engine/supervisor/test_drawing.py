from __future__ import annotations

from pathlib import Path

from ai_engine.supervisor.drawing import drawn


def test_the_flows_in_the_documentation_are_those_of_the_code():
    page = Path(__file__).parents[3] / "docs" / "chat_flows.md"
    assert page.read_text(encoding="utf-8") == drawn()
