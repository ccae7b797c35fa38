"""The one gate for what a language model says in words of its own: it tells no figure and carries no markup.

A figure may be told that stands in the question or an earlier turn, beside the same word in the vocabulary, or as a
number of the structured question. Days, months and years are periods and no figures. What is told as assumed speaks of
the reading, and vouches for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ai_engine.asked_secrets import wants_a_secret
from ai_engine.bm25 import terms
from ai_engine.insight.checking.dates import KnownDates, dates_in
from ai_engine.insight.checking.figure import Figure, Reading
from ai_engine.insight.checking.marks import currencies_of, figures_with_other_marks, told_below_zero
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.figures import figures_in
from ai_engine.insight.retold import figures_of_text
from ai_engine.llm.said_values import schema_stems
from ai_engine.llm.told_of_data import unknown_figures, unknown_names
from ai_engine.llm.told_of_rows import tells_of_rows
from ai_engine.llm.told_vocabulary import told_values
from ai_engine.seen_text import seen
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.values import StoredValue
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words
from ai_engine.types import Turn

_MARKUP = re.compile(r"</?[a-z!][^>]*>|\]\(|```", re.IGNORECASE)
_DOT = "[.\u3002\uff0e\uff61]"  # those that a browser takes for one
_ADDRESS = re.compile(
    r"\b[a-z][a-z+.-]{0,30}://|\bwww\.|//\w|\b(?:mailto|javascript|data|file|tel):\S"
    rf"|(?<![\w.-])(?:[\w-]+{_DOT})+[^\W\d_]{{2,}}(?::\d+)?[/?#\\]\S"
    r"|(?<![\w.-])(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d+)?[/?#\\]\S"
    r"|(?<![\w.-])(?=[\d.]*[^\W\d])[\w.-]+:\d{2,5}[/?#\\]\S",
    re.IGNORECASE,
)
"""A scheme, or a host with a path. A name alone, such as example.com, is a word: merchants are called so."""
_SENTENCES = re.compile(r"(?<=[.!?;])\s+")
_CLAUSES = re.compile(r"[!?;()]|[,:](?!\d)|\.(?=\s|$)|\s[-\u2013\u2014]\s")
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:over|above|under|below|than|least|most|exceed\w*|beyond|within|between|and|from|to|up\s+to|equals?|is|until)"
    r"|[<>=:≥≤])\s*(?:[A-Za-z]{1,3}\.?\s?|[₹$€£¥]\s?)?$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    r"\+|\s*(?:\w+\s+)?(?:or|and)\s+(?:more|above|less|fewer|below|over|under|higher)\b", re.IGNORECASE
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LOOKED_BACK_CHARS = 40
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
        years: likewise.
        found: what the model was told of the words of the question, of which it may repeat names.
    """

    said: tuple[str, ...]
    vocabulary: Vocabulary
    numbers: frozenset[Decimal] = frozenset()
    years: frozenset[int] = frozenset()
    found: str = ""

    def allows(self, text: str) -> bool:
        """Tell whether a text leads nowhere, wants no secret and has no figure that is said nowhere else."""
        if leads_away(text):
            return False
        plain = plain_digits(text)
        told = KnownDates(frozenset(dates_in(plain))).left_out_of(plain)
        unknown = unknown_figures(told, self.said, self.vocabulary)
        if not unknown:
            return True
        return all(self._vouches_for(one, told) for one in figures_in(told) if one.text in unknown)

    def _vouches_for(self, figure: Figure, told: str) -> bool:
        """Tell whether a figure was said, of the same kind, sign and currency, and as a bound where it was but that."""
        said = [plain_digits(one) for one in self.said]
        same = [(one, text) for text in said for one in figures_in(text) if _is_alike(one, figure)]
        if not same and not any(one.value in self.numbers and one.kind != "fraction" for one in _all(figure)):
            return False
        named = " ".join(said).lower()
        if told_below_zero(figure, told, named) and not any(told_below_zero(one, text, "") for one, text in same):
            return False
        own = currencies_of(said) | ({self.vocabulary.model.currency} if self.vocabulary.model.currency else set())
        if any(True for _ in figures_with_other_marks([figure], told, named, frozenset(own))):
            return False
        return not same or not all(_is_a_bound(*one) for one in same) or _is_a_bound(figure, told)

    def items(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Keep those of several texts that may be shown."""
        return tuple(text for text in texts if self.allows(text))

    def assumptions(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Keep those of several texts that may be shown and speak of the reading in each of their clauses."""
        kept = [text for text in self.items(texts) if self._years_of(text) <= self._known_years]
        kept = [text for text in kept if not self.unknown_names(text)]
        if not kept:
            return ()
        known = schema_stems(self.vocabulary).union(_OF_PERIODS, *(terms(one) for one in self.said))
        return tuple(text for text in kept if self._is_of_the_reading(text, known))

    @property
    def _known_years(self) -> frozenset[int]:
        """Years that were said, those of the structured question, and the ones beside the data's last."""
        last = self.vocabulary.as_of.year
        said = (self._years_of(text) for text in self.said)
        return frozenset({last - 1, last, last + 1}).union(self.years, *said)

    @staticmethod
    def _years_of(text: str) -> frozenset[int]:
        return frozenset(day.year for day in dates_in(plain_digits(text)))

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
        ways = (values.exactly, values.by_synonym, values.by_stem)
        return any(self._is_told(one) for phrase in phrases for way in ways for one in way(phrase))

    def _is_told(self, stored: StoredValue) -> bool:
        dataset = self.vocabulary.model.dataset(stored.dataset)
        return str(stored.value) in told_values(dataset, dataset.field(stored.field), self.vocabulary)

    def unknown_names(self, text: str) -> tuple[str, ...]:
        """Return the names of a text that neither was said, nor the model told."""
        return unknown_names(text, (*self.said, self.found), self.vocabulary)

    def sentences_of(self, text: str) -> str:
        """Keep the sentences of a text that may be shown, name nothing that nothing has and tell nothing of rows."""
        kept = self.items(_SENTENCES.split(text))
        kept = tuple(one for one in kept if not self.unknown_names(one))
        return " ".join(one for one in kept if not tells_of_rows(one, self.said[0], self.vocabulary))

    def with_numbers_of(self, intent: Intent) -> FreeText:
        """Allow the numbers of a structured question too."""
        numbers = frozenset(_numbers(intent.model_dump(exclude_defaults=True)))
        years = frozenset(map(int, _YEAR.findall(intent.model_dump_json(exclude_defaults=True))))
        return replace(self, numbers=numbers, years=years)


def _all(figure: Figure) -> list[Reading]:
    return [reading for way in figure.readings for reading in way]


def _is_alike(one: Figure, other: Figure) -> bool:
    kinds = {(reading.value, "plain" if reading.kind == "rank" else reading.kind) for reading in _all(one)}
    return any((reading.value, "plain" if reading.kind == "rank" else reading.kind) in kinds for reading in _all(other))


def _is_a_bound(figure: Figure, text: str) -> bool:
    """Tell whether a figure is said as what something is compared with: "over 2500", "2500 or more"."""
    before = text[max(figure.start - _LOOKED_BACK_CHARS, 0) : figure.start]
    return bool(_BOUND_BEFORE.search(before) or _BOUND_AFTER.match(text, figure.end))


def carries_markup(text: str) -> bool:
    """Tell whether a text has tags, links, fences or an address: what a page may act upon, or a person follow."""
    shown = seen(text)
    return bool(_MARKUP.search(shown) or _ADDRESS.search(shown))


def leads_away(text: str) -> bool:
    """Tell whether a text has what a page may act upon or a person follow, or wants a password or the like."""
    return carries_markup(text) or wants_a_secret(text)


def free_text(question: str, history: Sequence[Turn], vocabulary: Vocabulary, found: str = "") -> FreeText:
    """Return what a model may say of a question that follows earlier turns."""
    earlier = (text for turn in history for text in (turn.question, turn.restatement, *turn.choices))
    return FreeText((question, *earlier), vocabulary, found=found)


def _numbers(part: object) -> Iterator[Decimal]:
    if isinstance(part, dict):
        for one in part.values():
            yield from _numbers(one)
    elif isinstance(part, (list, tuple)):
        for one in part:
            yield from _numbers(one)
    elif isinstance(part, (int, float, Decimal)) and not isinstance(part, bool):
        yield abs(Decimal(str(part)))
