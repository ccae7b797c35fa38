"""What a text is made of: results of this turn or outputs of steps, as whoever writes the text is told of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ai_engine.agent import TabularResult
from ai_engine.operators.base import Citation, OperatorContext, OperatorFailed, OperatorResult
from ai_engine.operators.found_passages import found_passages
from ai_engine.operators.of_agent import RESULTS, table_of
from ai_engine.operators.parameters import Schema

SOURCES_SCHEMA: Schema = {
    "type": ["array", "null"],
    "description": "What the text is made of: texts, outputs of steps, or objects with title and content; null: every "
    "result of this turn",
    "items": {"type": ["string", "object", "null"]},
}


@dataclass(frozen=True, slots=True)
class Source:
    """One of the things that a text is made of.

    Attributes:
        title: what it is about; empty where nobody said.
        text: what it says, checked by whoever made it.
        described: `units`, `columns`, `truncated` and what else is known of the table.
    """

    title: str
    text: str
    table: TabularResult | None = None
    citations: tuple[Citation, ...] = ()
    missing: tuple[str, ...] = ()
    described: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> list[list[Any]]:
        """Rows of the table as lists; none where there is no table."""
        table = self.table
        return [[row.get(name) for name in table.columns] for row in table.rows] if table is not None else []


def sources_of(context: OperatorContext) -> list[Source]:
    """Return what a text is made of: what the call names, else every result of this turn.

    What is named and is the output of a result of this turn brings along what is known of that. A place that no result
    of this turn cites is not cited.

    Raises:
        OperatorFailed: there is nothing to write about.
    """
    results: Mapping[str, OperatorResult] = context.context.get(RESULTS) or {}
    given = [item for item in context.params.get("sources") or () if item is not None]
    named = [_of_item(item, results.values()) for item in given]
    cited = frozenset(citation for one in results.values() for citation in one.citations)
    named = [replace(one, citations=tuple(place for place in one.citations if place in cited)) for one in named]
    found = named or [_of_result(one) for one in results.values()]
    found = [one for one in found if one.text or one.table is not None or one.missing]
    if not found:
        raise OperatorFailed(
            "There is nothing yet to write about: no result was given and none was found.", "NoSources"
        )
    return found


def all_citations(sources: Iterable[Source]) -> tuple[Citation, ...]:
    """Every place that the sources cite, each once."""
    return tuple(dict.fromkeys(citation for source in sources for citation in source.citations))


def all_missing(sources: Iterable[Source]) -> tuple[str, ...]:
    """Everything that the sources lack, each once."""
    return tuple(dict.fromkeys(text for source in sources for text in source.missing))


def _of_result(result: OperatorResult, title: str = "") -> Source:
    described = result.metadata
    return Source(
        title=title or str(described.get("restatement") or ""),
        text=result.text,
        table=result.table,
        citations=result.citations,
        missing=result.missing,
        described=described,
    )


def _of_item(item: str | Mapping[str, Any], results: Iterable[OperatorResult]) -> Source:
    if isinstance(item, str):
        known = next((one for one in results if item and item in (one.text, one.output)), None)
        return _of_result(known) if known is not None else Source("", item)
    if "content" in item:
        title = str(item.get("title") or "")
        content = item["content"]
        inner = _of_item(content if isinstance(content, Mapping) else str(content or ""), results)
        return Source(
            title or inner.title,
            inner.text,
            inner.table,
            inner.citations,
            inner.missing,
            inner.described,
        )
    known = next((one for one in results if one.output == item), None)
    if known is not None:
        return _of_result(known)
    table = table_of(item) if isinstance(item.get("columns"), list) and isinstance(item.get("rows"), list) else None
    passages = found_passages(item.get("results") or ()) if isinstance(item.get("results"), list) else []
    return Source(
        title=str(item.get("title") or ""),
        text=str(item.get("answer") or item.get("text") or item.get("markdown") or ""),
        table=table,
        citations=tuple(dict.fromkeys(one.citation for one in passages)),
    )
