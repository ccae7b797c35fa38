"""Checkpoints as JSON text: read back they can be nothing but plain values and the sending out of steps."""

from __future__ import annotations

import json
from typing import Any

from langgraph.types import Send

_KIND = "json"
_MARK = "~"
"""Key of an object that stands for what JSON has not; an object that has it itself is written as pairs."""


class UnreadableCheckpoint(ValueError):
    """A checkpoint is none of ours."""


class CheckpointText:
    """Writes and reads the values of LangGraph's checkpoints; never imports or makes what a checkpoint names."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Write a value, and the kind of its writing.

        Raises:
            TypeError: it is no plain value.
        """
        return _KIND, json.dumps(_written(obj), ensure_ascii=False, separators=(",", ":")).encode()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Read what `dumps_typed` wrote.

        Raises:
            UnreadableCheckpoint: it is anything else.
        """
        kind, text = data
        if kind != _KIND:
            raise UnreadableCheckpoint("a checkpoint is written in an unknown way")
        try:
            return _read(json.loads(text))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise UnreadableCheckpoint("a checkpoint cannot be read") from None


def _written(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, tuple):
        return {_MARK: "tuple", "of": [_written(item) for item in value]}
    if isinstance(value, dict):
        if _MARK in value or not all(isinstance(key, str) for key in value):
            return {_MARK: "object", "of": [[_written(key), _written(item)] for key, item in value.items()]}
        return {key: _written(item) for key, item in value.items()}
    if isinstance(value, Send):
        return {_MARK: "send", "of": [value.node, _written(value.arg)]}
    if isinstance(value, BaseException):  # why a run was interrupted; its text may quote data
        return {_MARK: "fault", "of": type(value).__name__}
    raise TypeError(f"a {type(value).__name__} cannot stand in a checkpoint")


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _MARK not in value:
        return {key: _read(item) for key, item in value.items()}
    kind, of = value[_MARK], value["of"]
    if kind == "tuple":
        return tuple(_read(item) for item in of)
    if kind == "object":
        return {_read(key): _read(item) for key, item in of}
    if kind == "send":
        node, task = of
        return Send(str(node), _read(task))
    if kind == "fault":
        return str(of)
    raise UnreadableCheckpoint("a checkpoint holds an unknown kind of value")
