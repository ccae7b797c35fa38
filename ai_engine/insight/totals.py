"""What the figures of an answer come to together."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.insight.amounts import exact
from ai_engine.insight.statement import read_statement
from ai_engine.insight.stocks import is_of_dates
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer, OutputColumn


def totals_of(answer: Answer, vocabulary: Vocabulary) -> tuple[tuple[OutputColumn, Decimal], ...]:
    """Add up the columns whose figures are parts of one whole, over all rows that were fetched; a single row has none.

    Of rows that were cut off, those figures are added up that would be parts of a whole with the rest.
    """
    result = answer.result
    if result is None or result.row_count < 2 or len(answer.columns) != len(result.columns):
        return ()
    places = [place for place, column in enumerate(answer.columns) if column.adds_up]
    if result.truncated and answer.sql:
        facts = read_statement(answer.sql, result, vocabulary.catalogue.dialect)
        places = sorted(facts.additive) if facts.grouped and not is_of_dates(answer.intent, vocabulary) else []
    return tuple(
        (answer.columns[place], sum((exact(row[place]) or Decimal(0) for row in result.rows), Decimal(0)))
        for place in places
    )
