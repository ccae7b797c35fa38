"""What the built-in model knows of the small sample bank."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai_engine.built_in.knowledge import Knowledge
from backend.opening import open_assistant
from backend.settings import Settings


@pytest.fixture(scope="session")
def bank(small_bank: Path) -> Knowledge:
    assistant = open_assistant(Settings(database_url=f"duckdb:///{small_bank}"))
    try:
        return Knowledge(assistant.vocabulary)
    finally:
        assistant.close()
