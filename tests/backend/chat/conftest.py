"""The chat on the small sample bank with its documents and services, without a language model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_engine.chat_history import MemoryChatHistory
from backend.chat.opening import Chat, open_chat
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.settings import PROJECT_ROOT, SAMPLE_DOCUMENTS, read_settings


@pytest.fixture(scope="package")
def found(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Orchestrator]:
    settings = read_settings(
        database_url=f"duckdb:///{small_bank}",
        documents_dir=SAMPLE_DOCUMENTS,
        services_file=PROJECT_ROOT / "data" / "api_docs.yaml",
        store_url=f"sqlite:///{tmp_path_factory.mktemp('store') / 'store.sqlite'}",
    )
    outside = SharedOutside(lambda: settings)
    assistant = open_assistant(settings)
    yield Orchestrator(assistant, outside.get())
    outside.close()
    assistant.close()


@pytest.fixture
def chat(found: Orchestrator) -> Chat:
    return open_chat(found, MemoryChatHistory())
