"""Whether all of a text is of known kinds: plain words, names of the result, claims that the result bears out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ai_engine.insight.checking.claim_words import claims_an_end
from ai_engine.insight.checking.claims import Claims
from ai_engine.insight.checking.clauses import figures_of_other_clauses
from ai_engine.insight.checking.comparisons import parts_of_other_wholes
from ai_engine.insight.checking.derived import figures_of_other_pairs, shares_of_other_rows
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.plain_words import other_marks, other_words
from ai_engine.insight.checking.told_text import ToldText
from ai_engine.insight.checking.ways import speaks_of_a_change
from ai_engine.insight.figures import TextRead, read_text
from ai_engine.ports import InsightTask
from ai_engine.semantics.vocabulary import Vocabulary

_SUM_BETWEEN = re.compile(
    r"\s*[-+/*\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}&\u00d7\u00f7=^]\s*(?:rs\.?\s*|[₹$€£¥]\s*)?", re.IGNORECASE
)
_BRACKET_BEFORE = re.compile(r"(?P<named>\u25a1|[^\W\d_])?\s*\(\s*(?:rs\.?\s*|inr\s*|[₹$€£¥]\s*)?$", re.IGNORECASE)
_BRACKET_AFTER = re.compile(r"\s*\)")


def told_from_nowhere(text: str, task: InsightTask, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the marks, words and claims of a text that neither a closed list nor the result vouches for.

    Its figures are founded already (`unfounded_figures`). Everything else has to be of a known kind: a character or a
    plain word of a closed list, a word of the question, its restatement, the columns or the cells, or a word that
    claims something and that the result bears out (`checking/claims.py`).
    """
    marks = (*other_marks(text, _said(task)),)
    if marks:
        return marks
    read = read_text(text, task, vocabulary)
    told = ToldText.of(read.told, read.figures, read.rows, read.reading)
    return (
        *other_words(told.words, _said(task)),
        *_sums(read.figures, read.told),
        *_in_brackets(told),
        *Claims(told, read.labels, read.changes, read.parts, lambda figure: _counts(figure, read)).not_borne_out(),
        *figures_of_other_pairs(told, lambda figure: _counts(figure, read)),
        *shares_of_other_rows(told),
        *parts_of_other_wholes(told, read.founded.of_cells),
        *figures_of_other_clauses(told, read.founded, lambda figure: _is_told_otherwise(figure, read, told)),
    )


def _is_told_otherwise(figure: Figure, read: TextRead, told: ToldText) -> bool:
    """Tell whether a figure is a number of rows, a bound, or what a claim beside it is held to."""
    if _counts(figure, read):
        return True
    clause = next((one for each in told.sentences for one in each if one.start <= figure.start < one.end), None)
    if clause is None or clause.mentions:
        return False
    words = told.words[clause.start : clause.end]
    return claims_an_end(words) or speaks_of_a_change(words)


def _counts(figure: Figure, read: TextRead) -> bool:
    """Tell whether a figure is a bound of the statement or a number of rows."""
    return read.bounds.names(figure, read.told) or read.counted.names(figure, read.told)


def _said(task: InsightTask) -> Iterator[str]:
    scope = task.scope
    yield from (task.question, task.restatement, scope.phrase, scope.things or "", scope.period, scope.compared)
    yield from (scope.dated_by or "", *scope.conditions)
    yield from (column.label for column in task.columns)
    yield from task.result.columns
    yield from {cell: None for row in task.result.rows for cell in row if isinstance(cell, str)}


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
                yield f"({figure.text})"
