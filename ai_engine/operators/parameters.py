"""The JSON schema of an operator's parameters: judged when it is registered, and parameters checked against it.

Of JSON Schema there is what parameters need; a keyword that is not among it is refused, since nobody would check it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

_KINDS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, (list, tuple)),
    "object": lambda value: isinstance(value, Mapping),
    "null": lambda value: value is None,
}
_BOUNDS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "minimum": (lambda value, bound: value >= bound, "at least"),
    "maximum": (lambda value, bound: value <= bound, "at most"),
}
_LENGTHS: dict[str, tuple[Callable[[int, int], bool], str]] = {
    "minLength": (lambda length, bound: length >= bound, "at least {} characters"),
    "maxLength": (lambda length, bound: length <= bound, "at most {} characters"),
    "minItems": (lambda length, bound: length >= bound, "at least {} items"),
    "maxItems": (lambda length, bound: length <= bound, "at most {} items"),
}
_KNOWN = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "default", "description", "title",
    *_BOUNDS, *_LENGTHS,
}  # fmt: skip


class BadParameters(ValueError):
    """Parameters that an operator does not take; the text says which and why."""


def object_schema(*required: str, **properties: Schema) -> Schema:
    """Write the schema of an operator's parameters: each with its own schema, those of `required` never left out."""
    made: Schema = {"type": "object", "properties": properties}
    return {**made, "required": list(required)} if required else made


def check_schema(schema: Schema) -> None:
    """Judge the schema of an operator's parameters.

    Raises:
        ValueError: it is not that of an object, or says what nobody checks.
    """
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), Mapping):
        raise ValueError("the parameters' schema is that of an object with properties")
    _check(schema, "parameters")


def _check(schema: object, where: str) -> None:
    if not isinstance(schema, Mapping):
        raise ValueError(f"{where}: a schema is an object")
    unknown = sorted(set(map(str, schema)) - _KNOWN)
    if unknown:
        raise ValueError(f"{where}: {', '.join(unknown)} is not checked here")
    unknown = sorted(set(_types(schema)) - _KINDS.keys())
    if unknown:
        raise ValueError(f"{where}: there is no type {', '.join(unknown)}")
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping) or not set(schema.get("required", ())) <= set(properties):
        raise ValueError(f"{where}: what is required stands among the properties")
    for name, inner in properties.items():
        _check(inner, f"{where}.{name}")
    if "items" in schema:
        _check(schema["items"], f"{where}[]")
    if "default" in schema and (fault := _fault(schema["default"], schema, "default")):
        raise ValueError(f"{where}: {fault}")


def checked_parameters(params: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return the parameters with the defaults of those that are not given.

    `query`, what is to be done, is taken whether the schema has it or not.

    Raises:
        BadParameters: one is missing, unknown or not of its kind.
    """
    properties: Mapping[str, Any] = {"query": {"type": "string"}, **schema["properties"]}
    filled = {name: inner["default"] for name, inner in properties.items() if "default" in inner} | dict(params)
    fault = _fault(filled, {"additionalProperties": False, **schema, "properties": properties}, "")
    if fault:
        raise BadParameters(fault)
    return filled


def _fault(value: Any, schema: Schema, where: str) -> str:
    """Say what is wrong with a value; empty where nothing is."""
    named = where or "the parameters"
    kinds = _types(schema)
    if kinds and not any(_KINDS[kind](value) for kind in kinds):
        return f"{named} must be {' or '.join(kinds)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{named} must be one of {', '.join(map(str, schema['enum']))}"
    if _KINDS["number"](value):
        for keyword, (holds, said) in _BOUNDS.items():
            if keyword in schema and not holds(value, schema[keyword]):
                return f"{named} must be {said} {schema[keyword]}"
    if isinstance(value, Mapping):
        return _fault_of_object(value, schema, where)
    if isinstance(value, Sequence):
        return _fault_of_sequence(value, schema, named)
    return ""


def _fault_of_sequence(value: Sequence[Any], schema: Schema, named: str) -> str:
    kind = "Length" if isinstance(value, str) else "Items"
    for keyword, (holds, said) in _LENGTHS.items():
        if keyword.endswith(kind) and keyword in schema and not holds(len(value), schema[keyword]):
            return f"{named} must have {said.format(schema[keyword])}"
    if "items" not in schema or isinstance(value, str):
        return ""
    return next(
        (fault for at, item in enumerate(value) if (fault := _fault(item, schema["items"], f"{named}[{at}]"))), ""
    )


def _fault_of_object(value: Mapping[str, Any], schema: Schema, where: str) -> str:
    properties, prefix = schema.get("properties", {}), f"{where}." if where else ""
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"missing: {', '.join(prefix + name for name in missing)}"
    for name, item in value.items():
        if name in properties:
            fault = _fault(item, properties[name], f"{prefix}{name}")
        else:
            fault = _unknown(name, properties, prefix) if schema.get("additionalProperties", True) is False else ""
        if fault:
            return fault
    return ""


def _unknown(name: str, properties: Mapping[str, Any], prefix: str) -> str:
    near = get_close_matches(name, properties, n=1, cutoff=0.6)
    meant = f", {prefix}{near[0]} is meant" if near else f"; there are: {', '.join(properties)}"
    return f"there is no {prefix}{name}{meant}"


def _types(schema: Schema) -> tuple[str, ...]:
    kinds = schema.get("type", ())
    return (kinds,) if isinstance(kinds, str) else tuple(kinds)
