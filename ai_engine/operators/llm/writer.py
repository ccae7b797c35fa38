"""Writes the page that a person is given: words, tables, places and what is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ai_engine.json_values import any_to_json
from ai_engine.operators.base import BaseOperator, Citation, OperatorContext, OperatorResult, OperatorType
from ai_engine.operators.column_meanings import meanings_of
from ai_engine.operators.founded_text import FoundedText, currency_of, founded_text
from ai_engine.operators.links import defused
from ai_engine.operators.markdown import table_text
from ai_engine.operators.of_agent import RESULTS, withheld
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.operators.sources import SOURCES_SCHEMA, Source, all_citations, all_missing, sources_of
from ai_engine.orchestrator.telling import with_rupees
from ai_engine.tools import Tools

_READER = "request.context"
_HEADING = re.compile(r"#+ .*|\*\*[^*]+\*\*")


@operators.register("writer")
class WriterOperator(BaseOperator):
    """Asks the model for the words; by rule, gives each source its section. Tables are put in as they are."""

    description = "Writes a report, a summary or an answer in Markdown from results, with their tables and places."
    operator_type = OperatorType.PURE_LLM
    parameters = object_schema(
        query={"type": "string", "description": "What is to be written"},
        sources=SOURCES_SCHEMA,
        title={"type": "string", "maxLength": 200, "default": ""},
        style={"type": "string", "enum": ["answer", "summary", "report"], "default": "answer"},
        max_table_rows={"type": "integer", "minimum": 0, "maximum": 100, "default": 12},
    )
    context_requirements = ("query", RESULTS, _READER)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:  # noqa: ARG002
        """Write it.

        Raises:
            OperatorFailed: there is nothing to write about.
        """
        sources, style, currency = sources_of(context), context.params["style"], currency_of(context)
        reader = json.dumps(any_to_json(context.context.get(_READER) or {}), ensure_ascii=False)
        written = await founded_text(context, "write", sources, style=style, reader=reader)
        by = "model" if written is not None else "rule"
        rows, missing = context.params["max_table_rows"], all_missing(sources)
        if written is not None:
            parts = [written.text, *_tables(sources, rows, currency)]
        else:
            written = FoundedText("", all_citations(sources))
            parts = _sections(sources, style, rows, currency)
        title = defused(context.params["title"]).strip()
        parts = [*([f"# {title}"] if title else []), *parts, *_ending(written.citations, missing, style)]
        text = with_rupees("\n\n".join(part for part in parts if part), currency)
        made = OperatorResult(
            output={"markdown": text, "answer": text},
            text=text,
            citations=written.citations,
            metadata={"written_by": by, "style": style},
            missing=missing,
        )
        return made if context.may_leave() else withheld(made)


def _sections(sources: Sequence[Source], style: str, max_rows: int, currency: str | None) -> list[str]:
    """Write each source by rule: its text, and in a report its title above and its table below."""
    if style == "summary":
        return ["\n".join(f"- {line}" for source in sources for line in _points(defused(source.text)))]
    parts: list[str] = []
    for source in sources:
        if style == "report" and source.title:
            parts.append(f"## {_title(source)}")
        parts.append(defused(source.text))
        parts += _table(source, max_rows, currency)
    return parts


def _points(text: str) -> list[str]:
    """Cut a text into the points of a list: its paragraphs, and its own bullets each for themselves."""
    lines = (line.strip() for line in text.splitlines())
    return [line.removeprefix("- ") for line in lines if line and not _HEADING.fullmatch(line)]


def _tables(sources: Sequence[Source], max_rows: int, currency: str | None) -> list[str]:
    return [
        "\n\n".join([f"**{_title(source)}**", *written] if source.title else written)
        for source in sources
        if (written := _table(source, max_rows, currency))
    ]


def _table(source: Source, max_rows: int, currency: str | None) -> list[str]:
    """Write a table of more than one row; a single row is what the text says."""
    if source.table is None or source.table.row_count < 2 or not max_rows:
        return []
    return [table_text(source.table, meanings_of(source.table, source.described), currency, max_rows)]


def _title(source: Source) -> str:
    return defused(" ".join(source.title.split())).rstrip(".?!")


def _ending(citations: Sequence[Citation], missing: Sequence[str], style: str) -> list[str]:
    heading = "## {}" if style == "report" else "**{}**"
    places = [f"- {defused(one.title) or one.document}, paragraph {one.paragraph}" for one in citations]
    lacking = [f"- {defused(text)}" for text in missing]
    return [
        "\n\n".join((heading.format(name), "\n".join(lines)))
        for name, lines in (("Sources", places), ("Missing", lacking))
        if lines
    ]
