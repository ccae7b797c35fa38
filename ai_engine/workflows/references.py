"""Templates such as `{{step_1.output.rows[0].amount}}`: read into paths, looked up as data, never evaluated."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ai_engine.json_values import JsonValue

SLOT = re.compile(r"\{\{([^{}]*)\}\}")
_ROOT = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)")
_PART = re.compile(r"""\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d{1,6})\]|\["([^"\]]+)"\]|\['([^'\]]+)'\]""")
_SHOWN_CHARS = 80


class BadReference(ValueError):
    """The text between the braces is no path."""


class NothingThere(LookupError):
    """A path leads to nothing in the data."""


class TooMuch(Exception):
    """Templates would put in more than they may."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A path into what is known: a name, then keys and places from 0.

    Attributes:
        written: as it stands between the braces.
    """

    written: str
    root: str
    path: tuple[str | int, ...] = ()


def parse_reference(written: str) -> Reference:
    """Read what stands between the braces.

    Raises:
        BadReference: it is no path.
    """
    found = _ROOT.match(written)
    shown = shorten(written)
    if found is None:
        raise BadReference(f'{shown!r} is no path: write a name, then .key, [0] or ["a key"]')
    path: list[str | int] = []
    at = found.end()
    rest = written.rstrip()
    while at < len(rest):
        part = _PART.match(rest, at)
        if part is None:
            raise BadReference(f'{shown!r} is no path from {shorten(rest[at:])!r} on: write .key, [0] or ["a key"]')
        key, place, double, single = part.groups()
        path.append(int(place) if place is not None else key or double or single)
        at = part.end()
    return Reference(rest.strip(), found[1], tuple(path))


def references_in(value: JsonValue) -> Iterator[Reference]:
    """Yield every path of a value, inside lists and objects too.

    Raises:
        BadReference: one is no path, or its braces do not close.
    """
    if isinstance(value, str):
        yield from (parse_reference(slot[1]) for slot in SLOT.finditer(value))
        left = SLOT.sub("", value)
        if "{{" in left or "}}" in left:
            raise BadReference(f"the braces of {shorten(value)!r} do not close around a path")
    elif isinstance(value, list):
        for item in value:
            yield from references_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from references_in(item)


def quoted_roots(value: JsonValue) -> set[str]:
    """Return the roots of all paths but those that hand a step's whole `output` on, with what it says of itself."""
    if isinstance(value, str):
        whole = SLOT.fullmatch(value.strip())
        found = references_in(value)
        return {one.root for one in found if whole is None or one.path != ("output",)}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {root for item in inner for root in quoted_roots(item)}


def resolve(value: JsonValue, known: Mapping[str, JsonValue], max_bytes: float = math.inf) -> JsonValue:
    """Put what is known in the place of templates.

    A text that is one template becomes what is there, of whatever kind; templates within a text become text. What was
    put in is never looked through for further templates.

    Args:
        known: by root: `user_query`, `param`, `phrase`, and each finished step.
        max_bytes: of all that is put in, as JSON; counted as it goes, so that no more than that is ever made.

    Raises:
        BadReference: one is no path.
        NothingThere: a path leads to nothing.
        TooMuch: more would be put in than that.
    """
    return _Resolving(known, max_bytes).value(value)


class _Resolving:
    """Puts in what is known until it is too much; what a path leads to is looked up, written and measured once."""

    def __init__(self, known: Mapping[str, JsonValue], left_bytes: float) -> None:
        self._known = known
        self._left_bytes = left_bytes
        self._found: dict[str, tuple[JsonValue, str, int]] = {}

    def value(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            whole = SLOT.fullmatch(value.strip())
            return SLOT.sub(lambda slot: self._put(slot[1])[1], value) if whole is None else self._put(whole[1])[0]
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return value

    def _put(self, written: str) -> tuple[JsonValue, str, int]:
        """Return what a path leads to, its text, and its size."""
        if written not in self._found:
            found = look_up(parse_reference(written), self._known)
            text = as_text(found)
            self._found[written] = found, text, len(text.encode())
        self._left_bytes -= self._found[written][2]
        if self._left_bytes < 0:
            raise TooMuch
        return self._found[written]


def look_up(reference: Reference, known: Mapping[str, JsonValue]) -> JsonValue:
    """Walk a path through plain data; attributes of objects are out of its reach.

    Raises:
        NothingThere: it leads to nothing.
    """
    if reference.root not in known:
        raise NothingThere(f"there is no {reference.root!r}")
    here = known[reference.root]
    for key in reference.path:
        if isinstance(here, list) and isinstance(key, int) and key < len(here):
            here = here[key]
            continue
        if isinstance(here, dict) and isinstance(key, str) and key in here:
            here = here[key]
            continue
        raise NothingThere(f"{{{{{shorten(reference.written)}}}}} leads to nothing: {_what_is(key, here)}")
    return here


def as_text(value: JsonValue) -> str:
    """Write a value into a sentence: a text as it is, nothing for None, lists and objects as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def shorten(text: str) -> str:
    """Cut what is quoted in a message."""
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _what_is(key: str | int, here: JsonValue) -> str:
    if isinstance(here, list):
        return f"the list has {len(here)} items" if isinstance(key, int) else f"a list has places, no {shorten(key)!r}"
    if isinstance(here, dict):
        keys = ", ".join(shorten(one) for one in list(here)[:6]) or "nothing"
        return f"there is no {shorten(str(key))!r}, but {keys}"
    return f"{shorten(str(key))!r} of a plain value"
