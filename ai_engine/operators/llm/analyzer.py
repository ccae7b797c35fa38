"""Says what stands out in tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.operators.base import (
    NOTHING_FOUND,
    BaseOperator,
    OperatorContext,
    OperatorFailed,
    OperatorResult,
    OperatorType,
)
from ai_engine.operators.founded_text import currency_of, founded_text
from ai_engine.operators.links import defused
from ai_engine.operators.of_agent import RESULTS, withheld
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.operators.sources import SOURCES_SCHEMA, Source, all_missing, sources_of
from ai_engine.operators.table_findings import findings
from ai_engine.tools import Tools


@operators.register("analyzer")
class AnalyzerOperator(BaseOperator):
    """Finds by rule what stands out; the model only chooses and words it."""

    description = "Says what stands out in tables found before: highest and lowest, shares, how a run of time went."
    operator_type = OperatorType.PURE_LLM
    parameters = object_schema(
        query={"type": "string", "description": "What is to be looked for"}, sources=SOURCES_SCHEMA
    )
    context_requirements = ("query", RESULTS)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:  # noqa: ARG002
        """Analyse.

        Raises:
            OperatorFailed: there is no table, or nothing stands out.
        """
        sources = sources_of(context)
        found = analysed(sources, currency_of(context))
        told = [one for one in found if one.text]
        if not told:
            raise OperatorFailed("There is no table with several rows of figures to look into.", NOTHING_FOUND)
        written = await founded_text(context, "analyze", told)
        text = written.text if written is not None else _by_rule(told)
        made = OperatorResult(
            output={"answer": text, "findings": [line for one in told for line in one.text.splitlines()]},
            text=text,
            metadata={"written_by": "model" if written is not None else "rule"},
            missing=all_missing(sources),
        )
        return made if context.may_leave() else withheld(made)


def analysed(sources: Sequence[Source], currency: str | None) -> list[Source]:
    """Return each source with its findings as its text; what a source says of itself is left to who found it."""
    return [
        replace(one, text="\n".join(findings(one.table, one.described, currency)) if one.table is not None else "")
        for one in sources
    ]


def _by_rule(sources: Sequence[Source]) -> str:
    several = len(sources) > 1
    return "\n\n".join(
        "\n".join(
            [
                *([f"**{defused(source.title)}**\n"] if several and source.title else []),
                *(f"- {line}" for line in source.text.splitlines()),
            ]
        )
        for source in sources
    )
