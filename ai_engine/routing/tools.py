"""Tools: functions that a model may call, told to it by their names, docstrings and type hints."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

from ai_engine.agent import in_thread
from ai_engine.conversation import ToolCall, ToolSpec

_log = logging.getLogger(__name__)
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_MOST_RESULT_CHARS = 20_000


class AgentToolCallbacks:
    """Told what tools do; override what is of interest. What a callback raises is logged and changes nothing."""

    async def on_tool_start(self, tool_name: str, payload: Mapping[str, Any], run_id: str) -> None:
        """Tell that a tool begins with these arguments."""

    async def on_tool_end(self, tool_name: str, payload: Mapping[str, Any], output: Any, run_id: str) -> None:
        """Tell what a tool returned."""

    async def on_tool_error(self, tool_name: str, payload: Mapping[str, Any], error: Exception, run_id: str) -> None:
        """Tell what a tool raised."""


class AgentTool:
    """One tool, made from a function.

    Args:
        name: letters, digits, "_" and "-"; the function's where None.
        description: what the model is told; the docstring without its sections where None.
        func: sync or async; its parameters are the tool's. One named `run_id` is given the id of the run.
        properties: JSON schemas by parameter instead of those of the type hints.
        required: names of parameters instead of those without a default.
        enum_values: permitted values by parameter.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        properties: Mapping[str, Any] | None = None,
        required: Sequence[str] | None = None,
        enum_values: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.name = name or func.__name__
        if not self.name or not set(self.name) <= set(_NAME):
            raise ValueError(f"A tool's name has letters, digits, '_' and '-' alone, not {self.name!r}.")
        self.func = func
        written, described = _docstring(func)
        self.description = description or written or self.name
        self._arguments = None if properties is not None else _arguments(func)
        self.parameters = _schema(self._arguments, described, properties, required, enum_values)

    @property
    def spec(self) -> ToolSpec:
        """What the model is told."""
        return ToolSpec(self.name, self.description, self.parameters)

    async def execute(self, arguments: Mapping[str, Any], run_id: str = "") -> Any:
        """Call the function with checked arguments; a sync one in a thread of its own.

        Raises:
            ValueError: an argument is missing, unknown, or of the wrong kind; and whatever the function raises.
        """
        given = self._checked(arguments)
        if "run_id" in inspect.signature(self.func).parameters:
            given["run_id"] = run_id
        if inspect.iscoroutinefunction(self.func):
            return await self.func(**given)
        made = await in_thread(self.func, **given)
        return await made if inspect.isawaitable(made) else made

    def _checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        properties = self.parameters["properties"]
        for name, value in arguments.items():
            if name not in properties:
                raise ValueError(f"there is no argument {name!r}; there are: {', '.join(properties) or 'none'}")
            permitted = properties[name].get("enum")
            if permitted is not None and value not in permitted:
                raise ValueError(f"{name} must be one of {', '.join(map(str, permitted))}")
        missing = [name for name in self.parameters["required"] if name not in arguments]
        if missing:
            raise ValueError(f"missing: {', '.join(missing)}")
        if self._arguments is None:
            return dict(arguments)
        try:
            checked = self._arguments.model_validate(dict(arguments))
        except ValidationError as faults:
            told = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in faults.errors())
            raise ValueError(told) from None
        return {name: getattr(checked, name) for name in checked.model_fields_set}


class AgentTools:
    """The tools of one agent.

    Raises:
        ValueError: two have one name.
    """

    def __init__(
        self, tools: Sequence[AgentTool | Callable[..., Any]] = (), callbacks: AgentToolCallbacks | None = None
    ) -> None:
        made = [tool if isinstance(tool, AgentTool) else AgentTool(tool) for tool in tools]
        self.tools = {tool.name: tool for tool in made}
        self.callbacks = callbacks or AgentToolCallbacks()
        if len(self.tools) < len(made):
            raise ValueError("Two tools have the same name.")

    @property
    def specs(self) -> list[ToolSpec]:
        """What the model is told."""
        return [tool.spec for tool in self.tools.values()]

    async def tool_handler(self, calls: Sequence[ToolCall], run_id: str = "") -> list[str]:
        """Run the calls of one reply side by side; returns what the model is told of each, in order; never raises."""
        return list(await asyncio.gather(*(self._outcome(call, run_id) for call in calls)))

    async def _outcome(self, call: ToolCall, run_id: str) -> str:
        tool = self.tools.get(call.name)
        if tool is None:
            return f"Tool '{call.name}' not found"
        arguments: dict[str, Any] = {}
        started = time.perf_counter()
        try:
            arguments = _read_arguments(call.arguments)
            await told(self.callbacks.on_tool_start(call.name, arguments, run_id))
            made = await tool.execute(arguments, run_id)
            text = as_text(made)
        except Exception as fault:  # noqa: BLE001 - the model is told, and may try otherwise
            _log.info("tool %s failed: %s", call.name, type(fault).__name__)
            await told(self.callbacks.on_tool_error(call.name, arguments, fault, run_id))
            return f"Error in tool '{call.name}': {str(fault) or type(fault).__name__}"[:_MOST_RESULT_CHARS]
        _log.debug("tool %s took %.3f s", call.name, time.perf_counter() - started)
        await told(self.callbacks.on_tool_end(call.name, arguments, made, run_id))
        return text


async def told(callback: Any) -> None:
    """Await a callback whose faults are its own."""
    try:
        await callback
    except Exception:  # noqa: BLE001 - it only listens
        _log.exception("a callback failed")


def as_text(made: Any) -> str:
    """Write what a tool returned as the model is told it: text as it is, all else as JSON; of a long one, its start."""
    text = made if isinstance(made, str) else TypeAdapter(Any).dump_json(made, fallback=str).decode()
    return text if len(text) <= _MOST_RESULT_CHARS else f"{text[:_MOST_RESULT_CHARS]}… (cut)"


def _read_arguments(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text or "{}")
    except (ValueError, RecursionError):
        raise ValueError("the arguments are no JSON") from None
    if not isinstance(read, dict):
        raise ValueError("the arguments are no JSON object")
    return read


def _arguments(func: Callable[..., Any]) -> type[BaseModel]:
    """Make a pydantic model of a function's parameters."""
    hints = get_type_hints(func, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(func).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise ValueError(f"{func.__name__}: a tool's parameters have names, {parameter} has none.")
        if name != "run_id":
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[name] = (hints.get(name, str), default)
    return create_model(func.__name__, __config__=ConfigDict(arbitrary_types_allowed=False), **fields)


def _schema(
    arguments: type[BaseModel] | None,
    described: Mapping[str, str],
    properties: Mapping[str, Any] | None,
    required: Sequence[str] | None,
    enum_values: Mapping[str, Sequence[Any]] | None,
) -> dict[str, Any]:
    made = arguments.model_json_schema() if arguments is not None else {}
    kinds: dict[str, Any] = {name: dict(kind) for name, kind in (properties or made.get("properties", {})).items()}
    for name, kind in kinds.items():
        kind.pop("title", None)
        if name in described:
            kind.setdefault("description", described[name])
    for name, values in (enum_values or {}).items():
        if name not in kinds:
            raise ValueError(f"There is no parameter {name!r} to restrict to values.")
        kinds[name]["enum"] = list(values)
    needed = list(required) if required is not None else made.get("required", list(properties or ()))
    schema: dict[str, Any] = {"type": "object", "properties": kinds, "required": needed}
    return schema | ({"$defs": made["$defs"]} if "$defs" in made else {})


def _docstring(func: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return what a docstring says before its sections, and what it says of each argument."""
    text = inspect.getdoc(func) or ""
    before, _, section = text.partition("\nArgs:\n")
    described: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        if line and not line.startswith(" "):
            break
        head, colon, rest = line.strip().partition(":")
        if colon and line.startswith("    ") and not line.startswith("     ") and " " not in head.split("(")[0].strip():
            name = head.split("(")[0].strip()
            described[name] = rest.strip()
        elif name:
            described[name] = f"{described[name]} {line.strip()}".strip()
    for heading in ("\nReturns:\n", "\nRaises:\n"):
        before = before.partition(heading)[0]
    return " ".join(before.split()), described
