from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ai_engine.specialists.documents.agent import DocumentServices
from backend.documents import open_document_services
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.settings import EXAMPLE_SERVICES_FILE, SAMPLE_DOCUMENTS, read_settings


@pytest.fixture(scope="session")
def found(small_bank: Path) -> Iterator[Orchestrator]:
    """The sample bank with everything that agents are given, and no language model."""
    settings = read_settings(
        database_url=str(small_bank), services_file=EXAMPLE_SERVICES_FILE, documents_dir=SAMPLE_DOCUMENTS
    )
    with closing(open_assistant(settings)) as assistant, closing(SharedOutside(lambda: settings)) as outside:
        documents = open_document_services(settings)
        assert documents is not None
        yield Orchestrator(assistant, {**outside.get(), DocumentServices: documents})
