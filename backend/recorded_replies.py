"""Files of recorded replies: one JSON object per line with `shape`, `question` and `reply`."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from ai_engine.errors import BadConfiguration
from ai_engine.llm.recorded import RecordedReply


def read_replies(file: Path) -> tuple[RecordedReply, ...]:
    """Read what was recorded, or written by hand; `reply` is the text, or the JSON object that it holds.

    Raises:
        BadConfiguration: the file cannot be read, or a line is no such object.
    """
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as fault:
        raise BadConfiguration(f"The recorded replies {file} cannot be read: {fault}") from fault
    return tuple(_reply(line, f"{file}, line {number}") for number, line in enumerate(lines, 1) if line.strip())


def _reply(line: str, place: str) -> RecordedReply:
    try:
        said = json.loads(line)
        shape, question, reply = said["shape"], said["question"], said["reply"]
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise BadConfiguration(f"{place}: not an object with shape, question and reply") from fault
    if not isinstance(shape, str) or not isinstance(question, str):
        raise BadConfiguration(f"{place}: shape and question are texts")
    return RecordedReply(shape, question, reply if isinstance(reply, str) else json.dumps(reply))


def _for_its_owner(file: str, flags: int) -> int:
    return os.open(file, flags, 0o600)  # what people asked is nobody else's


class ReplyFile:
    """Adds replies to a file as they come, which its owner alone can read; safe to share between threads.

    Raises:
        BadConfiguration: the file cannot be written.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._write("")

    def add(self, one: RecordedReply) -> None:
        """Write one line."""
        said = {"shape": one.shape, "question": one.question, "reply": one.reply}
        self._write(json.dumps(said, ensure_ascii=False) + "\n")

    def _write(self, text: str) -> None:
        try:
            with self._lock, open(self._file, "a", encoding="utf-8", opener=_for_its_owner) as out:
                out.write(text)
        except OSError as fault:
            raise BadConfiguration(f"The replies cannot be recorded in {self._file}: {fault.strerror}") from fault
