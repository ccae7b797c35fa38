"""Opens a SQLite file for reading: in place, or as a copy without a name where a writer has crashed.

A copy must not outlive its reader, however that ends. So the file is empty while it has a name, and is filled after
that is gone; what the log says is written into it here, as SQLite would want a second file with a name for it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import tempfile
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from backend.databases.file_state import SqliteAccess, side_file

_LOG_HEADER = struct.Struct(">8I")
_FRAME_HEADER = struct.Struct(">6I")
_MAGIC = 0x377F0682  # one more where checksums are of big-endian words
_VERSIONS_AT = 18  # two bytes of the file's header: 2 for a file that keeps a log, 1 for one that does not


def connect_sqlite(path: Path, access: SqliteAccess, **options: Any) -> sqlite3.Connection:
    """Open the file in the way that `file_state.sqlite_access` found; `options` are those of `sqlite3.connect`.

    Raises:
        sqlite3.Error: it cannot be opened.
        OSError: there is no room for the copy.
    """
    if access == "copy":
        return _connect_to_copy(path, options)
    how = "immutable=1" if access == "immutable" else "mode=ro"
    return _connect(path, how, options)


def shadow_tables(connection: sqlite3.Connection) -> frozenset[str]:
    """Tables in which a virtual one keeps its content, in small letters (`vault_content` of FTS5)."""
    found = connection.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")
    return frozenset(name.lower() for (name,) in found)


def _connect(path: Path, how: str, options: dict[str, Any]) -> sqlite3.Connection:
    connection: sqlite3.Connection = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, **options)
    return connection


def _connect_to_copy(path: Path, options: dict[str, Any]) -> sqlite3.Connection:
    descriptor, name = tempfile.mkstemp(prefix="banking-assistant-")
    with os.fdopen(descriptor, "r+b") as copy:
        try:
            connection = _connect(Path(name), "mode=ro", options)
            connection.execute("PRAGMA schema_version").fetchall()  # opens the file, which is empty
        finally:
            Path(name).unlink()
        with path.open("rb") as source:
            shutil.copyfileobj(source, copy, 1 << 20)
        with side_file(path, "-wal").open("rb") as log:
            _apply(log, copy)
        copy.seek(_VERSIONS_AT)
        copy.write(b"\1\1")
    return connection


def _apply(log: BinaryIO, copy: BinaryIO) -> None:
    """Write every page of every committed transaction to where it belongs.

    Source: https://www.sqlite.org/fileformat2.html#walformat
    """
    header = log.read(_LOG_HEADER.size)
    if len(header) < _LOG_HEADER.size:
        return
    magic, _, page_bytes, _, *salts, first, second = _LOG_HEADER.unpack(header)
    order = ">" if magic & 1 else "<"
    sums = _checksum(header[:24], (0, 0), order)
    if magic & ~1 != _MAGIC or sums != (first, second):
        return
    pending: dict[int, bytes] = {}
    while len(frame := log.read(_FRAME_HEADER.size + page_bytes)) == _FRAME_HEADER.size + page_bytes:
        number, pages_after, *frame_salts, first, second = _FRAME_HEADER.unpack_from(frame)
        page = frame[_FRAME_HEADER.size :]
        sums = _checksum(page, _checksum(frame[:8], sums, order), order)
        if frame_salts != salts or sums != (first, second):
            return  # left from an earlier round of the log, or never finished
        pending[number] = page
        if pages_after:  # the last page of a transaction
            for number, page in pending.items():
                copy.seek((number - 1) * page_bytes)
                copy.write(page)
            copy.truncate(pages_after * page_bytes)
            pending.clear()


def _checksum(content: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(content) // 4}I", content))
    for one, other in zip(words, words, strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
