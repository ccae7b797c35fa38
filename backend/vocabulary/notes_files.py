"""What a bank has written about its data: Markdown and text as they are, PDF as the text that it holds."""

from __future__ import annotations

from pathlib import Path

from ai_engine.errors import BadConfiguration

_MOST_PAGES = 200


def read_notes(file: Path, max_kb: int) -> str:
    """Return the text of a file.

    Raises:
        BadConfiguration: it cannot be read, is too long, or holds no text.
    """
    try:
        raw = file.read_bytes()
    except OSError as fault:
        raise BadConfiguration(f"The notes {file} cannot be read: {fault.strerror}") from fault
    if len(raw) > max_kb * 1_024:
        raise BadConfiguration(f"The notes {file} have more than {max_kb:,} KB (BANK_MAX_DOCUMENT_KB).")
    text = _text_of_pdf(file) if raw.startswith(b"%PDF-") else raw.decode("utf-8", errors="replace")
    if not text.strip():
        raise BadConfiguration(f"The notes {file} hold no text; a scanned page would have to be read first.")
    return text[: max_kb * 1_024]


def _text_of_pdf(file: Path) -> str:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        pages = PdfReader(file).pages
        return "\n\n".join(pages[number].extract_text() for number in range(min(len(pages), _MOST_PAGES)))
    except (PyPdfError, ValueError, KeyError, RecursionError) as fault:
        raise BadConfiguration(f"The notes {file} are no PDF that can be read: {type(fault).__name__}") from fault
