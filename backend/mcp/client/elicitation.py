"""Questions that a server asks the person in the middle of a call: bounded, never for secrets, answered in form."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from ai_engine.asked_secrets import asks_for_secret
from ai_engine.tools import ElicitationRequest
from backend.mcp.client.checks import CheckFailed, check_value
from backend.mcp.client.cleaning import clean_json, clean_text
from backend.mcp.client.limits import ClientLimits
from backend.mcp.client.telling import Caller

_MAX_MESSAGE_CHARS = 2_000
_MAX_SCHEMA_CHARS = 16_000
_MAX_WORD_CHARS = 500
_PLAIN_TYPES = {"string", "number", "integer", "boolean", "array"}


class Asking:
    """The questions of one call: at most so many, and the time that the person takes for them."""

    def __init__(self, caller: Caller, limits: ClientLimits) -> None:
        self._caller = caller
        self._limits = limits
        self._asked = 0
        self._waiting = 0
        self._since = 0.0
        self._waited_s = 0.0

    @property
    def waited_s(self) -> float:
        """How long the call waited for the person, which is not the server's time."""
        return self._waited_s + (time.monotonic() - self._since if self._waiting else 0.0)

    async def answer(self, params: ElicitRequestParams) -> ElicitResult:
        """Ask the person, unless the question is none to be asked."""
        self._asked += 1
        if not isinstance(params, ElicitRequestFormParams):
            return await self._declined("it leads to a web page")
        refusal = self._refusal(params)
        if refusal is not None:
            return await self._declined(refusal)
        request = ElicitationRequest(
            clean_text(params.message, _MAX_MESSAGE_CHARS), clean_json(params.requested_schema, _MAX_WORD_CHARS)
        )
        self._begin()
        try:
            response = await self._caller.asked(request, self._limits.elicitation_timeout_s)
        finally:
            self._end()
        if response.action != "accept":
            return ElicitResult(action=response.action)
        content = _plain_values(response.content)
        try:
            await asyncio.to_thread(check_value, content, params.requested_schema)
        except CheckFailed as fault:
            await self._caller.error(f"the answer was not sent: {fault}", "validation")
            return ElicitResult(action="cancel")
        return ElicitResult(action="accept", content=content)

    async def _declined(self, reason: str) -> ElicitResult:
        await self._caller.error(f"a question of the server was declined: {reason}", "validation")
        return ElicitResult(action="decline")

    def _refusal(self, params: ElicitRequestFormParams) -> str | None:
        if self._asked > self._limits.max_elicitations:
            return f"it is one of more than {self._limits.max_elicitations}"
        try:
            written = json.dumps(clean_json(params.requested_schema), ensure_ascii=False)
        except (ValueError, RecursionError):
            return "its form cannot be read"
        if len(written) > _MAX_SCHEMA_CHARS or not _is_plain_form(params.requested_schema):
            return "its form is none of plain values"
        if asks_for_secret(f"{params.message} {written}"):
            return "it asks for a secret"
        return None

    def _begin(self) -> None:
        if self._waiting == 0:
            self._since = time.monotonic()
        self._waiting += 1

    def _end(self) -> None:
        self._waiting -= 1
        if self._waiting == 0:
            self._waited_s += time.monotonic() - self._since


def _is_plain_form(schema: dict[str, Any]) -> bool:
    fields = schema.get("properties", {})
    if schema.get("type", "object") != "object" or not isinstance(fields, dict):
        return False
    return all(isinstance(field, dict) and field.get("type", "string") in _PLAIN_TYPES for field in fields.values())


def _plain_values(content: Mapping[str, Any] | None) -> dict[str, Any]:
    return {str(name): value for name, value in (content or {}).items() if _is_plain(value)}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(part, str) for part in value)
    return isinstance(value, str | int | float | bool)
