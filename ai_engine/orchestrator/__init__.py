"""One question, several specialists: plan, run the agents, compose one answer."""

from __future__ import annotations

from ai_engine.orchestrator.service import Happening, arun, astream, check, run
from ai_engine.orchestrator.setting import OrchestratorLimits, Setting

__all__ = ["Happening", "OrchestratorLimits", "Setting", "arun", "astream", "check", "run"]
