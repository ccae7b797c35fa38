"""`templates`: workflow templates listed, made of workflows that ran in a conversation, and dropped."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import closing

from ai_engine.errors import BadQuestion
from ai_engine.model_use import LOCAL
from backend.chat.door import TemplateInput, TemplateWish
from backend.chat.opening import Chat, open_chat
from backend.command_line.chat_command import found_by
from backend.command_line.plain_text import cleaned
from backend.command_line.statuses import ANSWERED, NOT_ANSWERED
from backend.store import SqlChatHistory, open_store


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    with (
        found_by(arguments) as found,
        closing(open_store(found.assistant.settings)) as store,
        closing(SqlChatHistory(store)) as history,
    ):
        status: int = asyncio.run(_ACTIONS[arguments.action](open_chat(found, history, store=lambda: store), arguments))
        return status


async def _list(chat: Chat, arguments: argparse.Namespace) -> int:
    for one in await chat.templates.listed(LOCAL):
        if arguments.json:
            sys.stdout.write(f"{one.model_dump_json()}\n")
        else:
            asks = f" ({', '.join(one.parameters)})" if one.parameters else ""
            sys.stdout.write(cleaned(f"{one.name}{asks}  {'yours' if one.is_own else '-'}  {one.title}") + "\n")
    return ANSWERED


async def _keep(chat: Chat, arguments: argparse.Namespace) -> int:
    """Keep the newest workflow of a conversation that is no template's."""
    if arguments.conversation is None:
        raise BadQuestion("Name the conversation in which the workflow ran with --conversation.")
    messages = await chat.history(arguments.conversation)
    made = [one.workflow for one in messages if one.workflow is not None and not one.workflow.get("template")]
    if not made:
        raise BadQuestion("This conversation has no workflow of its own.")
    inputs = tuple(TemplateInput(name=name, text=text) for name, text in arguments.parameter)
    wish = TemplateWish(title=arguments.text, inputs=inputs)
    kept = await chat.templates.keep(LOCAL, arguments.conversation, str(made[-1].get("id")), wish)
    sys.stdout.write(f"kept as {kept.name}\n")
    return ANSWERED


async def _drop(chat: Chat, arguments: argparse.Namespace) -> int:
    if await chat.templates.drop(LOCAL, arguments.text):
        return ANSWERED
    sys.stderr.write("error: you have no template of this name\n")
    return NOT_ANSWERED


_ACTIONS = {"list": _list, "keep": _keep, "drop": _drop}
