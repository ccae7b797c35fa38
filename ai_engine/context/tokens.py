"""How many tokens a text takes, estimated without any model's own table.

Rule: one token per three bytes of UTF-8, rounded up. Byte-pair encodings of today take 4 to 4.5 bytes of English and
3 to 3.5 of JSON and figures per token, and of Indic scripts, at three bytes a letter, about one letter or more; so the
estimate errs on the large side, and a budget kept by it is kept.
"""

from __future__ import annotations

_BYTES_PER_TOKEN = 3
CUT_MARK = " […] "
"""Stands where a text was cut."""


def estimated_tokens(text: str) -> int:
    """Return an upper estimate of a text's tokens; 0 for an empty one."""
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


def cut_to_tokens(text: str, max_tokens: int) -> str:
    """Return the text, or its beginning and end with a mark between where it is longer; empty for no tokens at all."""
    if estimated_tokens(text) <= max_tokens:
        return text
    room_bytes = max_tokens * _BYTES_PER_TOKEN - len(CUT_MARK.encode())
    if room_bytes <= 0:
        return ""
    raw, head_bytes = text.encode(), -(-room_bytes * 2 // 3)
    head = raw[:head_bytes].decode(errors="ignore")
    tail = raw[len(raw) - (room_bytes - head_bytes) :].decode(errors="ignore") if room_bytes > head_bytes else ""
    return f"{head}{CUT_MARK}{tail}"
