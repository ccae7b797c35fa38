"""Questions to the bank's own database."""

from __future__ import annotations

from ai_engine.operators.of_agent import RECENT, AgentOperator
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.ports import Services
from ai_engine.specialists.sql import SqlAgent


@operators.register("sql")
class SqlOperator(AgentOperator):
    """Gives a table with the statement that it comes from."""

    agent = SqlAgent()
    description = agent.description
    parameters = object_schema(query={"type": "string", "description": "One question in words, not SQL"})
    context_requirements = ("query", RECENT)
    needs_services = (Services,)
