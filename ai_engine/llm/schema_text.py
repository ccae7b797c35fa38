"""The JSON schema of a reply as services are sent it: nothing in it that a model does not need to reply."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from typing import Any

from pydantic import BaseModel

_SAID_ELSEWHERE = frozenset({"title", "description", "default", "discriminator"})
_ANNOTATED = frozenset({"properties", "$defs"})  # whose keys are names, not keywords
_SUFFIX = "Reply"
_REFERENCE = re.compile(r'"#/\$defs/(\w+)"')


@cache
def reply_schema(shape: type[BaseModel], *, strict: bool) -> dict[str, Any]:
    """Describe a reply; the same object each time, not to be changed.

    Args:
        shape: the reply's pydantic model.
        strict: each key must be there, null where it says nothing, as services demand that enforce a schema; else
            keys may be left out, and null is not offered.
    """
    schema = _bare(shape.model_json_schema(), strict=strict)
    assert isinstance(schema, dict), "a model's schema is an object"  # noqa: S101
    return _with_singles_in_place(schema)


def _with_singles_in_place(schema: dict[str, Any]) -> dict[str, Any]:
    """Write a definition that is used once where it is used."""
    while True:
        uses = Counter(_REFERENCE.findall(json.dumps(schema)))
        definitions = schema.get("$defs", {})
        single = next((name for name in definitions if uses[name] == 1), None)
        if single is None:
            return schema
        rest = {name: part for name, part in definitions.items() if name != single}
        schema = _replaced({**schema, "$defs": rest}, f"#/$defs/{single}", definitions[single])
        if not rest:
            del schema["$defs"]


def _replaced(part: Any, reference: str, definition: dict[str, Any]) -> Any:
    if isinstance(part, list):
        return [_replaced(one, reference, definition) for one in part]
    if not isinstance(part, dict):
        return part
    if part.get("$ref") == reference:
        return definition
    return {name: _replaced(one, reference, definition) for name, one in part.items()}


def _bare(part: Any, *, strict: bool, names: bool = False) -> Any:
    if isinstance(part, list):
        return [_bare(one, strict=strict) for one in part]
    if not isinstance(part, dict):
        return part.replace(_SUFFIX, "") if isinstance(part, str) and part.startswith("#/$defs/") else part
    if names:
        return {name.removesuffix(_SUFFIX): _bare(one, strict=strict) for name, one in part.items()}
    kept = {
        ("anyOf" if name == "oneOf" else name): _bare(one, strict=strict, names=name in _ANNOTATED)
        for name, one in part.items()
        if name not in _SAID_ELSEWHERE
    }
    if strict and "properties" in kept:
        return {**kept, "required": list(kept["properties"]), "additionalProperties": False}
    if not strict and kept.keys() & {"properties", "enum"}:
        kept.pop("type")  # goes without saying
    return kept if strict else _without_null(kept)


def _without_null(part: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" not in part:
        return part
    choices = [one for one in part["anyOf"] if one != {"type": "null"}]
    kinds = [one["type"] for one in choices if one.keys() == {"type"}]
    if len(choices) == 1:
        return {**{name: one for name, one in part.items() if name != "anyOf"}, **choices[0]}
    return {"type": kinds} if len(kinds) == len(choices) else {**part, "anyOf": choices}
