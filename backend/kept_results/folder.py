"""The folder of kept results: bounded, shared by the processes of one machine, and never believed unread.

Every entry is a file of its own, written beside and renamed, with the digest of its bytes before them: one that a crash
or a disk has damaged is no result, and is removed. The text is that of kept answers, in which every value says what it
is; nothing in it can run. When a file was written says how old it is, when it was last accessed how long nobody wanted
it: the access is set by hand, as file systems keep it as they like.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from ai_engine.errors import AnswerUnreadable
from ai_engine.types import QueryResult
from backend.answers.answer_json import result_from_json, result_to_json

_log = logging.getLogger(__name__)
_MEGABYTE = 2**20
_BLOCK_BYTES = 512
_LARGEST_PART = 8
"""Of the room, for one entry."""
_LOOKED_AFTER = 50
"""The folder is gone through whenever so small a part of its room has been written by this process."""
_EMPTIED_TO = 0.8


class ResultFolder:
    """What is kept of one source; other sources have folders beside it, and share the room.

    Args:
        root: of all sources, made when missing, for the eyes of its owner only, since the rows are the bank's.
        source: what tells this source from all others.
        max_mb: of all sources together, as the disk counts it.
        max_age_s: older results are not given; None for any age.
    """

    def __init__(self, root: Path, source: str, max_mb: int, max_age_s: float | None) -> None:
        self._root = root
        self._folder = _folder_of(root, source)
        self._max_bytes = max_mb * _MEGABYTE
        self._max_age_s = max_age_s
        self._version: str | None = None
        self._written_bytes = self._max_bytes  # so that the first entry has the folder looked at
        self._lock = threading.Lock()

    def read(self, version: str, key: str) -> QueryResult | None:
        """Return what was kept of this version of the data, `ran_at` set; None where there is nothing to rely on."""
        path = self._path(version, key)
        try:
            kept = path.read_bytes()
        except OSError:
            return None
        result = _checked(kept, key)
        if result is None or self._is_old(result.ran_at):
            _remove([path])
            return None
        _note_use(path)
        return result

    def write(self, version: str, key: str, result: QueryResult) -> None:
        """Keep a result whose `ran_at` says when it was run; where it has no room, or the disk none, it is not kept."""
        body = f"{key}\n{result_to_json(result)}".encode()
        content = hashlib.sha256(body).hexdigest().encode() + b"\n" + body
        if len(content) > self._max_bytes // _LARGEST_PART:
            return
        try:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)  # `mode` is of the last folder alone
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._forget_other_versions(version)
            descriptor, building = tempfile.mkstemp(dir=self._folder, prefix=".")
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(content)
            Path(building).replace(self._path(version, key))
        except OSError as fault:
            _log.info("a result was not kept: %s", fault.strerror)
        self._make_room(len(content))

    def _path(self, version: str, key: str) -> Path:
        return self._folder / f"{_digest(version)}-{key}"

    def _is_old(self, ran_at: datetime | None) -> bool:
        if ran_at is None:
            return True
        age_s = (datetime.now(UTC) - ran_at).total_seconds()
        return self._max_age_s is not None and not 0 <= age_s <= self._max_age_s

    def _forget_other_versions(self, version: str) -> None:
        """Remove what is no longer the data, once per version."""
        with self._lock:
            if version == self._version:
                return
            self._version = version
        now = f"{_digest(version)}-"
        _remove(path for path in self._folder.iterdir() if not path.name.startswith((now, ".")))

    def _make_room(self, written_bytes: int) -> None:
        """Remove what is too old in any folder, and, where the whole is too large, what nobody wanted for longest."""
        with self._lock:
            self._written_bytes += max(written_bytes, 4_096)
            if self._written_bytes < self._max_bytes // _LOOKED_AFTER:
                return
            self._written_bytes = 0
        entries = sorted(_entries(self._root), key=lambda entry: entry[0].st_atime_ns)
        oldest_s = time.time() - self._max_age_s if self._max_age_s is not None else 0.0
        leaving = [path for status, path in entries if status.st_mtime < oldest_s]
        kept = [(status.st_blocks * _BLOCK_BYTES, path) for status, path in entries if status.st_mtime >= oldest_s]
        held = sum(size for size, _ in kept)
        bound = self._max_bytes * _EMPTIED_TO if held > self._max_bytes * (1 - 1 / _LOOKED_AFTER) else held
        for size, path in kept:
            if held <= bound:
                break
            leaving.append(path)
            held -= size
        _remove(leaving)


def forget_other_sources(root: Path, sources: Iterable[str]) -> None:
    """Remove what is kept of every source but these: of one that was withdrawn nothing stays."""
    known = {_folder_of(root, source) for source in sources}
    if root.is_dir():
        for folder in root.iterdir():
            if folder not in known:
                shutil.rmtree(folder, ignore_errors=True)


def _folder_of(root: Path, source: str) -> Path:
    return root / _digest(source)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _checked(kept: bytes, key: str) -> QueryResult | None:
    """Return the result in an entry that is as it was written, and under its own name."""
    digest, _, body = kept.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        return None
    name, _, text = body.partition(b"\n")
    if name != key.encode():
        return None
    try:
        return result_from_json(text.decode("ascii"))
    except (AnswerUnreadable, ValueError):
        return None


def _note_use(path: Path) -> None:
    try:
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
    except OSError:
        return  # another process has just removed it


def _entries(root: Path) -> Iterator[tuple[os.stat_result, Path]]:
    for path in root.glob("*/*"):
        try:
            yield path.stat(), path
        except OSError:
            continue


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as fault:
            _log.warning("a kept result could not be removed: %s", fault.strerror)
