"""A workflow of this conversation that was interrupted, and a message that lets it go on."""

from __future__ import annotations

import re

from ai_engine.supervisor.decision import SupervisorDecision
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import Choice

_GOES_ON = re.compile(
    r"(?i)\W*(?:please\s+)?(?:continue|resume|go on|carry on)(?:[,\s]+(?:please|with (?:it|that)|it))?\W*\Z"
)


async def interrupted_workflow(run: SupervisorRun) -> Choice | None:
    """Return the choice to go on with the latest interrupted workflow, where the message asks for that.

    Raises:
        StoreUnavailable: nobody can say what was interrupted.
    """
    checkpoints = run.setting.checkpoints
    if checkpoints is None or not _GOES_ON.match(run.message):
        return None
    found = await checkpoints.interrupted(run.workflow_prefix)
    if not found:
        return None
    reason = "It goes on with the workflow that was interrupted."
    return Choice(SupervisorDecision(action="CREATE_WORKFLOW", reasoning=reason), resumes=found[0])
