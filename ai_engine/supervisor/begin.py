"""The first nodes: what is remembered of the conversation, and who can work."""

from __future__ import annotations

import json
from collections.abc import Iterator

from langgraph.runtime import Runtime

from ai_engine.agent import in_thread
from ai_engine.context.actions import ActionHistory
from ai_engine.context.memory import ConversationMemory, load_memory
from ai_engine.context.results import ResultStore
from ai_engine.insight import LONGEST_CHARS, WrittenFigures
from ai_engine.model_use import asker
from ai_engine.operators.outgoing import Outgoing
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState
from ai_engine.supervisor.told_conversation import as_told, summariser


async def initialize(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:  # noqa: ARG001 - the first node
    """Read the conversation; begin with no actions and no results."""
    run = runtime.context
    window = run.setting.limits.window_messages
    memory = await load_memory(run.setting.history, run.conversation_id, window, summariser(run))
    written = (one.content for one in memory.messages if one.role == "user")
    asker().also_typed([*written, json.dumps(dict(run.given), ensure_ascii=False)])
    return {
        "memory": memory, "actions": ActionHistory(), "results": ResultStore(), "iteration": 0, "alternatives": (),
        "observations": "", "synthesis": None, "outgoing": await in_thread(_outgoing, memory, run),
    }  # fmt: skip


async def fetch_tools(state: ChatState, runtime: Runtime[SupervisorRun]) -> ChatState:  # noqa: ARG001 - as all nodes
    """Ask the servers what they offer, in short, and see which operators can work with that."""
    setting = runtime.context.setting
    summaries = () if setting.tools is None else tuple(await setting.tools.summaries())
    offered = [summary.name for summary in summaries]
    return {"tool_summaries": summaries, "available": setting.registry.available(offered, setting.services)}


def _outgoing(memory: ConversationMemory, run: SupervisorRun) -> Outgoing:
    """Begin to watch over what leaves; figures that a model is told beside the person's count as read in this turn."""
    written = list(_latest_written(memory, run.message))
    told = [as_told(one, run.setting.registry).content for one in memory.messages[-memory.window :]]
    told += [memory.summary, json.dumps(dict(run.given), ensure_ascii=False)]
    return Outgoing(written, has_read=bool(WrittenFigures(written).missing("\n".join(told))))


def _latest_written(memory: ConversationMemory, message: str) -> Iterator[str]:
    """Yield what the person wrote, the latest first, as far as its figures are read in a moment."""
    yield message
    left_chars = LONGEST_CHARS - len(message)
    for one in reversed(memory.messages):
        if one.role == "user":
            left_chars -= len(one.content)
            if left_chars < 0:
                return
            yield one.content
