"""Passages that a search found: read off what a tool returned, quoted for people, and cited."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from ai_engine.bm25 import terms
from ai_engine.operators.base import Citation, OperatorResult
from ai_engine.operators.links import defused
from ai_engine.operators.tool_results import structured_of
from ai_engine.specialists.documents.asked import can_tell
from ai_engine.specialists.documents.passages import Document, passages_of
from ai_engine.tools import ToolResult

_LISTS = ("results", "passages", "hits", "documents", "result")
_LONGEST_QUOTE_CHARS = 1_200
_LONGEST_READ_CHARS = 4_000
_LONGEST_NAME_CHARS = 500
_LONGEST_DOCUMENT_CHARS = 500_000
_MOST_HITS = 100
"""Of one search, and so much of each: whether a text answers is judged by its words, which takes time."""
_LEAST_COVER = 0.34
_NEARLY_AS_GOOD = 0.7


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """One paragraph of a document; `paragraph` counts from 1, `score` compares hits of one search, None without one.

    `server` has the document; empty for the bank's own.
    """

    document: str
    paragraph: int
    title: str
    heading: str
    text: str
    score: float | None = field(default=None, compare=False)
    server: str = ""

    @property
    def place(self) -> str:
        """Name the place: "NPA and provisioning policy, Provisioning, paragraph 3", and the server that has it."""
        at = f"at {self.server}" if self.server else ""
        parts = (self.title or self.document, self.heading, f"paragraph {self.paragraph}", at)
        return ", ".join(part for part in parts if part)

    @property
    def citation(self) -> Citation:
        """The place as a citation."""
        return Citation(self.document, self.paragraph, self.title, self.server)


def found_passages(items: Iterable[Any]) -> list[FoundPassage]:
    """Read passages off the first items of a result; an item without a document, its paragraph or a text is none."""
    read = (_passage(item) for item in items if isinstance(item, Mapping))
    return list(islice((passage for passage in read if passage is not None), _MOST_HITS))


def answering(passages: Sequence[FoundPassage], question: str) -> list[FoundPassage]:
    """Keep the passages that can tell what is asked, with most of its words, nearly as good as their server's best.

    A search gives whatever has any of its words. How much a word tells is judged by how few of the hits have it.
    """
    asked = set(terms(question))
    words = [set(terms(f"{one.title} {one.heading} {one.text}")) for one in passages]
    weights = {word: _weight(sum(word in has for has in words), len(words)) for word in asked}
    least = _LEAST_COVER * sum(weights.values())
    best: dict[str, float] = {}
    for one in passages:
        best[one.server] = max(one.score or 0, best.get(one.server, 0))
    return [
        one
        for one, has in zip(passages, words, strict=True)
        if sum(weights[word] for word in asked & has) >= least
        and (one.score is None or best[one.server] <= 0 or one.score >= _NEARLY_AS_GOOD * best[one.server])
        and can_tell(f"{one.title}. {one.heading}. {one.text}", question)
    ]


def items_of(result: ToolResult) -> Sequence[Any]:
    """Return the list in a tool's structured output, or in its text where that is JSON; none where there is no list."""
    made = structured_of(result)
    if isinstance(made, Mapping):
        made = next((made[name] for name in _LISTS if isinstance(made.get(name), list)), ())
    return made if isinstance(made, list) else ()


def paragraphs_of(result: ToolResult) -> dict[int, str]:
    """Return the paragraphs that a document has, as a tool returned it, by their numbers."""
    made = result.structured or {}
    listed = made.get("paragraphs")
    if isinstance(listed, list):
        return {_number_of(item, at): _text_of(item) for at, item in enumerate(listed, start=1)}
    text = made.get("text") if isinstance(made.get("text"), str) else result.combined_text
    passages = passages_of(Document("", str(text)[:_LONGEST_DOCUMENT_CHARS]))
    return {paragraph.number: paragraph.text for passage in passages for paragraph in passage.paragraphs}


def quoted(passages: Sequence[FoundPassage], missing: Sequence[str] = ()) -> OperatorResult:
    """Make a result of passages that are known to exist: each quoted, with its place."""
    text = "\n\n".join(f"“{defused(_short(one.text))}” ({defused(one.place)})" for one in passages)
    return OperatorResult(
        output={"results": [_told(one) for one in passages], "answer": text},
        text=text,
        citations=tuple(dict.fromkeys(one.citation for one in passages)),
        missing=tuple(missing),
    )


def _told(passage: FoundPassage) -> dict[str, Any]:
    told = asdict(passage)
    del told["score"]
    return told


def _passage(item: Mapping[str, Any]) -> FoundPassage | None:
    document, paragraph = item.get("document") or item.get("name"), item.get("paragraph")
    text = item.get("text") or item.get("snippet")
    if not isinstance(document, str) or not isinstance(text, str) or not text.strip():
        return None
    if len(document) > _LONGEST_NAME_CHARS:
        return None
    if isinstance(paragraph, bool) or not isinstance(paragraph, int) or paragraph < 1:
        return None
    title, heading = (str(item.get(name) or "")[:_LONGEST_NAME_CHARS] for name in ("title", "heading"))
    score = item.get("score")
    number = float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None
    server = str(item.get("server") or "")
    return FoundPassage(document, paragraph, title, heading, _one_line(text), number, server)


def _weight(found: int, of: int) -> float:
    """Weigh a word as BM25 does; one that no hit has like one that one has."""
    return math.log(1 + (of - max(found, 1) + 0.5) / (max(found, 1) + 0.5))


def _number_of(item: Any, at: int) -> int:
    number = item.get("paragraph", item.get("number", at)) if isinstance(item, Mapping) else at
    return number if isinstance(number, int) else at


def _text_of(item: Any) -> str:
    text = item.get("text") if isinstance(item, Mapping) else item
    return _one_line(text) if isinstance(text, str) else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_READ_CHARS]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE_CHARS else f"{text[:_LONGEST_QUOTE_CHARS]}…"
