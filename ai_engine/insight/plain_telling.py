"""Whether all of a text is of known kinds: plain words, names of the result, figures and claims that it bears out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise

from ai_engine.insight.checking.claim_words import claims_an_end
from ai_engine.insight.checking.claims import Claims
from ai_engine.insight.checking.clauses import figures_of_other_clauses, names_of_no_row
from ai_engine.insight.checking.comparisons import parts_of_other_wholes
from ai_engine.insight.checking.derived import figures_of_other_pairs, shares_of_other_rows
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.names import catalogue_texts
from ai_engine.insight.checking.plain_words import other_marks, other_words
from ai_engine.insight.checking.tallies import tallies_nobody_computed
from ai_engine.insight.checking.told_text import ToldText
from ai_engine.insight.checking.ways import speaks_of_a_change
from ai_engine.insight.figures import ResultRead, TextRead
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words

_SUM_BETWEEN = re.compile(
    r"\s*[-+/*\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}&\u00d7\u00f7=^]\s*(?:rs\.?\s*|[₹$€£¥]\s*)?", re.IGNORECASE
)
_BRACKET_BEFORE = re.compile(r"(?P<named>\u25a1|[^\W\d_])?\s*\(\s*(?:rs\.?\s*|inr\s*|[₹$€£¥]\s*)?$", re.IGNORECASE)
_BRACKET_AFTER = re.compile(r"\s*\)")
_LONG_UNITS = "month quarter year"


class Judge:
    """Holds texts about one result to it; the result is read once, however many texts are judged."""

    def __init__(self, task: InsightTask, vocabulary: Vocabulary) -> None:
        self._task, self._vocabulary = task, vocabulary
        self._result = ResultRead.of(task, vocabulary)

    def unfounded(self, text: str) -> tuple[str, ...]:
        """Return the figures of a text that nobody computed."""
        return TextRead.beside(text, self._result).unfounded()

    def not_borne_out(self, text: str) -> tuple[str, ...]:
        """Return the marks, words, figures and claims that neither a closed list nor the result vouches for.

        All of a text has to be of a known kind: a character or a plain word of a closed list, a word of the question,
        its restatement or the cells, or one by which both the bank and the result call something, a figure that was
        computed (see `TextRead.unfounded`) and of the rows that its clause names, or a word that claims something and
        that the result bears out (`checking/claims.py`).
        """
        marks = (*other_marks(text, self._said),)
        if marks:
            return marks
        read = TextRead.beside(text, self._result)
        told, of = ToldText.of(read.told, read.figures, read.rows, read.of.reading), self._result
        return (
            *other_words(told.words, self._said),
            *read.unfounded(),
            *_sums(read.figures, read.told),
            *_in_brackets(told),
            *Claims(told, of, read.parts, read.counts).not_borne_out(),
            *tallies_nobody_computed(told, of.changes, of.things),
            *figures_of_other_pairs(told, read.counts),
            *shares_of_other_rows(told),
            *names_of_no_row(told),
            *parts_of_other_wholes(told, of.founded.of_cells),
            *figures_of_other_clauses(told, of.founded, lambda figure: _is_told_otherwise(figure, read, told)),
        )

    @cached_property
    def _said(self) -> tuple[str, ...]:
        """What vouches for words."""
        task, scope = self._task, self._task.scope
        is_dated = self._result.reading.shape.times or scope.period or scope.compared
        said = (
            task.question, task.restatement, scope.phrase, scope.things, scope.period, scope.compared, scope.dated_by,
            *scope.conditions, _LONG_UNITS if is_dated else "",
        )  # fmt: skip
        cells = dict.fromkeys(cell for row in task.result.rows for cell in row if isinstance(cell, str))
        return (*said, *self._called(said), *cells)

    def _called(self, said: Iterable[str]) -> Iterator[str]:
        """Yield the words of the columns that are said or the bank's; others the statement's writer has made up."""
        names = (*(column.label for column in self._task.columns), *self._task.result.columns)
        called = {stem(word): word for name in names for word in words(name)}
        for texts in (said, catalogue_texts(self._vocabulary)):
            for text in texts if called else ():
                yield from (called.pop(root) for root in map(stem, words(text)) if root in called)


def _is_told_otherwise(figure: Figure, read: TextRead, told: ToldText) -> bool:
    """Tell whether a figure is a number of rows, a bound, or what a claim beside it is held to."""
    if read.counts(figure):
        return True
    clause = next((one for each in told.sentences for one in each if one.start <= figure.start < one.end), None)
    if clause is None or clause.mentions:
        return False
    words = told.words[clause.start : clause.end]
    return claims_an_end(words) or speaks_of_a_change(words)


def _sums(figures: list[Figure], text: str) -> Iterator[str]:
    """Yield figures with nothing but a sign between them: what they come to is left to the reader."""
    for one, other in pairwise(figures):
        if one.end < other.start and _SUM_BETWEEN.fullmatch(text, one.end, other.start):
            yield text[one.start : other.end]


def _in_brackets(told: ToldText) -> Iterator[str]:
    """Yield figures alone in brackets that stand behind no name: so a figure below zero is written."""
    names = [one.end for sentence in told.sentences for clause in sentence for one in clause.mentions]
    for figure in told.figures:
        before = _BRACKET_BEFORE.search(told.words, max(figure.start - 20, 0), figure.start)
        if before and _BRACKET_AFTER.match(told.words, figure.end) and not figure.below_zero:
            opened = before.start("named") + 1 if before["named"] else -1
            is_named = opened in names or claims_an_end(
                told.words[max(opened - 10, 0) : max(opened, 0)].rpartition(" ")[2]
            )
            if not is_named and any(one.kind == "plain" for way in figure.readings for one in way):
                yield figure.text
