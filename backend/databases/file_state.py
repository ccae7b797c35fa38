"""What a database file looks like from outside: whether it changed, and whether somebody writes to it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

_Stamp: TypeAlias = tuple[int, int, int, int] | None  # device, inode, bytes, nanoseconds of the last change


@dataclass(frozen=True, slots=True)
class FileState:
    """Two states are equal when nothing was written in between.

    Attributes:
        main: stamp of the file itself, None when it is gone.
        log: stamp of its write-ahead log, None when there is none or it is empty.
    """

    main: _Stamp
    log: _Stamp

    @property
    def text(self) -> str:
        """Short text that changes with the state."""
        return hashlib.sha256(repr((self.main, self.log)).encode()).hexdigest()[:24]


def read_file_state(path: Path, log_suffix: str) -> FileState:
    """Look at a database file and its log; `log_suffix` is what the engine appends to name it ("-wal", ".wal")."""
    log = _stamp(path.with_name(path.name + log_suffix))
    return FileState(_stamp(path), log if log and log[2] else None)


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def sqlite_uri(path: Path, *, immutable: bool) -> str:
    """Spell a read-only SQLite address.

    A file in WAL mode without a log is opened as immutable: reading it in the ordinary way creates the log and its
    index beside the bank's file, and leaves them there.
    """
    return f"file:{quote(str(path))}?{'immutable=1' if immutable else 'mode=ro'}"


def keeps_write_ahead_log(path: Path) -> bool:
    """Tell whether a SQLite file is in WAL mode, which its header says."""
    with path.open("rb") as opened:
        return opened.read(20)[18:20] == b"\x02\x02"
