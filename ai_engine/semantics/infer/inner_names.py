"""The names that values bring along: keys of JSON, of maps and of structs, as databases spell them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ai_engine.types import ColumnType, Scalar

_LOOKED_AT_CHARS = 20_000
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_VALUE = rf"""(?:{_QUOTED}|'([^']*)'|([^,{{}}\[\]"']*))"""
_OF_JSON = re.compile(rf"{_QUOTED}\s*:\s*{_VALUE}")
_OF_ANY = re.compile(rf"""(?:{_QUOTED}|'([^']{{0,60}})'|([^\W\d][\w .-]{{0,60}}))\s*(?:=>|=|:)\s*{_VALUE}""")
_OPENING = {"text": ("{", "["), "other": ("{", "[", '"')}
_TRUTHS = frozenset({"true", "false", "null", "NULL"})


def inner_values(kind: ColumnType, samples: Iterable[Scalar]) -> Mapping[str, list[str]]:
    """Key → its values in what a column of a kind holds; a text has keys where it is JSON, whole or not.

    Keys that only truths stand beside are left out: `{"email": true}` is nobody's address. What a key has that is
    itself a list or has keys is among the values as "", or as what is listed.
    """
    found: dict[str, list[str]] = {}
    for sample in samples:
        text = sample[:_LOOKED_AT_CHARS].lstrip() if isinstance(sample, str) else ""
        if text.startswith(_OPENING.get(kind, ())):
            for match in (_OF_JSON if kind == "text" else _OF_ANY).finditer(text):
                *keys, double, single, bare = match.groups()
                key = next(filter(None, keys), "")
                found.setdefault(key, []).append(double or single or (bare or "").strip())
    return {key: values for key, values in found.items() if not _TRUTHS.issuperset(values)}


def listed_values(value: Scalar) -> list[str]:
    """The values of a list, as databases spell one."""
    return [one.strip(" '\"") for one in str(value)[:_LOOKED_AT_CHARS].strip("[]{}").split(",")]
