"""How a worker and its owner talk: length-prefixed pickles of plain values over one socket."""

from __future__ import annotations

import io
import os
import pickle
import struct
from typing import Any

_HEADER = struct.Struct("!Q")
_PLAIN_CLASSES = {
    ("decimal", "Decimal"),
    ("datetime", "date"),
    ("datetime", "datetime"),
    ("datetime", "time"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
}
_UNREADABLE = (
    pickle.UnpicklingError, EOFError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError, MemoryError,
)  # fmt: skip


class BrokenFrame(Exception):
    """The other side went away, or sent something that is no frame."""


class _PlainUnpickler(pickle.Unpickler):
    """Builds numbers, text and dates only, so that a worker that was taken over runs no code in its owner."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        if (module_name, global_name) not in _PLAIN_CLASSES:
            raise BrokenFrame(f"{module_name}.{global_name} may not travel in a frame")
        return super().find_class(module_name, global_name)


def encode(message: object) -> bytes:
    """Turn a message of plain values into one frame, header included."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _HEADER.pack(len(body)) + body


class FrameReader:
    """Collects one frame from pieces of any size."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pending = bytearray()

    def feed(self, piece: bytes) -> Any | None:
        """Add what was read; return the first message once it is whole, else None.

        Raises:
            BrokenFrame: the other side closed (empty piece), or announces more than `max_bytes`.
        """
        if not piece:
            raise BrokenFrame("the other side closed")
        self._pending += piece
        return self.next()

    def next(self) -> Any | None:
        """Return a further message that arrived in the same piece, None when there is none."""
        if len(self._pending) < _HEADER.size:
            return None
        (size,) = _HEADER.unpack_from(self._pending)
        if size > self._max_bytes:
            raise BrokenFrame(f"a frame of {size} bytes")
        end = _HEADER.size + size
        if len(self._pending) < end:
            return None
        with memoryview(self._pending) as whole:
            body = bytes(whole[_HEADER.size : end])
        del self._pending[:end]
        try:
            return _PlainUnpickler(io.BytesIO(body)).load()
        except _UNREADABLE as fault:
            raise BrokenFrame(str(fault)) from fault


def send(descriptor: int, message: object) -> None:
    """Write one frame to a blocking descriptor."""
    rest = memoryview(encode(message))
    while rest:
        rest = rest[os.write(descriptor, rest) :]
