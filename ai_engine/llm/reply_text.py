"""From a reply's text to its pydantic model, and what to tell a model whose reply was wrong."""

from __future__ import annotations

import ast
import json
import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ai_engine.json_parts import TooManyParts, check_parts, read_json
from ai_engine.llm.schema_text import reply_schema

_TOLD_PROBLEMS = 5
_TOLD_CHARS = 300
_LONGEST_PYTHON_CHARS = 50_000
"""Python makes a kilobyte of each value that it reads."""
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_THOUGHT_ENDS = ("</think>", "</thinking>")
_IN_PYTHON = {"null": "None", "true": "True", "false": "False"}
_JSON_WORDS = re.compile(r"(?<=[:,\[ ])(?:null|true|false)(?=\s*[,}\]])")

_Reply = TypeVar("_Reply", bound=BaseModel)


def read_reply(text: str, shape: type[_Reply]) -> _Reply:
    """Validate the JSON object in a reply, whatever prose, thoughts or code fence stands around it.

    An object in Python's spelling, with single quotes, is read as well. One that breaks off is not completed: what was
    cut off may have been a condition.

    Raises:
        ValueError: there is no whole object in it, or it has too many parts or the wrong shape.
    """
    # behind the last end no beginning has one, and the expression would look for it from each of them to the end
    thought = max((text.rfind(end) + len(end) for end in _THOUGHT_ENDS if end in text), default=0)
    said = _THOUGHTS.sub("", text[:thought]) + text[thought:]
    start, end = said.find("{"), said.rfind("}")
    if start < 0 or end < start:
        raise ValueError("the reply holds no whole JSON object")
    found = said[start : end + 1]
    try:
        read_json(found)
    except TooManyParts:
        raise
    except ValueError:
        spelled = _read_python(found)
        if spelled is not None:
            check_parts(spelled)
            return shape.model_validate(spelled)
    return shape.model_validate_json(found)


def _read_python(text: str) -> dict[str, object] | None:
    """Read an object that is written with single quotes, True and None; null and true among them too."""
    if len(text) > _LONGEST_PYTHON_CHARS:
        return None
    try:
        read = ast.literal_eval(_JSON_WORDS.sub(lambda word: _IN_PYTHON[word.group()], text))
        json.dumps(read, ensure_ascii=False, default=str).encode()  # halves of letters cannot be written
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return read if isinstance(read, dict) and all(isinstance(key, str) for key in read) else None


def schema_instruction(shape: type[BaseModel]) -> str:
    """Say in words what services with JSON schema support are told by parameter."""
    told = json.dumps(reply_schema(shape, strict=False), separators=(",", ":"))
    return f"Reply with one JSON object that follows this JSON schema:\n{told}"


def complaint_about(problem: ValueError, shape: type[BaseModel]) -> str:
    """Ask for the reply again, saying what was wrong with it."""
    told = "\n".join(f"- {fault}" for fault in faults_in(problem)[:_TOLD_PROBLEMS])
    keys = ", ".join(shape.model_fields)
    return (
        f"That reply cannot be used:\n{told}\nReply again with one JSON object with the keys {keys}, and nothing else."
    )


def faults_in(problem: ValueError) -> list[str]:
    """Say what is wrong with a reply, one sentence for each place; a sentence that quotes it is cut short."""
    if not isinstance(problem, ValidationError):
        return [str(problem)]
    found = problem.errors(include_url=False, include_context=False, include_input=False)
    return [f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}"[:_TOLD_CHARS] for fault in found]
