"""Files with one JSON object per line: in order, and never ended by a bad line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ai_engine.errors import BadConfiguration, BadQuestion
from ai_engine.json_values import JsonValue
from backend.answers.json_values import json_line

_MAX_DEPTH = 100
"""Deeper objects could be read but not written again."""


@dataclass(frozen=True)
class InputLine:
    """One line of a batch; `fault` says why it could not be read, and is empty when it could."""

    fields: dict[str, JsonValue] = field(default_factory=dict)
    fault: str = ""

    def text(self, key: str) -> str:
        """Return a field that must be text.

        Raises:
            BadQuestion: the line could not be read, or the field is missing or not text.
        """
        if self.fault:
            raise BadQuestion(self.fault)
        value = self.fields.get(key)
        if not isinstance(value, str):
            raise BadQuestion(f"the object has no text under {key!r}")
        return value


def read_lines(file: Path) -> list[InputLine]:
    """Read every line that is not blank.

    Raises:
        BadConfiguration: the file cannot be read.
    """
    try:
        content = file.read_bytes()
    except OSError as fault:
        raise BadConfiguration(f"The input file {file} cannot be read: {fault.strerror}") from fault
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [_parse(line, number) for number, line in enumerate(lines, 1) if line.strip()]


def write_lines(file: Path, objects: Iterable[dict[str, JsonValue]]) -> None:
    """Write each object as it comes.

    Raises:
        BadConfiguration: the file cannot be written.
    """
    try:
        with file.open("w", encoding="ascii") as out:
            for fields in objects:
                out.write(json_line(fields) + "\n")
                out.flush()
    except OSError as fault:
        raise BadConfiguration(f"The output file {file} cannot be written: {fault.strerror}") from fault


def _parse(line: bytes, number: int) -> InputLine:
    try:
        value = json.loads(line.decode("utf-8"), parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as fault:
        return InputLine(fault=f"line {number} is not JSON: {fault}")
    if not isinstance(value, dict):
        return InputLine(fault=f"line {number} is not a JSON object")
    if _is_deeper(value, _MAX_DEPTH):
        return InputLine(fault=f"line {number} is nested deeper than {_MAX_DEPTH} levels")
    return InputLine(fields=value)


def _is_deeper(value: JsonValue, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_is_deeper(item, levels - 1) for item in inner)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number
