"""Takes out of what a session shows, questions too, what may be shown no more; answers of Ask are `conversations`'s."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ai_engine.agent import AgentExecutionStatus, OrchestratorResponse
from ai_engine.agent_results import described
from ai_engine.chat_history import statement_of
from ai_engine.ports import Services
from backend.answers.withheld import question_of_several
from pages import session
from pages.drawing.chat_view import ChatView
from pages.session import Investigation, Said

if TYPE_CHECKING:
    from backend.orchestration import Orchestrator
    from backend.service import Assistant


def withhold_investigations(past: list[Investigation], assistant: Assistant) -> None:
    """Take out what came of questions to several agents."""
    for place, item in enumerate(past):
        if why := item.basis.why_not_shown(assistant):
            asked = question_of_several(item.question, item.basis.statements)
            past[place] = replace(item, question=asked, response=OrchestratorResponse(answer=why))


def withhold_talk(past: list[Said], assistant: Assistant) -> None:
    """Take out what the desks said."""
    for place, item in enumerate(past):
        if why := item.basis.why_not_shown(assistant):
            asked = question_of_several(item.message, item.basis.statements)
            past[place] = replace(item, message=asked, response=None, whole=None, fault=why)


def withhold_views(views: list[ChatView]) -> None:
    """Take out what the supervisor said, as it is judged when it is sent again; raises StoreUnavailable."""
    ended = [place for place, view in enumerate(views) if view.done is not None]
    if not ended:
        return
    whys = session.get_chats().whys_withheld(session.conversation()[0], [views[one].judged_events for one in ended])
    for place, why in zip(ended, whys, strict=True):
        if why:
            statements = [sql for sql in map(statement_of, views[place].contents) if sql]
            asked = question_of_several(views[place].asked, statements)
            views[place] = ChatView(asked, text=why, done={"status": "blocked"})


def statements_of(response: OrchestratorResponse, found: Orchestrator) -> tuple[str, ...]:
    """Return what all values of a response come from; none where an agent named some that no statement of it has."""
    reading = {agent.name for agent in found.agents if Services in agent.capabilities.needs_services}
    statements = []
    for result in response.agent_results:
        sql = described(result).get("query")
        if result.status is not AgentExecutionStatus.succeeded or (result.agent in reading and not sql):
            return ()
        statements += [str(sql)] if sql else []
    return tuple(statements)
