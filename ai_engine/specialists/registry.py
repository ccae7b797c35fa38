"""The agents that exist: each has its own file or folder, and its line here."""

from __future__ import annotations

from ai_engine.agent import Agent
from ai_engine.specialists.api_docs.agent import ApiDocsAgent
from ai_engine.specialists.computation.agent import ComputationAgent
from ai_engine.specialists.sql import SqlAgent

SPECIALISTS: tuple[Agent, ...] = (
    SqlAgent(),
    ComputationAgent(),
    ApiDocsAgent(),
)
"""In the order in which equals work."""
