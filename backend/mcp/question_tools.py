"""The tool that answers a question in plain English."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ai_engine.progress import line_of
from ai_engine.types import Event, StepFinished, StepStarted
from backend.api.models import AskRequest, AskResponse
from backend.desk import Desk
from backend.mcp.calls import Call
from backend.mcp.served_tools import Arguments, ServedTool


class AskArguments(Arguments):
    """One question."""

    question: str = Field(
        min_length=1,
        description="A question in plain English that stands alone.",
        examples=["How many active customers does each state have?"],
    )


def question_tools(desk: Desk) -> tuple[ServedTool[Any], ...]:
    """Offer `ask`, which gives what POST /ask gives."""

    def ask(given: AskArguments, call: Call) -> AskResponse:
        asked = AskRequest(query=given.question, figure=None)
        return desk.answer(asked, call.stop, lambda event: _tell(call, event), door="MCP")

    return (
        ServedTool(
            "ask",
            "Ask the bank's data",
            "Answer a question on the bank's data: a sentence, the rows, the SQL that ran, and every assumption made. "
            "`status` says whether it was answered; `clarify` asks back with `choices`, `refused` says what it did not "
            "understand. Figures come from the database, never from a guess.",
            AskArguments,
            AskResponse,
            ask,
            open_world=True,
        ),
    )


def _tell(call: Call, event: Event) -> None:
    if isinstance(event, StepStarted | StepFinished):
        call.tell(line_of(event))
