"""The bank's own documents, searched in this process: what the retriever falls back on."""

from __future__ import annotations

from ai_engine.operators.base import NOTHING_FOUND, OperatorContext, OperatorFailed, OperatorResult
from ai_engine.operators.found_passages import found_passages, quoted
from ai_engine.operators.of_agent import RECENT, AgentOperator
from ai_engine.operators.registry import operators
from ai_engine.specialists.documents.agent import NOTHING_FOUND as NO_PASSAGE
from ai_engine.specialists.documents.agent import DocumentsAgent, DocumentServices
from ai_engine.tools import Tools


@operators.register("documents")
class DocumentsOperator(AgentOperator):
    """Quotes the paragraphs that answer, each looked up under its citation."""

    agent = DocumentsAgent()
    description = agent.description
    context_requirements = ("query", RECENT)
    needs_services = (DocumentServices,)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        """Search.

        Raises:
            OperatorFailed: no document says anything about it.
        """
        made = await super().execute(context, tools)
        index = context.services[DocumentServices].index
        passages = found_passages(made.metadata.get("passages", ()))
        there = [one for one in passages if index.paragraph(one.document, one.paragraph) is not None]
        if not there:
            raise OperatorFailed(NO_PASSAGE, NOTHING_FOUND)
        return quoted(there)
