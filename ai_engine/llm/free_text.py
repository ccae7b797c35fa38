"""The one gate for what a language model says in words of its own: it tells no figure and carries no markup.

A figure may be told that stands in the question or an earlier turn, beside the same word in the vocabulary, or as a
number of the structured question. Days, months and years are periods and no figures. What is told as assumed speaks of
the reading, and vouches for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.bm25 import terms
from ai_engine.insight.checking.dates import KnownDates, dates_in
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.retold import figures_of_text
from ai_engine.llm.said_values import schema_stems
from ai_engine.llm.told_of_data import unknown_figures
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words
from ai_engine.types import Turn

_MARKUP = re.compile(r"</?[a-z!][^>]*>|\]\(|```", re.IGNORECASE)
_DOT = "[.\u3002\uff0e\uff61]"  # those that a browser takes for one
_ADDRESS = re.compile(
    r"\b[a-z][a-z+.-]*://|\bwww\.|//\w|\b(?:mailto|javascript|data|file|tel):\S"
    rf"|(?<![\w.-])(?:[\w-]+{_DOT})+[^\W\d_]{{2,}}(?::\d+)?[/?#\\]\S"
    r"|(?<![\w.-])(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d+)?[/?#\\]\S"
    r"|(?<![\w.-])(?=[\d.]*[^\W\d])[\w.-]+:\d{2,5}[/?#\\]\S",
    re.IGNORECASE,
)
"""A scheme, or a host with a path. A name alone, such as example.com, is a word: merchants are called so."""
_SENTENCES = re.compile(r"(?<=[.!?;])\s+")
_CLAUSES = re.compile(r"[!?;()]|[,:](?!\d)|\.(?=\s|$)|\s[-\u2013\u2014]\s")
_LONGEST_VALUE = 4
_OF_PERIODS = frozenset(map(stem, "date day week month quarter year calendar fiscal period".split()))
_OF_ASSUMING = frozenset(
    map(
        stem,
        "assume count default exclude ignore include leave left mean meant read show shown take taken treat understand "
        "understood use usual".split(),
    )
)
"""Says what is done with what is spoken of elsewhere in a sentence."""


@dataclass(frozen=True, slots=True)
class FreeText:
    """What a model may say.

    Attributes:
        said: the question and what earlier turns said.
        numbers: those of the structured question.
    """

    said: tuple[str, ...]
    vocabulary: Vocabulary
    numbers: frozenset[Decimal] = frozenset()

    def allows(self, text: str) -> bool:
        """Tell whether a text has neither markup, an address nor a figure that is said nowhere else."""
        if carries_markup(text):
            return False
        plain = plain_digits(text)
        told = KnownDates(frozenset(dates_in(plain))).left_out_of(plain)
        unknown = unknown_figures(told, self.said, self.vocabulary)
        if not unknown:
            return True
        known = self.numbers.union(*(figures_of_text(one) for one in self.said))
        return all(not known.isdisjoint(figures_of_text(figure)) for figure in unknown)

    def items(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Keep those of several texts that may be shown."""
        return tuple(text for text in texts if self.allows(text))

    def assumptions(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Keep those of several texts that may be shown and speak of the reading in each of their clauses."""
        kept = self.items(texts)
        if not kept:
            return ()
        known = schema_stems(self.vocabulary).union(_OF_PERIODS, *(terms(one) for one in self.said))
        return tuple(text for text in kept if self._is_of_the_reading(text, known))

    def _is_of_the_reading(self, text: str, known: frozenset[str]) -> bool:
        """Tell whether a text names what is known, a value, a day or a number, and no part of it another thing."""
        clauses = [one for one in _CLAUSES.split(plain_digits(text)) if one.strip()]
        named = [self._names(one, known) for one in clauses]
        return any(named) and all(
            is_named or _OF_ASSUMING.issuperset(terms(one)) for is_named, one in zip(named, clauses, strict=True)
        )

    def _names(self, clause: str, known: frozenset[str]) -> bool:
        if not known.isdisjoint(terms(clause)) or [*dates_in(clause)] or figures_of_text(clause):
            return True
        said, values = words(clause), self.vocabulary.values
        phrases = (said[at : at + size] for size in range(1, _LONGEST_VALUE + 1) for at in range(len(said) - size + 1))
        return any(values.exactly(one) or values.by_synonym(one) or values.by_stem(one) for one in phrases)

    def sentences_of(self, text: str) -> str:
        """Keep the sentences of a text that may be shown."""
        return " ".join(self.items(_SENTENCES.split(text)))

    def with_numbers_of(self, intent: Intent) -> FreeText:
        """Allow the numbers of a structured question too."""
        return FreeText(self.said, self.vocabulary, frozenset(_numbers(intent.model_dump(exclude_defaults=True))))


def carries_markup(text: str) -> bool:
    """Tell whether a text has tags, links, fences or an address: what a page may act upon, or a person follow."""
    return bool(_MARKUP.search(text) or _ADDRESS.search(text))


def free_text(question: str, history: Sequence[Turn], vocabulary: Vocabulary) -> FreeText:
    """Return what a model may say of a question that follows earlier turns."""
    earlier = (text for turn in history for text in (turn.question, turn.restatement, *turn.choices))
    return FreeText((question, *earlier), vocabulary)


def _numbers(part: object) -> Iterator[Decimal]:
    if isinstance(part, dict):
        for one in part.values():
            yield from _numbers(one)
    elif isinstance(part, (list, tuple)):
        for one in part:
            yield from _numbers(one)
    elif isinstance(part, (int, float, Decimal)) and not isinstance(part, bool):
        yield abs(Decimal(str(part)))
