"""The finding in words."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import plural
from ai_engine.tie_out.finding import TiedFigure, TieOut
from ai_engine.types import Answer, OutputColumn, QueryResult

TOO_DEAR = "Not tied out: computing the total would take the database longer than the question did."
TOO_SLOW = "Not tied out: computing the total took too long."
OF_ANOTHER_TIME = "Not tied out: the rows are of an earlier run, and the data may have changed since."
FAILED = "Not tied out: the total could not be computed."


def said_of_cut(result: QueryResult) -> str:
    """Say that rows which are not all there add up to nothing."""
    return f"Not tied out: only the first {result.row_count:,} rows are here, and the total is that of all of them."


def said_of_cause(rows: int, dataset: str, said: str, setting: Setting) -> str:
    """Say what is the matter with rows: "12 accounts whose branch is not known"."""
    label = setting.dataset(dataset).label
    return f"{rows:,} {label if rows == 1 else plural(label)} {said}"


def told(answer: Answer, figures: Sequence[TiedFigure], sql: tuple[str, ...], vocabulary: Vocabulary) -> TieOut:
    """Put the figures into words, those that differ first."""
    columns = {column.name: column for column in answer.columns}
    formats = Formats(vocabulary.model.currency)

    differing = [figure for figure in figures if figure.difference]
    if not differing:
        totals = ", ".join(_total(one, columns[one.column], formats) for one in figures)
        return TieOut("ties out", f"Ties out with the total computed without groups: {totals}.", tuple(figures), sql)
    said = " ".join(_difference(one, columns[one.column], formats) for one in differing)
    return TieOut("differs", f"Does not tie out. {said}", tuple(figures), sql)


def _total(figure: TiedFigure, column: OutputColumn, formats: Formats) -> str:
    return f"{column.label} {format_cell(figure.total, column, formats)}"


def _difference(figure: TiedFigure, column: OutputColumn, formats: Formats) -> str:
    def written(amount: Decimal) -> str:
        return format_cell(abs(amount), column, formats)

    gap = figure.difference
    said = (
        f"{column.label}: the groups add up to {format_cell(figure.shown, column, formats)}, "
        f"{written(gap)} {'more' if gap > 0 else 'less'} than the total without groups, "
        f"{format_cell(figure.total, column, formats)}."
    )
    causes = [f"{cause.said} ({'+' if cause.amount >= 0 else '-'}{written(cause.amount)})" for cause in figure.causes]
    said += f" In it: {'; '.join(causes)}." if causes else ""
    left = gap - sum((cause.amount for cause in figure.causes), Decimal(0))
    if left and causes:
        return f"{said} That leaves {written(left)} unexplained."
    return said if causes else f"{said} The keys that the groups join do not explain it."
