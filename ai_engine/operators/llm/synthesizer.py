"""Puts what several steps found into one answer."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorResult, OperatorType
from ai_engine.operators.founded_text import FoundedText, currency_of, founded_text
from ai_engine.operators.links import defused
from ai_engine.operators.of_agent import RESULTS, withheld
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.operators.sources import SOURCES_SCHEMA, Source, all_citations, all_missing, sources_of
from ai_engine.orchestrator.telling import with_rupees
from ai_engine.tools import Tools


@operators.register("synthesizer")
class SynthesizerOperator(BaseOperator):
    """Asks the model for one answer; by rule, says what each source says, one after the other."""

    description = "Makes one answer of several results, with nothing in it that they do not say."
    operator_type = OperatorType.PURE_LLM
    parameters = object_schema(
        query={"type": "string", "description": "The question that the answer is for"}, sources=SOURCES_SCHEMA
    )
    context_requirements = ("query", RESULTS)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:  # noqa: ARG002
        """Write the answer.

        Raises:
            OperatorFailed: there is nothing to make it of.
        """
        sources = sources_of(context)
        written = await founded_text(context, "synthesize", sources)
        by = "model" if written is not None else "rule"
        written = written or FoundedText(_by_rule(sources, currency_of(context)), all_citations(sources))
        made = OperatorResult(
            output={"answer": written.text},
            text=written.text,
            citations=written.citations,
            metadata={"written_by": by},
            missing=all_missing(sources),
        )
        return made if context.may_leave() else withheld(made)


def _by_rule(sources: Sequence[Source], currency: str | None) -> str:
    paragraphs = dict.fromkeys(defused(source.text.strip()) for source in sources if source.text.strip())
    return with_rupees("\n\n".join(paragraphs), currency) or "No result has words of its own; the tables are below."
