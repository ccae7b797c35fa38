"""Declines a message that wishes something done: everything that the chat can use reads, and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.chat_history import ChatMessage
from ai_engine.ports import Services
from ai_engine.supervisor.decision import SupervisorDecision
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import Choice

_EDITABLE = frozenset({"sql", "computation", "orchestrator", "workflow"})
_REASON = "It wishes something done, and the assistant only reads."


def declined_choice(run: SupervisorRun, before: Sequence[ChatMessage]) -> Choice | None:
    """Decline a wish to have something done; None for every other message; takes milliseconds."""
    given: Services | None = run.setting.services.get(Services)
    if given is None:
        return None
    told = given.decline(run.message, may_edit=_may_edit(before))
    if told is None:
        return None
    decision = SupervisorDecision(action="ANSWER", reasoning=_REASON, response=told)
    return Choice(decision, declines=True)


def _may_edit(before: Sequence[ChatMessage]) -> bool:
    """Whether the last answer has numbers and parts that a message may change."""
    last = next((one for one in reversed(before) if one.role == "assistant"), None)
    return last is not None and bool(_EDITABLE.intersection(last.tools))
