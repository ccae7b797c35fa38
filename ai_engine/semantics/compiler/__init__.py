"""From a structured question to one SQL statement that a person enjoys reading."""

from __future__ import annotations

from datetime import date

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.plain_negation import plain_negation
from ai_engine.semantics.compiler.facts import Question
from ai_engine.semantics.compiler.grouped import compile_grouped
from ai_engine.semantics.compiler.idioms import in_idiom
from ai_engine.semantics.compiler.listing import compile_list
from ai_engine.semantics.compiler.over_groups import compile_over_groups
from ai_engine.semantics.compiler.predicates import FigureOverAll
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import FieldRef, Intent, Measure, Membership, parts_of
from ai_engine.semantics.model import SemanticModel
from ai_engine.types import Draft


def compile_intent(
    intent: Intent, model: SemanticModel, dialect: Dialect, as_of: date, *, level_too: bool = False
) -> Draft:
    """Write an intent as one statement.

    Args:
        intent: the structured question.
        model: what the tables mean.
        dialect: the database to write for.
        as_of: the day at which ages are taken.
        level_too: of the first rows of each group, fetch a few behind the last that are level with it too, and the
            place of each row in a column behind the others.

    Returns:
        The statement, the meaning of each of its columns in order, and the choices that were made on the way.

    Raises:
        IntentNotCovered: the vocabulary or the compiler cannot say it.
        AmbiguousPath: two tables are linked in several ways and nothing says which.
    """
    setting = Setting(model, dialect, as_of, level_too)
    _require_known_names(intent, setting)
    question = _question(intent, setting)
    compiled = compile_grouped if intent.measures else compile_list
    compiled = compile_over_groups if intent.over_groups else compiled
    query, columns = compiled(intent, setting, question)
    query = in_idiom(query, dialect)
    with plain_negation(query):
        sql = query.sql(dialect, pretty=True)
    return Draft(sql, tuple(columns), tuple(setting.notes), ranked_by=len(intent.order) or None)


def _require_known_names(intent: Intent, setting: Setting) -> None:
    """Look up every name, also in parts that would not be compiled and are only restated."""
    for ref in parts_of(intent, FieldRef):
        setting.field(ref)
    asked = [measure.dataset for measure in parts_of(intent, Measure)]
    related = [membership.dataset for membership in parts_of(intent, Membership)]
    for name in (intent.subject, *asked, *related):
        if name is not None:
            setting.dataset(name)


def _question(intent: Intent, setting: Setting) -> Question:
    def figure_over(rows: Intent) -> FigureOverAll:
        def figure(measure: Measure) -> exp.Expr:
            asked = rows.model_copy(update={"measures": (measure,)})
            query, _ = compile_grouped(asked, setting, _question(asked, setting))
            return exp.Subquery(this=query)

        return figure

    same_rows = Intent(subject=intent.subject, filters=intent.filters, period=intent.period)
    return Question(intent.subject, intent.filters, figure_over(Intent()), figure_over(same_rows))


__all__ = ["compile_intent"]
