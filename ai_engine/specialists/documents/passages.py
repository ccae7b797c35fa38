"""Documents cut into passages, and the passages that answer a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ai_engine.bm25 import Bm25, terms
from ai_engine.semantics.words import stem

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_LEAST_COVER = 0.34
_ABOUT_DOCUMENTS = frozenset(map(stem, "bank document documents explain policies policy rule rules say states".split()))
"""Words that speak of documents and are no subject of theirs."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document: `name` is how it is cited, `text` is Markdown."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """What stands under one heading of a document."""

    document: str
    title: str
    heading: str
    text: str

    @property
    def cited(self) -> str:
        """Name the place: "NPA and provisioning policy, Provisioning"."""
        return f"{self.title}, {self.heading}" if self.heading else self.title


class DocumentIndex:
    """All passages, searchable; read-only once built."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.passages = tuple(passage for document in documents for passage in passages_of(document))
        self._bm25 = Bm25([f"{one.title} {one.heading} {one.heading} {one.text}" for one in self.passages])

    def find(self, question: str, most: int = 2) -> list[Passage]:
        """Return the passages that have most of the question's words, best first; none where too few words are found.

        A second passage comes along only where it is nearly as good as the first.
        """
        asked = [term for term in dict.fromkeys(terms(question)) if term not in _ABOUT_DOCUMENTS]
        weight = sum(self._bm25.weight(term) for term in asked)
        if not asked or not weight:
            return []
        scored = sorted(
            zip(self._bm25.scores(asked), range(len(self.passages)), strict=True), key=lambda one: (-one[0], one[1])
        )
        best = scored[0][0] if scored else 0.0
        found = [self.passages[place] for score, place in scored[:most] if score > 0 and score >= 0.85 * best]
        return [one for one in found if self._cover(one, asked) >= _LEAST_COVER * weight]

    def share_found(self, question: str) -> float:
        """Return which part of a question's words, the rarer the heavier, the best passage has; 0 to 1."""
        asked = [term for term in dict.fromkeys(terms(question)) if term not in _ABOUT_DOCUMENTS]
        weight = sum(self._bm25.weight(term) for term in asked)
        best = self.find(question, most=1)
        return self._cover(best[0], asked) / weight if best else 0.0

    def _cover(self, passage: Passage, asked: Sequence[str]) -> float:
        there = set(terms(f"{passage.title} {passage.heading} {passage.text}"))
        return sum(self._bm25.weight(term) for term in asked if term in there)


def passages_of(document: Document) -> list[Passage]:
    """Cut a document at its headings; the first heading is its title, what stands before a second one is no passage."""
    title, heading = "", ""
    found: list[Passage] = []
    lines: list[str] = []

    def end() -> None:
        text = " ".join(" ".join(lines).split())
        if text and (heading or not title):
            found.append(Passage(document.name, title or document.name, heading, text))
        lines.clear()

    for line in document.text.splitlines():
        match = _HEADING.match(line)
        if match is None:
            lines.append(line)
            continue
        end()
        if not title:
            title = match[2]
        else:
            heading = match[2]
    end()
    return found or [Passage(document.name, title or document.name, "", " ".join(document.text.split()))]
