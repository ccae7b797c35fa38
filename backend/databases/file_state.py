"""What a database file looks like from outside: whether it changed, and whether somebody writes to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

SqliteAccess: TypeAlias = Literal["locked", "immutable", "log", "copy"]
# Device, inode, bytes, when its content was last changed, and when anything of it was: the first time can be set back.
_Stamp: TypeAlias = tuple[int, int, int, int, int] | None


class DataVersion(NamedTuple):
    """Data of which nothing has changed: the same text for no other state, and when they last did, in epoch seconds."""

    text: str
    changed_at_s: float


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
    def file(self) -> tuple[int, int] | None:
        """Which file it is, whatever is in it; None when there is none."""
        return self.main[:2] if self.main else None

    @property
    def version(self) -> DataVersion | None:
        """What tells its content from every other, without reading it; None when it is gone."""
        stamps = [stamp for stamp in (self.main, self.log) if stamp]
        if self.main is None:
            return None
        return DataVersion(repr((self.main, self.log)), max(time for stamp in stamps for time in stamp[3:]) / 1e9)

    @property
    def size_bytes(self) -> int:
        """File and log together."""
        return sum(stamp[2] for stamp in (self.main, self.log) if stamp)


def read_file_state(path: Path, log_suffix: str) -> FileState:
    """Look at a database file and its log; `log_suffix` is what the engine appends to name it ("-wal", ".wal")."""
    log = _stamp(side_file(path, log_suffix))
    return FileState(_stamp(path), log if log and log[2] else None)


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def sqlite_access(path: Path) -> SqliteAccess:
    """Decide how a SQLite file can be read without changing it or leaving anything beside it.

    Returns:
        "locked": the ordinary way, for a file that keeps no write-ahead log.
        "immutable": without locks, for one that has a log mode but no log now; the ordinary way would create one.
        "log": the ordinary way between the writer's own files; whoever holds it open keeps the writer from tidying up.
        "copy": a writer has crashed and left its log, and reading it in place would create the log's index.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as opened:
        keeps_log = opened.read(20)[18:20] == b"\x02\x02"
    if not keeps_log:
        return "locked"
    log = _stamp(side_file(path, "-wal"))
    if log is None or log[2] == 0:
        return "immutable"
    return "log" if side_file(path, "-shm").exists() else "copy"


def side_file(path: Path, suffix: str) -> Path:
    """Return where an engine keeps what belongs to a file: its write-ahead log, or that log's index."""
    return path.with_name(path.name + suffix)
