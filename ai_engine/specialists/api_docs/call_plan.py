"""The call that is planned, what a person confirms of it, and the address that it comes to."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ai_engine.errors import ApiCallRefused
from ai_engine.specialists.api_docs.catalogue import PLACEHOLDER, READING_METHODS, Endpoint

FORCING_WORDS = ("documentation", "not specify", "cannot invent")
"""A planner that declines a GET for one of these reasons is overruled: the service itself knows best."""
_OTHER_PATH = "A request may name another host of the services, but not another path on it."
_MOST_DECODINGS = 8
_SEPARATING = re.compile(r"[/\\\x00-\x1f\x7f\ufffd]")
_KEPT_HEADERS = frozenset({"accept", "accept-language", "prefer", "if-none-match", "if-modified-since"})


class PathNotResolved(ValueError):
    """A placeholder of the path has no value, or one that no path may hold."""


class ApiCallPlan(BaseModel):
    """One HTTP call, or why there is none.

    `path` is relative, with its placeholders; `reason` justifies the call, `failure_reason` says why none is made.
    """

    model_config = ConfigDict(frozen=True)

    make_request: bool
    method: str = "GET"
    path: str = ""
    path_params: dict[str, Any] = Field(default_factory=dict)
    query_params: dict[str, Any] = Field(default_factory=dict)
    json_body: dict[str, Any] | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    reason: str = ""
    failure_reason: str | None = None

    @field_validator("method", mode="after")
    @classmethod
    def _upper(cls, method: str) -> str:
        return method.strip().upper()

    @field_validator("path_params", "query_params", "headers", mode="before")
    @classmethod
    def _empty_for_none(cls, value: object) -> object:
        return {} if value is None else value

    @property
    def writes(self) -> bool:
        """It may change something."""
        return self.method not in READING_METHODS


def forced(plan: ApiCallPlan) -> ApiCallPlan:
    """Make a call of a declined GET whose planner only missed documentation; a write is never forced."""
    reason = f"{plan.reason} {plan.failure_reason or ''}".lower()
    missed = any(words in reason for words in FORCING_WORDS)
    if plan.make_request or plan.method != "GET" or not plan.path or not missed:
        return plan
    return plan.model_copy(update={"make_request": True})


def rendered_path(path: str, values: dict[str, Any]) -> str:
    """Put encoded values in the place of `:name` and `{name}`; a value stays within its own part of the path.

    Raises:
        PathNotResolved: a value is missing or empty, or would leave its part wherever somebody on the way decodes it.
    """

    def value(name: str) -> str:
        text = str(values.get(name, "")).strip() if values.get(name) is not None else ""
        if not text or _leaves_its_part(text):
            raise PathNotResolved(name)
        return quote(text, safe="")

    rendered = PLACEHOLDER.sub(lambda found: value(found[1] or found[2]), path)
    if not rendered.startswith("/") or rendered.startswith("//") or any(c in rendered for c in "?#\\"):
        raise PathNotResolved(path)
    if {".", ".."} & set(rendered.split("/")):
        raise PathNotResolved(path)
    return rendered


def _leaves_its_part(text: str) -> bool:
    """Tell whether a value has a slash or is a dot segment, as it stands or once it is decoded, however often."""
    for _ in range(_MOST_DECODINGS):
        if _SEPARATING.search(text) or text.partition(";")[0].strip() in {".", ".."}:
            return True
        before, text = text, unquote(text)
        if text == before:
            return False
    return True


def as_documented(plan: ApiCallPlan, endpoint: Endpoint) -> ApiCallPlan:
    """Write a plan anew by the description of its endpoint: its path, and values of the parameters that it has."""
    values = dict(plan.path_params)
    for name, text in endpoint.values_in(plan.path).items():
        left_open = PLACEHOLDER.fullmatch(f"/{text}", 1)
        values[name] = plan.path_params.get(left_open[1] or left_open[2]) if left_open else text

    def declared(given: Mapping[str, Any], place: str) -> dict[str, Any]:
        known = {item.name for item in endpoint.parameters if item.place == place}
        return {name: value for name, value in given.items() if name in known}

    return plan.model_copy(
        update={
            "path": endpoint.path,
            "path_params": declared(values, "path"),
            "query_params": declared(plan.query_params, "query"),
            "json_body": declared(plan.json_body or {}, "body") or None,
        }
    )


def base_url_of(context: Mapping[str, Any], known: Iterable[str | None]) -> str | None:
    """Return the address before all paths: that of a request's context, else the first that is known.

    Raises:
        ApiCallRefused: the request names a path of its own, under which other endpoints are than are described.
    """
    described = [str(url).strip().rstrip("/") for url in known if url]
    for given in (context.get("api_base_url"), context.get("base_url")):
        if given:
            url = str(given).strip().rstrip("/")
            if _path_of(url) not in {_path_of(one) for one in described or [""]}:
                raise ApiCallRefused("a request may name another host, and no other path", _OTHER_PATH)
            return url
    return next(iter(described), None)


def _path_of(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError as fault:
        raise ApiCallRefused(f"not an address: {fault}") from None


def harmless_headers(headers: dict[str, str]) -> dict[str, str]:
    """Keep of a planner's headers those that neither identify anybody nor say where a message ends."""
    return {name: value for name, value in headers.items() if name.lower() in _KEPT_HEADERS}


def proposal_of(plan: ApiCallPlan, base_url: str) -> dict[str, Any]:
    """Return what a person confirms: the call as it would be made, and the hash that ties the confirmation to it."""
    call = {
        "method": plan.method,
        "base_url": base_url,
        "path": plan.path,
        "path_params": plan.path_params,
        "query_params": plan.query_params,
        "json_body": plan.json_body,
    }
    return {**call, "hash": _hash_of(call)}


def confirmed_plan(proposal: object, base_url: str) -> ApiCallPlan | None:
    """Return the call that a person confirmed; None where it is not, in every part, one that was proposed for here."""
    if not isinstance(proposal, dict):
        return None
    call = {name: value for name, value in proposal.items() if name != "hash"}
    if proposal.get("hash") != _hash_of(call) or call.get("base_url") != base_url:
        return None
    call.pop("base_url")
    return ApiCallPlan(make_request=True, reason="confirmed by the person who asked", **call)


def _hash_of(call: dict[str, Any]) -> str:
    text = json.dumps(call, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
