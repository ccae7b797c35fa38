"""A YAML document whose every part knows its line and its dotted path, so that a fault can be shown where it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml
from rapidfuzz import fuzz, process

from ai_engine.errors import BadVocabulary

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SIMILAR_SCORE = 60
_DEEPEST = 40
_LONGEST_PATH = 80
_KINDS = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a mapping"}


def nearest(word: str, known: Sequence[str]) -> str:
    """Return ", did you mean ...?" for the known name closest to a word, "" when none is close."""
    found = process.extractOne(word.lower(), {name: name.lower() for name in known}, scorer=fuzz.ratio)
    return f", did you mean {found[2]!r}?" if found and found[1] >= _SIMILAR_SCORE else ""


@dataclass(frozen=True)
class Part:
    """One value of the document; `line` is 1-based."""

    value: Any
    line: int
    path: str

    def fail(self, problem: str) -> NoReturn:
        """Raise BadVocabulary at this place."""
        raise BadVocabulary(problem, line=self.line, field=self.path)

    def _of(self, kind: type[Any]) -> Any:
        if not isinstance(self.value, kind) or (kind is int and isinstance(self.value, bool)):
            self.fail(f"expected {_KINDS[kind]}, found {_shown(self.value)}")
        return self.value

    def text(self) -> str:
        """Return the value as text; numbers and the like are refused."""
        value: str = self._of(str)
        return value

    def name(self) -> str:
        """Return the value as text that is not blank."""
        if not self.text().strip():
            self.fail("must not be empty")
        return self.text()

    def number(self) -> int:
        """Return the value as a whole number."""
        value: int = self._of(int)
        return value

    def truth(self) -> bool:
        """Return the value as true or false."""
        value: bool = self._of(bool)
        return value

    def items(self) -> tuple[Part, ...]:
        """Return the parts of a list."""
        return tuple(self._of(list))

    def entries(self) -> dict[str, Part]:
        """Return the parts of a mapping by key."""
        found: dict[str, Part] = self._of(dict)
        return found

    def names(self) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(item.name() for item in self.items())

    def one_of(self, allowed: Sequence[str]) -> str:
        """Return a text that is one of the allowed."""
        value = self.text()
        if value not in allowed:
            self.fail(f"{value!r} is not one of {', '.join(allowed)}{nearest(value, allowed)}")
        return value

    def only(self, known: Sequence[str], required: Sequence[str] = ()) -> dict[str, Part]:
        """Return the parts of a mapping, refusing keys that are not known and the lack of required ones."""
        entries = self.entries()
        for key, part in entries.items():
            if key not in known:
                part.fail(f"unknown key {key!r}{nearest(key, known)}")
        for key in required:
            if key not in entries:
                self.fail(f"{key!r} is missing")
        return entries


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return _KINDS[type(value)]
    return "nothing" if value is None else repr(value)


def parse_yaml(text: str) -> Part:
    """Return the document's root.

    Raises:
        BadVocabulary: not YAML, several documents, nested beyond reason, a repeated key, or keys that are not text.
    """
    loader = _Loader(text)
    try:
        return _document(loader)
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        problem = getattr(fault, "problem", None) or str(fault).partition("\n")[0]
        raise BadVocabulary(f"not valid YAML: {problem}", line=mark.line + 1 if mark else None) from fault
    finally:
        loader.dispose()


def _document(loader: Any) -> Part:
    """Read from events, because composing nodes recurses without a limit."""
    loader.get_event()
    if isinstance(loader.get_event(), yaml.StreamEndEvent):
        raise BadVocabulary("the file is empty", line=1)
    root = _part(loader, loader.get_event(), "", 0)
    loader.get_event()
    following = loader.get_event()
    if not isinstance(following, yaml.StreamEndEvent):
        raise BadVocabulary("a second document begins", line=following.start_mark.line + 1)
    return root


def _part(loader: Any, event: Any, path: str, depth: int) -> Part:
    line: int = event.start_mark.line + 1
    if isinstance(event, yaml.ScalarEvent):
        return Part(_scalar(loader, event, path), line, path)
    if isinstance(event, yaml.AliasEvent):
        raise BadVocabulary("aliases are not supported, write it again", line=line, field=path)
    if depth >= _DEEPEST:
        raise BadVocabulary("nested too deeply", line=line, field=path[:_LONGEST_PATH])
    if isinstance(event, yaml.MappingStartEvent):
        return Part(dict(_pairs(loader, path, depth)), line, path)
    return Part(list(_items(loader, path, depth)), line, path)


def _items(loader: Any, path: str, depth: int) -> Iterator[Part]:
    at = 0
    while not isinstance(event := loader.get_event(), yaml.SequenceEndEvent):
        yield _part(loader, event, f"{path}[{at}]", depth + 1)
        at += 1


def _pairs(loader: Any, path: str, depth: int) -> Iterator[tuple[str, Part]]:
    seen: set[str] = set()
    while not isinstance(event := loader.get_event(), yaml.MappingEndEvent):
        line = event.start_mark.line + 1
        if not isinstance(event, yaml.ScalarEvent):
            raise BadVocabulary("a key must be text", line=line, field=path)
        key = event.value
        if key in seen:
            raise BadVocabulary(f"key {key!r} is given twice", line=line, field=path)
        seen.add(key)
        part = _part(loader, loader.get_event(), f"{path}.{key}" if path else key, depth + 1)
        yield key, Part(part.value, line, part.path)


def _scalar(loader: Any, event: Any, path: str) -> Any:
    tag = event.tag or loader.resolve(yaml.ScalarNode, event.value, event.implicit)
    try:
        match tag.rpartition(":")[2]:
            case "null":
                return None
            case "bool":
                return event.value.lower() in {"yes", "true", "on"}
            case "int":
                return int(event.value.replace("_", ""), 0)
            case _:
                return event.value
    except ValueError as fault:
        raise BadVocabulary(f"{event.value!r} cannot be read", line=event.start_mark.line + 1, field=path) from fault


def parse_json(part: Part) -> Part:
    """Return the JSON text of an extension as parts that all stand on the extension's line."""
    try:
        return _wrapped(json.loads(part.text(), object_pairs_hook=_unique), part.line, part.path)
    except (ValueError, RecursionError) as fault:
        part.fail(f"not valid JSON: {fault}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")
    return found


def _wrapped(value: Any, line: int, path: str) -> Part:
    if isinstance(value, dict):
        return Part({key: _wrapped(item, line, f"{path}.{key}") for key, item in value.items()}, line, path)
    if isinstance(value, list):
        return Part([_wrapped(item, line, f"{path}[{at}]") for at, item in enumerate(value)], line, path)
    return Part(value, line, path)
