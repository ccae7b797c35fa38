"""What a tool of ours is: its description for others, its arguments, and the work that a call does."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, ValidationError

from ai_engine.errors import AssistantError, BadQuestion, QueryFailed, SqlRejected
from backend.desk import Desk
from backend.mcp.calls import Call, CallContext, in_thread

_log = logging.getLogger(__name__)
_TOLD_FAULTS = 5
_FAULT_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not an argument of this tool",
    "string_too_long": "is too long",
    "string_too_short": "is empty",
    "greater_than_equal": "is too small",
    "less_than_equal": "is too large",
}


class Arguments(BaseModel):
    """Arguments of a tool; what it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Reply(BaseModel):
    """What a tool gives."""

    model_config = ConfigDict(frozen=True)

    @property
    def failed(self) -> bool:
        """Whether the caller is told that the call failed."""
        return False


_Given = TypeVar("_Given", bound=Arguments)


@dataclass(frozen=True)
class ServedTool(Generic[_Given]):
    """One tool; all of ours read only, and give the same for the same as long as the data stays.

    Attributes:
        description: for the program, or the model, that decides whether to call it.
        work: runs in a thread of the desk's; what it raises of our own errors is told in their words.
        open_world: it asks a language model where one is configured.
    """

    name: str
    title: str
    description: str
    arguments: type[_Given]
    reply: type[BaseModel]
    work: Callable[[_Given, Call], BaseModel]
    open_world: bool = False

    @property
    def listed(self) -> Tool:
        """Describe it as the protocol does."""
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.arguments.model_json_schema(),
            output_schema=self.reply.model_json_schema(mode="serialization"),
            annotations=ToolAnnotations(
                read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=self.open_world
            ),
        )

    async def call(self, given: Mapping[str, Any], desk: Desk, context: CallContext) -> CallToolResult:
        """Check the arguments and do the work; never raises but for a cancellation."""
        try:
            arguments = self.arguments.model_validate(dict(given))
        except ValidationError as faults:
            return refusal(f"The arguments of {self.name} cannot be used: {_in_words(faults, self.arguments)}.")
        try:
            return given_back(await in_thread(desk, context, lambda call: self.work(arguments, call)))
        except AssistantError as fault:
            return refusal(spoken(fault))
        except Exception:  # noqa: BLE001 - what is not ours is told in our words
            _log.exception("the tool %s failed", self.name)
            return refusal(AssistantError.user_message)


def spoken(fault: AssistantError) -> str:
    """Tell an error to another program; what a statement failed of is in our words already and helps to mend it.

    Other errors may name files and servers: of them the sentence of their class is told.
    """
    if type(fault) is QueryFailed:
        return f"The database could not run this: {fault}."
    return fault.user_message if isinstance(fault, (SqlRejected, BadQuestion)) else type(fault).user_message


def given_back(reply: BaseModel) -> CallToolResult:
    """Give a reply as structure, and as the text of it for clients that read text alone."""
    fields = reply.model_dump(mode="json", by_alias=True)
    text = json.dumps(fields, ensure_ascii=False, allow_nan=False)
    failed = isinstance(reply, Reply) and reply.failed
    return CallToolResult(content=[TextContent(text=text)], structured_content=fields, is_error=failed)


def refusal(sentence: str) -> CallToolResult:
    """Say why there is nothing."""
    return CallToolResult(content=[TextContent(text=sentence)], is_error=True)


def _in_words(faults: ValidationError, arguments: type[Arguments]) -> str:
    """Name each argument and what is wrong with it; nothing that the caller wrote is repeated."""
    return "; ".join(_fault_in_words(fault, arguments) for fault in faults.errors(include_input=False)[:_TOLD_FAULTS])


def _fault_in_words(fault: Any, arguments: type[Arguments]) -> str:
    place: Sequence[int | str] = fault["loc"]
    name = place[0] if place and place[0] in arguments.model_fields else "one of them"
    return f"{name} {_FAULT_WORDS.get(fault['type'], 'is not of the right kind')}"
