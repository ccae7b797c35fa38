"""What is known of an API: endpoints, what they need, and texts about it. Read from the project's YAML format."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ai_engine.errors import BadConfiguration

Method: TypeAlias = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
Place: TypeAlias = Literal["path", "query", "body"]
READING_METHODS: frozenset[str] = frozenset({"GET", "HEAD"})
PLACEHOLDER = re.compile(r"(?<=/):([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}")


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Parameter(_Described):
    """One value that a call takes.

    `values` are all that it may be, each with further words for it. `pattern` is what such a value looks like inside a
    question. `words` are said before or behind the value ("for 20 years").
    """

    name: str
    place: Place = Field("query", alias="in")
    type: Literal["string", "integer", "number", "date", "datetime", "boolean"] = "string"
    required: bool = False
    description: str = ""
    pattern: str | None = None
    values: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    words: tuple[str, ...] = ()
    default: str | int | float | bool | None = None
    example: str | int | float | bool | None = None

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _values_as_words(cls, data: Any) -> Any:
        """A plain list of values has no further words."""
        if isinstance(data, dict) and isinstance(data.get("values"), list):
            data = {**data, "values": {str(value): () for value in data["values"]}}
        return data


class Returned(_Described):
    """What a call gives back.

    `table` is the key under which the rows stand, None where the whole body is the table. `units` are currency codes,
    "percent", "days" or "count" by field. `sentence` tells a single object, its fields in braces.
    """

    description: str = ""
    table: str | None = None
    units: dict[str, str] = Field(default_factory=dict)
    sentence: str | None = None


class Endpoint(_Described):
    """One operation. `writable` lets a person confirm one that changes something; others never run."""

    method: Method
    path: str = Field(pattern=r"^/")
    summary: str
    description: str = ""
    keywords: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    needs_token: bool = False
    writable: bool = False
    returns: Returned = Returned()
    example: str = ""

    @property
    def name(self) -> str:
        """Method and path, as documentation writes them."""
        return f"{self.method} {self.path}"

    @property
    def reads_only(self) -> bool:
        """It changes nothing."""
        return self.method in READING_METHODS

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Names in the path that a value must replace."""
        return tuple(found[1] or found[2] for found in PLACEHOLDER.finditer(self.path))

    def values_in(self, path: str) -> dict[str, str]:
        """Return what stands in the place of each placeholder in a path that fits this one."""
        found = _pattern(self.path).fullmatch(path)
        return dict(zip(self.placeholders, map(unquote, found.groups()), strict=True)) if found else {}

    @model_validator(mode="after")
    def _every_placeholder_is_described(self) -> Endpoint:
        in_path = {parameter.name for parameter in self.parameters if parameter.place == "path"}
        if in_path != set(self.placeholders):
            raise ValueError(f"the placeholders of {self.path} and the parameters in its path differ")
        return self


class Snippet(_Described):
    """A text about the API that is found by its words."""

    title: str
    text: str


class Identity(_Described):
    """Where an example service gives its tokens, with the credentials that it makes no secret of."""

    url: str
    email: str
    password: str


class ApiCatalogue(_Described):
    """One API; `base_url` is where it lives unless settings or a request say otherwise."""

    name: str
    description: str = ""
    base_url: str | None = None
    identity: Identity | None = None
    endpoints: tuple[Endpoint, ...] = Field(min_length=1)
    snippets: tuple[Snippet, ...] = ()

    def endpoint(self, method: str, path: str) -> Endpoint | None:
        """Find an operation by its method and its path, as it is documented or with its placeholders filled in."""
        same = [endpoint for endpoint in self.endpoints if endpoint.method == method.upper()]
        exact = [endpoint for endpoint in same if PLACEHOLDER.sub("{}", endpoint.path) == PLACEHOLDER.sub("{}", path)]
        fitting = [endpoint for endpoint in same if _pattern(endpoint.path).fullmatch(path)]
        found = exact or sorted(fitting, key=lambda endpoint: len(endpoint.placeholders))
        return found[0] if found else None


def read_catalogue(text: str, name: str) -> ApiCatalogue:
    """Read a description of an API: our own YAML format, or OpenAPI 3 as YAML or JSON.

    Raises:
        BadConfiguration: it is neither; says where.
    """
    from ai_engine.specialists.api_docs.openapi import from_openapi

    try:
        described = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadConfiguration(f"{name} is no YAML: {error}") from error
    except RecursionError:
        raise BadConfiguration(f"{name} is nested too deeply") from None
    if not isinstance(described, dict):
        raise BadConfiguration(f"{name} describes no API: it must be one object")
    try:
        if "openapi" in described:
            return from_openapi(described)
        return ApiCatalogue.model_validate(described)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BadConfiguration(f"{name}: {place}: {first['msg']}") from error


def _pattern(path: str) -> re.Pattern[str]:
    parts, end = [], 0
    for found in PLACEHOLDER.finditer(path):
        parts += [re.escape(path[end : found.start()]), "([^/]+)"]
        end = found.end()
    return re.compile("".join([*parts, re.escape(path[end:])]))
