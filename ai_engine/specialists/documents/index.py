"""The one index of the bank's documents, for the agent, the desks and the servers that search: SQLite's FTS5 in memory.

Ranked by BM25, a word of a heading counting twice, after English stemming. Nothing is kept in Python but the texts, so
a folder of a bank's own, long documents is no burden.
"""

from __future__ import annotations

import math
import re
import sqlite3
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ai_engine.bm25 import FUNCTION_WORDS
from ai_engine.semantics.words import stem
from ai_engine.specialists.documents.asked import can_tell
from ai_engine.specialists.documents.passages import Document, Paragraph, Passage, passages_of

_WORD = re.compile(r"[^\W_]+")  # as the index cuts texts
_LEAST_COVER = 0.34
_NEARLY_AS_GOOD = 0.85
_SNIPPET_WORDS = 32
_ABOUT_DOCUMENTS = frozenset(map(stem, "bank document documents explain policies policy rule rules say states".split()))
"""Words that speak of documents and are no subject of theirs."""
_TABLE = "CREATE VIRTUAL TABLE paragraphs USING fts5(title, heading, text, tokenize = 'porter unicode61')"
_FIND = f"""
SELECT rowid, -bm25(paragraphs, 1.0, 2.0, 1.0) AS score, snippet(paragraphs, 2, '', '', '…', {_SNIPPET_WORDS})
FROM paragraphs WHERE paragraphs MATCH ? ORDER BY score DESC, rowid LIMIT ?
"""
_COUNT = "SELECT COUNT(*) FROM paragraphs WHERE paragraphs MATCH ?"
_IS_IN = "SELECT 1 FROM paragraphs WHERE paragraphs MATCH ? AND rowid BETWEEN ? AND ? LIMIT 1"


@dataclass(frozen=True, slots=True)
class FoundParagraph:
    """One hit: `snippet` is the part of its text with most of the words, `score` is comparable within one search."""

    passage: Passage
    paragraph: Paragraph
    snippet: str
    score: float


class DocumentIndex:
    """All paragraphs, searchable from any thread; read-only once built."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.passages = tuple(passage for document in documents for passage in passages_of(document))
        self._places = [(passage, paragraph) for passage in self.passages for paragraph in passage.paragraphs]
        self._paragraphs = {(passage.document, one.number): one for passage, one in self._places}
        self._rows: dict[Passage, tuple[int, int]] = {}
        for row, (passage, _) in enumerate(self._places, start=1):
            first, _last = self._rows.get(passage, (row, row))
            self._rows[passage] = (first, row)
        self._sqlite = sqlite3.connect(":memory:", check_same_thread=False)  # SQLite itself serialises its threads
        weakref.finalize(self, self._sqlite.close)
        self._sqlite.execute(_TABLE)
        self._sqlite.executemany(
            "INSERT INTO paragraphs (title, heading, text) VALUES (?, ?, ?)",
            [(passage.title, passage.heading, paragraph.text) for passage, paragraph in self._places],
        )

    def search(self, question: str, most: int) -> list[FoundParagraph]:
        """Return the paragraphs with any of the question's words, best first."""
        asked = _words_of(question)
        if not asked:
            return []
        rows = self._sqlite.execute(_FIND, (" OR ".join(map(_quoted, asked)), most)).fetchall()
        return [self._found(row, score, snippet) for row, score, snippet in rows]

    def find(self, question: str, most: int = 2) -> list[Passage]:
        """Return the passages that answer a question, best first; none where too few of its words are found.

        One that cannot tell what is asked (`can_tell`) is none either. A second passage comes along only where it is
        nearly as good as the first.
        """
        weights = self._weights(question)
        hits = self.search(question, most) if weights else []
        near = dict.fromkeys(hit.passage for hit in hits if hit.score >= _NEARLY_AS_GOOD * hits[0].score)
        least = _LEAST_COVER * sum(weights.values())
        return [one for one in near if self._cover(one, weights) >= least and can_tell(one.said, question)]

    def share_found(self, question: str) -> float:
        """Return which part of a question's words, the rarer the heavier, the best passage has; 0 to 1."""
        weights = self._weights(question)
        best = self.find(question, most=1)
        return self._cover(best[0], weights) / sum(weights.values()) if best else 0.0

    def best_paragraph(self, passage: Passage, question: str) -> Paragraph:
        """Return the paragraph of a passage that has most of a question's words; the first of equals."""
        weights = self._weights(question)
        first, _ = self._rows[passage]

        def found(at: int) -> float:
            return sum(weight for word, weight in weights.items() if self._is_in(word, first + at, first + at))

        return passage.paragraphs[max(range(len(passage.paragraphs)), key=found)]

    def paragraph(self, document: str, number: int) -> Paragraph | None:
        """Return what a citation names; None where there is no such document or paragraph."""
        return self._paragraphs.get((document, number))

    def document(self, name: str) -> tuple[Passage, ...]:
        """Return the passages of a document in their order; none where there is no such document."""
        return tuple(passage for passage in self.passages if passage.document == name)

    def _found(self, row: int, score: float, snippet: str) -> FoundParagraph:
        passage, paragraph = self._places[row - 1]
        return FoundParagraph(passage, paragraph, snippet, score)

    def _weights(self, question: str) -> dict[str, float]:
        """Weigh each word of a question: the rarer, the more; one that is nowhere like one that is once."""
        count = len(self._places)
        weights = {}
        for word in _words_of(question) if count else ():
            (found,) = self._sqlite.execute(_COUNT, (_quoted(word),)).fetchone()
            found = max(found, 1)
            weights[word] = math.log(1 + (count - found + 0.5) / (found + 0.5))
        return weights

    def _cover(self, passage: Passage, weights: dict[str, float]) -> float:
        rows = self._rows[passage]
        return sum(weight for word, weight in weights.items() if self._is_in(word, *rows))

    def _is_in(self, word: str, first: int, last: int) -> bool:
        return self._sqlite.execute(_IS_IN, (_quoted(word), first, last)).fetchone() is not None


def _words_of(question: str) -> Sequence[str]:
    """Cut a question into the words that are looked for, one per stem."""
    found = {stem(word): word for word in _WORD.findall(question.lower()) if word not in FUNCTION_WORDS}
    asked = [word for stemmed, word in found.items() if stemmed not in _ABOUT_DOCUMENTS]
    return [] if all(map(str.isdigit, asked)) else asked  # a figure alone is no subject


def _quoted(word: str) -> str:
    return f'"{word}"'
