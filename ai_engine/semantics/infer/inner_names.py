"""The names that values bring along: keys of JSON, of maps and of structs, as databases spell them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from ai_engine.types import ColumnType, Scalar

_DEEPEST = 5
_MOST_VALUES, _LONGEST_VALUE_CHARS = 1_000, 300  # of one key: more tell nothing new
_QUOTED = r'(?<!\\)"((?:[^"\\]|\\.)*)"'  # a text begins at no escaped quote: each would be read on from to the end
_VALUE = rf"""(?:{_QUOTED}|'((?:[^'\\]|\\.)*)'|([^,{{}}\[\]"']*))"""
_OF_JSON = re.compile(rf"{_QUOTED}\s*:\s*{_VALUE}")
_OF_ANY = re.compile(rf"""(?:{_QUOTED}|'([^']{{0,60}})'|([+\w][\w .@+-]{{0,60}}))\s*(?:=>|=|:)\s*{_VALUE}""")
_LISTED_KEY = re.compile(r"[{,]\s*\[([^\[\]{}]*)\]=")
_WITHIN = re.compile(r"""(?s)"(\s*[{\[(](?:[^"\\]|\\.|"")*)|'(\s*[{\["](?:[^'\\]|\\.)*)""")
_ESCAPED, _ESCAPED_OR_DOUBLED = re.compile(r"(?s)\\(.)"), re.compile(r'(?s)\\(.)|"(")')
_OPENING = {"text": ("{", "["), "other": ("{", "[", '"', "(")}
_ESCAPED_LETTER = re.compile(r"\\u([0-9a-fA-F]{4})")
_BLANKS = " \t\r\n\ufeff"
_TRUTHS = frozenset({"true", "false", "null", "NULL"})


def inner_values(kind: ColumnType, samples: Iterable[Scalar], parts: Iterable[str] = ()) -> Mapping[str, list[str]]:
    """Key → its distinct values in what a column of a kind holds; a text has keys where it is JSON, whole or not.

    What a key has that is itself a list or has keys is among the values as "", or as what is listed. A text within that
    has keys itself, as JSON in a struct or a map, gives its own. Of `parts`, in which long ones go on, it is not asked
    how they begin.
    """
    found: dict[str, dict[str, None]] = {}
    pattern = _OF_JSON if kind == "text" else _OF_ANY
    texts = (sample.lstrip(_BLANKS) for sample in samples if isinstance(sample, str))
    for text in chain((text for text in texts if text.startswith(_OPENING.get(kind, ()))), parts):
        for key, value in _pairs(text, pattern, _DEEPEST):
            values = found.setdefault(_ESCAPED_LETTER.sub(_letter, key), {})
            if len(values) < _MOST_VALUES:
                values[value[:_LONGEST_VALUE_CHARS]] = None
    return {key: list(values) for key, values in found.items()}


def are_truths(values: Iterable[str]) -> bool:
    """Tell whether a key has only truths, and so names nothing: `{"email": true}` is nobody's address."""
    return _TRUTHS.issuperset(values)


def may_have_keys(kind: ColumnType, value: Scalar) -> bool:
    """Tell whether a value begins as one that has keys, so that the rest of a long one matters."""
    return isinstance(value, str) and value.lstrip(_BLANKS).startswith(_OPENING.get(kind, ()))


def _letter(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def _pairs(text: str, pattern: re.Pattern[str], levels: int) -> Iterator[tuple[str, str]]:
    for match in pattern.finditer(text):
        *keys, double, single, bare = match.groups()
        yield next(filter(None, keys), ""), double or single or (bare or "").strip()
    for match in _LISTED_KEY.finditer(text) if pattern is _OF_ANY else ():
        for key in listed_values(match[1]):
            yield key, ""
    for double, single in _WITHIN.findall(text) if levels else ():
        within = _ESCAPED_OR_DOUBLED.sub(r"\1\2", double) or _ESCAPED.sub(r"\1", single)
        yield from _pairs(within, _OF_JSON, levels - 1)


def listed_values(value: Scalar) -> list[str]:
    """The values of a list, as databases spell one."""
    return [one.strip(" '\"") for one in str(value).strip("[]{}").split(",")]
