"""Questions to the HTTP services that the bank has described."""

from __future__ import annotations

from ai_engine.operators.of_agent import RECENT, RESULTS, AgentOperator
from ai_engine.operators.registry import operators
from ai_engine.specialists.api_docs.agent import ApiDocsAgent


@operators.register("api_docs")
class ApiDocsOperator(AgentOperator):
    """Calls a service, reading only, or says what one offers."""

    agent = ApiDocsAgent()
    description = agent.description
    context_requirements = ("query", RECENT, RESULTS)
    needs_services = agent.capabilities.needs_services
