"""The bank's own documents: Markdown and text files of one folder, read once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ai_engine.errors import BadConfiguration
from ai_engine.specialists.documents.agent import DocumentServices
from ai_engine.specialists.documents.index import DocumentIndex
from ai_engine.specialists.documents.passages import Document
from backend.settings import SAMPLE_DOCUMENTS, Settings

_KINDS = (".md", ".txt")


def open_document_services(settings: Settings) -> DocumentServices | None:
    """Read and index the documents; None for a bank's own database without a folder of them.

    Raises:
        BadConfiguration: the folder or a file cannot be read, or there is more than the settings permit.
    """
    folder = settings.documents_dir
    if folder is None:
        on_sample_bank = settings.database_url == Settings.model_fields["database_url"].default
        if not on_sample_bank:
            return None
        folder = SAMPLE_DOCUMENTS
    return _indexed(folder, settings.max_documents, settings.max_document_kb)


@lru_cache(maxsize=4)
def _indexed(folder: Path, most: int, max_kb: int) -> DocumentServices:
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix.lower() in _KINDS and file.is_file())
        if len(files) > most:
            raise BadConfiguration(
                f"The folder of documents {folder} has {len(files):,} files, BANK_MAX_DOCUMENTS permits {most:,}."
            )
        return DocumentServices(DocumentIndex([_read(file, max_kb) for file in files]))
    except OSError as fault:
        raise BadConfiguration(f"The folder of documents {folder} cannot be read: {fault.strerror}") from fault


def _read(file: Path, max_kb: int) -> Document:
    if file.stat().st_size > max_kb * 1_024:
        raise BadConfiguration(f"The document {file} is longer than BANK_MAX_DOCUMENT_KB permits ({max_kb:,} KB).")
    try:
        return Document(file.name, file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as fault:
        raise BadConfiguration(f"The document {file} is not UTF-8 text: {fault}") from fault
