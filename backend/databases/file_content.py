"""Tells what a database file holds from all else it could hold, wherever it lies and whenever it was written."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

from backend.databases.file_state import FileState


class FileContent:
    """The digest of a file and its write-ahead log, taken anew when one of them was touched.

    Args:
        file: the database file.
        log: its log, read where the state has one.
        state: changes with every touch; cheap.
        max_hashed_mb: a larger file is told by its path and state, which reads nothing.
    """

    def __init__(self, file: Path, log: Path, state: Callable[[], FileState], max_hashed_mb: int) -> None:
        self._file = file
        self._log = log
        self._state = state
        self._max_hashed_bytes = max_hashed_mb * 2**20
        self._latest: tuple[FileState, str] | None = None
        self._lock = threading.Lock()

    def fingerprint(self) -> str:
        """Return text that is the same for the same content only."""
        with self._lock:
            state = self._state()
            if self._latest is None or self._latest[0] != state:
                self._latest = state, self._digest(state)
            return self._latest[1]

    def _digest(self, state: FileState) -> str:
        if state.size_bytes <= self._max_hashed_bytes:
            files = (self._file, self._log) if state.log else (self._file,)
            try:
                return _joined(*map(_digest_of, files))
            except OSError:
                pass  # gone meanwhile, and whoever asks it next is told so
        return _joined(str(self._file), repr(state))


def _digest_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _joined(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:24]
