"""What the supervised chat is made to show on demand: every kind of event and of content, some of it hostile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ai_engine.events import EventType as E
from ai_engine.routing import AgentSquad, Greeter, InMemoryChatStorage
from backend.chat.thread import ChatThread
from backend.front_desk import FrontDesk
from backend.settings import read_settings
from backend.store import open_store
from tests.ai_engine.routing.scripted import Told
from tests.backend.chat.scripted_chat import HELLO, ScriptedChat, Step, chunk
from tests.pages.scripted import HOSTILE

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
LOOK = {"query": "Deposits in Pune by month"}
PLAN = [
    {"id": "s1", "name": "Look at the figures", "operator": "sql", "input_mapping": LOOK, "depends_on": []},
    {"id": "s2", "name": "Read the policy note", "operator": "rag_retriever", "input_mapping": {}, "depends_on": []},
    {"id": "s3", "name": "Compare with the peers", "operator": "analyzer", "input_mapping": {}, "depends_on": ["s1"]},
    {"id": "s4", "name": "Write it up", "operator": "writer", "input_mapping": {}, "depends_on": ["s2", "s3"]},
]
TABLE = {
    "columns": ["branch", "month", "deposits"],
    "rows": [["Pune", "2026-08-31", 412.5], ["Pune", "2026-09-30", 431.25], ["Nashik", "2026-09-30", 118.0]],
    "units": {"deposits": "INR"},
}
CITED = {"document": "npa.md", "paragraph": 2, "title": "NPA policy"}


def done(status: str = "answered", **more: Any) -> Step:
    told = {"action": "workflow", "tools": ["sql"], "citations": [], "missing": [], "elapsed_ms": 2_345.6}
    return E.RESPONSE_DONE, {"status": status, **told, **more}


def content(kind: str, data: Any, **more: Any) -> Step:
    return E.TOOL_CONTENT, {"tool": "sql", "call_id": "c1", "content_type": kind, "data": data, "metadata": {}, **more}


def _step(step: str, status: str = "completed") -> Step:
    plan = next(one for one in PLAN if one["id"] == step)
    return E.WORKFLOW_STEP_COMPLETE, {"step": 1, "id": step, "name": plan["name"], "status": status, "elapsed_ms": 12}


def _start(step: str) -> Step:
    plan = next(one for one in PLAN if one["id"] == step)
    return E.WORKFLOW_STEP_START, {"step": 1, "id": step, "name": plan["name"]}


REVIEW: Sequence[Step] = (
    (E.SUPERVISOR_THINKING, {"message": "Reading the request", "iteration": 1}),
    (
        E.SUPERVISOR_DECIDED,
        {
            "action": "workflow",
            "message": "Prepare the branch review.",
            "iteration": 1,
            "reasoning": "It asks for a review, which takes several looks.",
        },
    ),
    (
        E.WORKFLOW_CREATED,
        {
            "id": "w1",
            "goal": "Branch review of Pune",
            "template": "",
            "steps": 4,
            "plan": PLAN,
            "batches": [["s1", "s2"], ["s3"], ["s4"]],
        },
    ),
    _start("s1"),
    _start("s2"),
    (E.TOOL_START, {"tool": "sql", "call_id": "c1", "message": "Deposits by branch"}),
    (E.TOOL_PROGRESS, {"tool": "sql", "call_id": "c1", "progress": 0.5, "message": "Asking the database"}),
    (E.TOOL_START, {"tool": "rag_search", "call_id": "c2", "server": "documents", "message": "branch policy"}),
    1.5,
    content("application/vnd.mcp.widget+json", {"widget_type": "data_table", "title": "Deposits", "data": TABLE}),
    (E.TOOL_COMPLETE, {"tool": "sql", "call_id": "c1", "content_count": 1, "elapsed_ms": 120.0}),
    (
        E.TOOL_ERROR,
        {"tool": "rag_search", "call_id": "c2", "message": "The server does not answer.", "error_type": "connection"},
    ),
    _step("s1"),
    _step("s2", "failed"),
    _start("s3"),
    0.5,
    _step("s3"),
    _start("s4"),
    chunk("## Pune\n\nDeposits are **Rs.431.25**.\n\n"),
    0.5,
    chunk("| branch | deposits |\n|---|---|\n| Pune | Rs.431.25 |\n\n- steady\n- above Nashik\n"),
    _step("s4"),
    (E.WORKFLOW_COMPLETE, {"status": "partial", "completed": 3, "failed": 1}),
    done("partial", missing=["The policy note could not be read."], citations=[CITED]),
)

SCRIPTS: dict[str, Sequence[Step]] = {
    "Hello": HELLO,
    "Prepare the branch review for Pune": REVIEW,
    "Which?": [
        (
            E.CLARIFY_REQUEST,
            {
                "question": "Which branch is meant?",
                "id": "q1",
                "server": "notes",
                "tool": "find",
                "timeout_s": 60,
                "schema": {"type": "object", "properties": {"branch": {"type": "string"}}},
            },
        ),
        "q1",
        done(),
    ],
    "Vague": [
        (E.CLARIFY_REQUEST, {"question": "Deposits or loans?", "choices": ["Hello", "Which?"]}),
        done("clarify", action="clarify"),
    ],
    "Work": [(E.SUPERVISOR_THINKING, {"message": "Working hard", "iteration": 1}), 60.0, done()],
    "Hostile": [
        (E.SUPERVISOR_DECIDED, {"action": "call_tool", "message": HOSTILE, "reasoning": HOSTILE, "iteration": 1}),
        (E.TOOL_START, {"tool": HOSTILE, "call_id": "c1", "server": HOSTILE, "message": HOSTILE}),
        content("text/html", f"<h3>Kept</h3><script>document.title='owned'</script>{HOSTILE}"),
        content("image/svg+xml", "<svg viewBox='0 0 9 9'><script>1</script><rect width='9' height='9'/></svg>"),
        content("text/markdown", HOSTILE),
        content("image/png", PIXEL, encoding="base64"),
        content("application/pdf", PIXEL, encoding="base64"),
        content("application/vnd.mcp.widget+json", {"widget_type": "form", "title": HOSTILE, "data": {"a": HOSTILE}}),
        content("application/vnd.mcp.widget+json", {"widget_type": "chart", "data": {"columns": "x", "rows": 1}}),
        content("image/png", None, metadata={"not_kept_kb": 300}),
        chunk(HOSTILE),
        done(missing=[HOSTILE], citations=[{"document": HOSTILE, "paragraph": HOSTILE}]),
    ],
}


def scripted_chats() -> ChatThread:
    """The script behind the page's own thread, in the store that the environment names."""
    settings = read_settings()
    store = open_store(settings)
    chat = ScriptedChat(SCRIPTS)
    return ChatThread(settings, lambda: chat, lambda: store)


def desk_of(*agents: Told) -> FrontDesk:
    """A front desk of scripted agents and the greeter."""
    squad = AgentSquad(storage=InMemoryChatStorage())
    greeter = Greeter("Greeter", "Greets", lambda: agents, examples=["Hello"], keywords=["hello"])
    for agent in (*agents, greeter):
        squad.add_agent(agent)
    squad.set_default_agent(greeter)
    return FrontDesk(squad, max_question_chars=2_000, timeout_s=30)
