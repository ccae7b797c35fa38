"""The call that is planned, what a person confirms of it, and the address that it comes to."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ai_engine.specialists.api_docs.catalogue import PLACEHOLDER, READING_METHODS

FORCING_WORDS = ("documentation", "not specify", "cannot invent")
"""A planner that declines a GET for one of these reasons is overruled: the service itself knows best."""
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
        PathNotResolved: a value is missing or empty, or is "." or "..", which no encoding keeps from climbing.
    """

    def value(name: str) -> str:
        text = str(values.get(name, "")).strip() if values.get(name) is not None else ""
        if not text or text in {".", ".."}:
            raise PathNotResolved(name)
        return quote(text, safe="")

    rendered = PLACEHOLDER.sub(lambda found: value(found[1] or found[2]), path)
    if not rendered.startswith("/") or rendered.startswith("//") or any(c in rendered for c in "?#\\"):
        raise PathNotResolved(path)
    if {".", ".."} & set(rendered.split("/")):
        raise PathNotResolved(path)
    return rendered


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
