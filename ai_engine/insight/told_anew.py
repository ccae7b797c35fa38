"""The words of an answer for a reader whose formats are not the bank's: told by rule once more, from its rows."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.formats import Formats
from ai_engine.insight.rewritten import in_formats
from ai_engine.insight.stocks import scope_told
from ai_engine.insight.summary import explain
from ai_engine.ports import InsightTask
from ai_engine.semantics.scope_words import Scope
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer


def words_for(answer: Answer, vocabulary: Vocabulary, formats: Formats) -> tuple[str, str]:
    """Return headline and summary of an answer as a reader wants figures and days.

    Words hold rounded figures ("Rs.1.52 crore"), which cannot be written in other steps without seeming exact. So what
    rules told is told again from the rows. A language model's words stay where nothing in them is written otherwise;
    where something is, rules tell the result in their place, as one card never counts in two ways.
    """
    kept = (answer.headline, answer.summary)
    if not formats.are_own or answer.result is None or answer.sql is None or not answer.summary:
        return kept
    vocabulary = vocabulary.on(answer.as_of)
    told = InsightTask(
        answer.question, answer.restatement, answer.sql, answer.result, answer.columns, _scope(answer, vocabulary)
    )
    by_rule = explain(told, vocabulary, answer.chart).summary == answer.summary
    if not by_rule and in_formats(answer.summary, formats) == answer.summary:
        return kept
    anew = explain(_for_reader(told, formats), vocabulary, answer.chart)
    return anew.headline or anew.summary, anew.summary


def _scope(answer: Answer, vocabulary: Vocabulary) -> Scope:
    return scope_told(answer.intent if not answer.failures else None, vocabulary)


def _for_reader(task: InsightTask, formats: Formats) -> InsightTask:
    """Write what words already stand in a task as the rest will be."""

    def written(text: str) -> str:
        return in_formats(text, formats)

    scope, columns = task.scope, task.columns
    return replace(
        task,
        formats=formats,
        restatement=written(task.restatement),
        columns=tuple(
            replace(column, part_steps=tuple((step, written(days)) for step, days in column.part_steps))
            for column in columns
        ),
        scope=replace(
            scope,
            period=written(scope.period),
            compared=written(scope.compared),
            ends=written(scope.ends),
            conditions=tuple(map(written, scope.conditions)),
            brief_conditions=tuple(map(written, scope.brief_conditions)),
        ),
    )
