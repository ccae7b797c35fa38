"""From a reply's text to its pydantic model, and what to tell a model whose reply was wrong."""

from __future__ import annotations

import json
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ai_engine.llm.schema_text import reply_schema

_TOLD_PROBLEMS = 5

_Reply = TypeVar("_Reply", bound=BaseModel)


def read_reply(text: str, shape: type[_Reply]) -> _Reply:
    """Validate the JSON object in a reply, whatever prose or code fence stands around it.

    Raises:
        ValueError: there is no object in it, or it has the wrong shape.
    """
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise ValueError("the reply holds no JSON object")
    return shape.model_validate_json(text[start : end + 1])


def schema_instruction(shape: type[BaseModel]) -> str:
    """Say in words what services with JSON schema support are told by parameter."""
    told = json.dumps(reply_schema(shape, strict=False), separators=(",", ":"))
    return f"Reply with one JSON object that follows this JSON schema:\n{told}"


def complaint_about(problem: ValueError, shape: type[BaseModel]) -> str:
    """Ask for the reply again, saying what was wrong with it."""
    if isinstance(problem, ValidationError):
        faults = [f"- {'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in problem.errors()[:_TOLD_PROBLEMS]]
        told = "\n".join(faults)
    else:
        told = f"- {problem}"
    keys = ", ".join(shape.model_fields)
    return (
        f"That reply cannot be used:\n{told}\nReply again with one JSON object with the keys {keys}, and nothing else."
    )
