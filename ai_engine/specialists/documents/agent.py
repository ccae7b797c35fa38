"""The agent that answers from the bank's own documents: it quotes the passage and names the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ai_engine.agent import (
    Agent,
    AgentError,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    AgentRun,
    Capabilities,
    TraceEventType,
    in_thread,
)
from ai_engine.specialists.documents.index import DocumentIndex
from ai_engine.specialists.documents.passages import Paragraph, Passage
from ai_engine.specialists.earlier import with_earlier_question

NOTHING_FOUND = "None of the bank's documents says anything about that. Try the words that such a document would use."


@dataclass(frozen=True)
class DocumentServices:
    """What the agent is given: the documents, ready to be searched."""

    index: DocumentIndex


class DocumentsAgent(Agent):
    """Finds the passage of a document that answers a question, and says so where there is none."""

    name = "documents"
    description = "Answers what the bank's own policies and rules say, with the passage quoted and its document named."
    capabilities = Capabilities(
        keywords=("policy", "rule", "rules", "document", "schedule"),
        examples=("What is our policy on restructured loans?",),
        needs_services=(DocumentServices,),
    )

    def claim(self, part: str, run: AgentRun) -> float | None:
        """The part of its words that one passage has."""
        return run.service(DocumentServices).index.share_found(part)

    async def run(
        self,
        request: AgentRequest,
        earlier: Sequence[AgentResult],  # noqa: ARG002 - documents need no other agent
        run: AgentRun,
    ) -> AgentResult:
        """Search with the question, and with the one before it where it leans on that."""
        index = run.service(DocumentServices).index
        found = await in_thread(_search, index, request)
        run.tell(TraceEventType.TOOL, f"{len(found)} passages found", passages=[one.cited for one in found])
        if not found:
            error = AgentError(message=NOTHING_FOUND, type="NothingFound")
            return AgentResult(agent=run.agent, status=AgentExecutionStatus.failed, error=error)
        answer = "\n\n".join(f"“{one.text}” ({one.cited})" for one in found)
        run.tell(
            TraceEventType.RESULT,
            answer,
            documents=[one.document for one in found],
            passages=[_told(one, index.best_paragraph(one, request.question)) for one in found],
        )
        return AgentResult(agent=run.agent, status=AgentExecutionStatus.succeeded, answer=answer)


def _search(index: DocumentIndex, request: AgentRequest) -> list[Passage]:
    return next((found for text in with_earlier_question(request) if (found := index.find(text))), [])


def _told(passage: Passage, paragraph: Paragraph) -> dict[str, object]:
    """Say where the paragraph stands that answers best."""
    return {
        "document": passage.document,
        "paragraph": paragraph.number,
        "title": passage.title,
        "heading": passage.heading,
        "text": paragraph.text,
    }
