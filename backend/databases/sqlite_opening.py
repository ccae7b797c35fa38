"""Opens a SQLite file for reading: in place, or as a copy without a name where a writer has crashed.

A copy must not outlive its reader, however that ends. So the file is empty while it has a name, and is filled after
that is gone; what the log says is written into it here, as SQLite would want a second file with a name for it.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import struct
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote

from backend.databases.file_state import SqliteAccess, side_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PIECE_BYTES = 1 << 20
_LOG_HEADER = struct.Struct(">8I")
_FRAME_HEADER_BYTES = 24
_PAGE_BYTES = frozenset(1 << power for power in range(9, 17))
_MAGIC = 0x377F0682  # one more where checksums are of big-endian words
_VERSIONS_AT = 18  # two bytes of the file's header: 2 for a file that keeps a log, 1 for one that does not


def connect_sqlite(path: Path, access: SqliteAccess, *, copy_timeout_s: float, **options: Any) -> sqlite3.Connection:
    """Open the file in the way that `file_state.sqlite_access` found; `options` are those of `sqlite3.connect`.

    Raises:
        sqlite3.Error: it cannot be opened.
        OSError: there is no room for the copy, or it was not made within `copy_timeout_s`.
    """
    if access == "copy":
        return _connect_to_copy(path, time.monotonic() + copy_timeout_s, options)
    how = "immutable=1" if access == "immutable" else "mode=ro"
    return _connect(path, how, options)


def shadow_tables(connection: sqlite3.Connection) -> frozenset[str]:
    """Tables in which a virtual one keeps its content, in small letters (`vault_content` of FTS5)."""
    found = connection.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")
    return frozenset(name.lower() for (name,) in found)


def _connect(path: Path, how: str, options: dict[str, Any]) -> sqlite3.Connection:
    connection: sqlite3.Connection = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, **options)
    return connection


def _connect_to_copy(path: Path, deadline: float, options: dict[str, Any]) -> sqlite3.Connection:
    descriptor, name = tempfile.mkstemp(prefix="banking-assistant-")
    with os.fdopen(descriptor, "r+b") as copy:
        try:
            connection = _connect(Path(name), "mode=ro", options)
            connection.execute("PRAGMA schema_version").fetchall()  # opens the file, which is empty
        finally:
            Path(name).unlink()
        try:
            _fill(copy, path, deadline)
        except BaseException:
            connection.close()
            raise
    return connection


def _fill(copy: BinaryIO, path: Path, deadline: float) -> None:
    with path.open("rb") as source:
        while piece := source.read(_PIECE_BYTES):
            _require_time(deadline)
            copy.write(piece)
    with side_file(path, "-wal").open("rb") as log:
        _apply(log, copy, deadline)
    copy.seek(_VERSIONS_AT)
    copy.write(b"\1\1")


def _require_time(deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise TimeoutError(errno.ETIMEDOUT, "the copy was not made in time")


def _apply(log: BinaryIO, copy: BinaryIO, deadline: float) -> None:
    """Write every page of every committed transaction to where it belongs.

    Where the last of these ends is looked for first: what was never committed may be any number of pages, and is
    neither written nor held in memory.

    Source: https://www.sqlite.org/fileformat2.html#walformat
    """
    header = log.read(_LOG_HEADER.size)
    if len(header) < _LOG_HEADER.size:
        return
    magic, _, page_bytes, *_ = _LOG_HEADER.unpack(header)
    if magic & ~1 != _MAGIC or page_bytes not in _PAGE_BYTES:
        return
    frames, pages_after = _committed(log, header, deadline)
    log.seek(_LOG_HEADER.size)
    for _ in range(frames):
        _require_time(deadline)
        frame = log.read(_FRAME_HEADER_BYTES + page_bytes)
        copy.seek((int.from_bytes(frame[:4], "big") - 1) * page_bytes)
        copy.write(frame[_FRAME_HEADER_BYTES:])
    if frames:
        copy.truncate(pages_after * page_bytes)


def _committed(log: BinaryIO, header: bytes, deadline: float) -> tuple[int, int]:
    """Return how many frames end with the last committed transaction, and how many pages the file has after it.

    A frame that is left from an earlier round of the log, or was never finished, ends the log.
    """
    import numpy as np

    magic, _, page_bytes, _, *salts, first, second = _LOG_HEADER.unpack(header)
    order = ">u4" if magic & 1 else "<u4"
    sums = np.array((first, second), np.uint32)
    if not np.array_equal(np.frombuffer(header[:24], order) @ _checksum_weights(6)[1:], sums):
        return 0, 0
    words = (_FRAME_HEADER_BYTES + page_bytes) // 4
    weights = _checksum_weights(words - 4)
    by_sums, by_words = weights[[1, 0]], np.insert(weights[1:], [2] * 4, 0, axis=0)  # salts and sums are not summed
    at_once = _PIECE_BYTES // (words * 4) + 1
    seen = frames = pages_after = 0
    while True:
        _require_time(deadline)
        piece = log.read(at_once * words * 4)
        count = len(piece) // (words * 4)
        heads = np.frombuffer(piece, ">u4", count * words).reshape(count, words)[:, :6].astype(np.uint32)
        expected = np.frombuffer(piece, order, count * words).reshape(count, words) @ by_words
        expected += np.vstack((sums, heads[:-1, 4:]))[:count] @ by_sums
        is_sound = (heads[:, 2:4] == salts).all(axis=1) & (heads[:, 4:] == expected).all(axis=1) & (heads[:, 0] > 0)
        sound = count if is_sound.all() else int(is_sound.argmin())
        ends = np.flatnonzero(heads[:sound, 1])
        if ends.size:
            frames, pages_after = seen + int(ends[-1]) + 1, int(heads[ends[-1], 1])
        if sound < at_once:
            return frames, pages_after
        seen, sums = seen + sound, heads[-1, 4:]


def _checksum_weights(words: int) -> NDArray[np.uint32]:
    """Return what one of each adds to the two sums of SQLite's checksum: of the second sum before, then of each word.

    One of the first sum before adds what one of the first word does. As `first += word + second` and
    `second += word + first` take turns, these are Fibonacci's numbers, modulo 2³².
    """
    import numpy as np

    found = [0, 1]
    while len(found) < words + 2:
        found.append((found[-2] + found[-1]) & 0xFFFFFFFF)
    return np.array((found[words::-1], found[:0:-1]), np.uint32).T
