"""An OpenAPI 3 description as a catalogue: operations, parameters, flat JSON bodies, security."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ai_engine.errors import BadConfiguration
from ai_engine.specialists.api_docs.catalogue import ApiCatalogue

_METHODS = ("get", "head", "post", "put", "patch", "delete")
_TYPES = {"integer": "integer", "number": "number", "boolean": "boolean"}
_FORMATS = {"date": "date", "date-time": "datetime"}
_MOST_REFERENCES = 32


def from_openapi(described: Mapping[str, Any]) -> ApiCatalogue:
    """Turn a description into a catalogue. A write may be confirmed where it says `x-writable: true`.

    Raises:
        BadConfiguration: not version 3, or a reference that leads nowhere in this file.
        pydantic.ValidationError: something in it has another shape.
    """
    if not str(described["openapi"]).startswith("3."):
        raise BadConfiguration(f"OpenAPI {described['openapi']} is not read; version 3 is")
    info = described.get("info") or {}
    servers = described.get("servers") or []
    endpoints = [
        endpoint for path, item in (described.get("paths") or {}).items() for endpoint in _of(described, path, item)
    ]
    return ApiCatalogue.model_validate({
        "name": info.get("title") or "API",
        "description": _text(info.get("description")),
        "base_url": servers[0].get("url") if servers else None,
        "endpoints": endpoints,
        "snippets": [
            {"title": tag["name"], "text": tag["description"]}
            for tag in described.get("tags") or [] if tag.get("description")
        ],
    })  # fmt: skip


def _of(described: Mapping[str, Any], path: str, item: Any) -> Iterator[dict[str, Any]]:
    item = _resolved(described, item)
    shared = item.get("parameters") or []
    for method in _METHODS:
        operation = item.get(method)
        if operation is None:
            continue
        parameters = [*_parameters(described, [*shared, *(operation.get("parameters") or [])])]
        security = operation.get("security", described.get("security"))
        summary = operation.get("summary") or operation.get("operationId") or f"{method.upper()} {path}"
        yield {
            "method": method.upper(),
            "path": path,
            "summary": _text(summary),
            "description": _text(operation.get("description")),
            "keywords": [*(operation.get("tags") or [])],
            "parameters": [*parameters, *_body(described, operation)],
            "needs_token": bool(security),
            "writable": bool(operation.get("x-writable")),
        }


def _parameters(described: Mapping[str, Any], given: list[Any]) -> Iterator[dict[str, Any]]:
    known = {}
    for item in given:
        parameter = _resolved(described, item)
        if parameter.get("in") in {"path", "query"}:
            known[parameter["name"], parameter["in"]] = parameter
    for parameter in known.values():
        schema = _resolved(described, parameter.get("schema") or {})
        yield _parameter(parameter["name"], parameter["in"], schema, required=bool(parameter.get("required"))) | {
            "description": _text(parameter.get("description") or schema.get("description")),
        }


def _body(described: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    body = _resolved(described, operation.get("requestBody") or {})
    content = (body.get("content") or {}).get("application/json") or {}
    schema = _resolved(described, content.get("schema") or {})
    required = set(schema.get("required") or ())
    for name, item in (schema.get("properties") or {}).items():
        inner = _resolved(described, item)
        yield _parameter(name, "body", inner, required=name in required) | {
            "description": _text(inner.get("description"))
        }


def _parameter(name: str, place: str, schema: Mapping[str, Any], *, required: bool) -> dict[str, Any]:
    kind = _FORMATS.get(str(schema.get("format"))) or _TYPES.get(str(schema.get("type")), "string")
    default, example = schema.get("default"), schema.get("example")
    scalar = (str, int, float, bool)
    return {
        "name": name,
        "in": place,
        "type": kind,
        "required": required,
        "pattern": schema.get("pattern", "").removeprefix("^").removesuffix("$") or None,
        "values": [str(value) for value in schema.get("enum") or [] if value is not None],
        "words": [name],
        "default": default if isinstance(default, scalar) else None,
        "example": example if isinstance(example, scalar) else None,
    }


def _resolved(described: Mapping[str, Any], item: Any) -> dict[str, Any]:
    """Follow references inside the file."""
    for _ in range(_MOST_REFERENCES):
        if not isinstance(item, dict):
            raise BadConfiguration("the OpenAPI file has something else where an object belongs")
        reference = item.get("$ref")
        if reference is None:
            return item
        found: Any = described
        for step in str(reference).removeprefix("#/").split("/"):
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        if not str(reference).startswith("#/") or found is None:
            raise BadConfiguration(f"the OpenAPI file refers to {reference}, which is not in it")
        item = found
    raise BadConfiguration("the OpenAPI file refers in circles")


def _text(value: object) -> str:
    return " ".join(str(value).split()) if value else ""
