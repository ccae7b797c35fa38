"""The language in which an operator says what it needs to know; read when the operator is registered.

| requirement | what the operator is given under it |
|---|---|
| `query` | the text of what is to be done |
| the name of a parameter | its value, None where the call does not give it |
| `conversation.recent(N)` | the last N messages, oldest first: `[{"role": "user" or "assistant", "text": ...}]` |
| `conversation.summary` | the summary of what left the window, a text |
| `conversation.all` | `{"summary": ..., "recent": [...]}` |
| `tools.summaries` | `ToolSummary` of every tool |
| `tools.schema(NAME)` | the `ToolSchema`, fetched when first needed; None where no server, or more than one, has it |
| `results.step(ID)` | the `OperatorResult` of a step, by its id or its number from 1; None where there is none |
| `results.all` | every `OperatorResult` of this turn by step, in the order in which they came |
| `request.context` | what the calling program says of the person and what they look at, an object |
| `actions.this_turn` | what was decided in this turn, one object each |
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeAlias

RequirementSource: TypeAlias = Literal["query", "parameter", "conversation", "request", "tools", "results", "actions"]

QUERY = "query"
_PARTS: dict[str, tuple[RequirementSource, str]] = {
    "conversation.recent": ("conversation", "number"),
    "conversation.summary": ("conversation", ""),
    "conversation.all": ("conversation", ""),
    "request.context": ("request", ""),
    "tools.summaries": ("tools", ""),
    "tools.schema": ("tools", "name"),
    "results.step": ("results", "name"),
    "results.all": ("results", ""),
    "actions.this_turn": ("actions", ""),
}
_WRITTEN = {"": "", "number": "(5)", "name": "(NAME)"}
_SHAPE = re.compile(r"(?P<head>[a-z_][a-z0-9_]*(?:\.[a-z_]+)?)(?:\((?P<argument>[^()]*)\))?\Z")
_ARGUMENTS = {"number": re.compile(r"[1-9][0-9]{0,2}\Z"), "name": re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,127}\Z")}


class UnknownRequirement(ValueError):
    """An operator asks for what nobody can give it; the text names the nearest that there is."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement, taken apart.

    Attributes:
        text: as it was written; the key of `OperatorContext.context`.
        source: who gives it.
        part: "recent", "summary", "all", "context", "summaries", "schema", "step", "this_turn"; a parameter's name.
        argument: what stands in the parentheses; empty where there are none.
    """

    text: str
    source: RequirementSource
    part: str
    argument: str = ""

    @property
    def number(self) -> int:
        """The argument as a number: messages of `conversation.recent`."""
        return int(self.argument)


def parse_requirement(text: str, parameters: Collection[str] | None = None) -> Requirement:
    """Read one requirement; parameter names are checked where `parameters` is given.

    Raises:
        UnknownRequirement: it is none.
    """
    found = _SHAPE.match(text)
    if found is None:
        raise _unknown(text, parameters)
    head, argument = found["head"], found["argument"]
    if "." not in head and argument is None:
        if head == QUERY:
            return Requirement(text, "query", QUERY)
        if parameters is not None and head not in parameters:
            raise _unknown(text, parameters)
        return Requirement(text, "parameter", head)
    if head not in _PARTS:
        raise _unknown(text, parameters)
    source, wants = _PARTS[head]
    if bool(wants) != (argument is not None) or (wants and not _ARGUMENTS[wants].match(argument or "")):
        raise UnknownRequirement(f"The requirement {text!r} is written {head}{_WRITTEN[wants]}.")
    return Requirement(text, source, head.partition(".")[2], argument or "")


def is_of_results(text: str) -> bool:
    """Tell whether a requirement asks for what was found in this turn."""
    return parse_requirement(text).source == "results"


def parse_requirements(texts: Collection[str], parameters: Collection[str] | None = None) -> tuple[Requirement, ...]:
    """Read all of them.

    Raises:
        UnknownRequirement: one is none, or stands there twice.
    """
    if len(set(texts)) < len(texts):
        raise UnknownRequirement(f"A requirement stands twice among {', '.join(texts)}.")
    return tuple(parse_requirement(text, parameters) for text in texts)


def _unknown(text: str, parameters: Collection[str] | None) -> UnknownRequirement:
    known = {QUERY: QUERY, **{name: name for name in parameters or ()}}
    known |= {head: head + _WRITTEN[wants] for head, (_, wants) in _PARTS.items()}
    near = get_close_matches(text.partition("(")[0], known, n=1, cutoff=0.0)
    return UnknownRequirement(f"There is no requirement {text!r}. The nearest is {known[near[0]]}.")
