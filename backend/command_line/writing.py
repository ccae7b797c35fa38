"""Where a command's text goes: a file that was named, or standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from ai_engine.errors import BadConfiguration


def write_text(out: Path | None, text: str) -> None:
    """Write all of it.

    Raises:
        BadConfiguration: the file cannot be written.
    """
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise BadConfiguration(f"The output file {out} cannot be written: {fault.strerror}") from fault
