"""From one group of an answer to the rows behind it, or to its breakdown by something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import islice

from ai_engine.semantics.calendar_days import Unit, around
from ai_engine.semantics.compiler.bands import band_names
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.edits.edit import Edit, changed, compiles, edit, offered
from ai_engine.semantics.edits.filters import narrowed_by
from ai_engine.semantics.edits.groupings import said_grouping
from ai_engine.semantics.edits.suggested import suggested_groupings
from ai_engine.semantics.edits.ways import base_of
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Filter, Intent, Measure, Value
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import Words, enumerated, plural
from ai_engine.types import Scalar

MOST_BREAKDOWNS = 3
_FISCAL_TEXT_CHARS = 4
_UNITS: dict[str, Unit] = {
    "day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year",
    "fiscal_quarter": "fiscal quarter", "fiscal_year": "fiscal year",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Drill:
    """What may be asked about one group of an answer.

    Attributes:
        label: the group in words: "city is Pune and month is March 2026".
        rows: the rows behind its figure, None where they are not those of one table.
        breakdowns: its figure by other groupings.
    """

    label: str
    rows: Edit | None
    breakdowns: tuple[Edit, ...]


def drill_into(intent: Intent, row: Sequence[Scalar], vocabulary: Vocabulary) -> Drill | None:
    """Return what may be asked about the group that one row of an answer stands for.

    Args:
        intent: the question that was answered; its groupings are the first columns of the rows, in their order.
        row: one row of the answer, whole.
        vocabulary: of the same database.

    Returns:
        None where the row is no group, or a group that cannot be named by a condition.
    """
    if not intent.measures or not intent.dimensions or intent.over_groups or len(row) < len(intent.dimensions):
        return None
    if not compiles(intent, vocabulary):
        return None
    group: list[Filter] = []
    for item, cell in zip(intent.dimensions, row, strict=False):
        conditions = conditions_of(item, cell, vocabulary)
        if conditions is None:
            return None
        group += conditions
    words = Words(vocabulary.model, spoken=True)
    said = enumerated([words.filter(item) for item in group])
    rows = next(offered(_rows(intent, group, said, vocabulary), intent, vocabulary), None)
    broken_down = offered(_breakdowns(intent, group, said, vocabulary), intent, vocabulary)
    breakdowns = tuple(islice(broken_down, MOST_BREAKDOWNS))
    return Drill(said[:1].upper() + said[1:], rows, breakdowns) if rows or breakdowns else None


def conditions_of(item: Dimension, cell: Scalar, vocabulary: Vocabulary) -> tuple[Condition, ...] | None:
    """Return the conditions that hold for the rows of one group and no others; None where they cannot be told.

    Args:
        item: what is grouped by.
        cell: the group's cell in its column, None for rows without a value.
        vocabulary: of the same database.
    """
    ref = item.field
    field = vocabulary.model.dataset(ref.dataset).field(ref.field)
    if field.described_by is not None or field.sensitive:
        return None
    if cell is None:
        return (Condition(field=_plain(ref), operator="is null"),)
    if item.edges:
        return _in_band(item, cell)
    if ref.grain in _UNITS and not field.is_year:
        return _in_step(ref, cell, vocabulary)
    if ref.grain == "hour":
        begin = cell if isinstance(cell, datetime) else None
        return _between(_plain(ref), begin, begin + timedelta(hours=1)) if begin is not None else None
    value = _value(cell)
    return (Condition(field=ref, operator="=", values=(value,)),) if value is not None else None


def _value(cell: Scalar) -> Value | None:
    if isinstance(cell, float):
        return Decimal(repr(cell))
    return cell if isinstance(cell, (bool, int, Decimal, str, date)) else None


def _in_band(item: Dimension, cell: Scalar) -> tuple[Condition, ...] | None:
    edges = item.edges
    for whole in (True, False):
        names = band_names(edges, whole=whole)
        if cell in names:
            place = names.index(str(cell))
            low = edges[place - 1] if place else None
            high = edges[place] if place < len(edges) else None
            return _between(item.field, low, high)
    return None


def _in_step(ref: FieldRef, cell: Scalar, vocabulary: Vocabulary) -> tuple[Condition, ...] | None:
    fiscal_start = vocabulary.model.fiscal_year_start_month
    day = _first_day(ref, cell, fiscal_start)
    if day is None:
        return None
    start, end = around(_UNITS[str(ref.grain)], day, 0, fiscal_start)
    return _between(_plain(ref), start, end)


def _first_day(ref: FieldRef, cell: Scalar, fiscal_start: int) -> date | None:
    """Return a day of the step that a cell names: fiscal years and quarters are named by the year in which they end."""
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    text = str(cell)
    try:
        if ref.grain == "year":
            return date(int(text), 1, 1)
        if ref.grain in ("fiscal_year", "fiscal_quarter"):
            year = int(text.replace("FY", "").strip()[:_FISCAL_TEXT_CHARS])
            start = date(year - (fiscal_start > 1), fiscal_start, 1)
            quarter = int(text.rpartition("Q")[2]) if "Q" in text else 1
            return around("fiscal quarter", start, quarter - 1, fiscal_start)[0]
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _plain(ref: FieldRef) -> FieldRef:
    return ref.model_copy(update={"grain": None})


def _between(ref: FieldRef, low: Value | None, high: Value | None) -> tuple[Condition, ...]:
    from_low = (Condition(field=ref, operator=">=", values=(low,)),) if low is not None else ()
    below_high = (Condition(field=ref, operator="<", values=(high,)),) if high is not None else ()
    return from_low + below_high


def _rows(intent: Intent, group: list[Filter], said: str, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the rows of the one table that the first figure is made of, as of its own date."""
    base, model = base_of(intent, vocabulary.model), vocabulary.model
    if base is None or model.dataset(base).snapshot_time is not None:
        return
    period = intent.period
    if period is not None and period.field is None:
        period = period.model_copy(update={"field": date_of(intent, model)})
    own = intent.measures[0].filters if len(intent.measures) == 1 else ()
    filters = tuple(dict.fromkeys((*intent.filters, *own, *group)))
    listed = Intent(
        subject=base, columns=_columns(base, intent.measures[0], vocabulary), filters=filters, period=period
    )
    rows = plural(model.dataset(base).label)
    yield edit("Its rows", f"{rows[:1].upper()}{rows[1:]} where {said}", listed, vocabulary)


def _columns(base: str, measure: Measure, vocabulary: Vocabulary) -> tuple[FieldRef, ...]:
    """Return what shows a row of a table to a person, its date and its figure; nothing sensitive."""
    dataset = vocabulary.model.dataset(base)
    figure = measure.field.field if measure.field is not None and measure.field.dataset == base else None
    names = dict.fromkeys(name for name in (*dataset.display, dataset.default_time, figure) if name)
    shown = (name for name in names if dataset.has(name) and not dataset.field(name).sensitive)
    return tuple(FieldRef(dataset=base, field=name) for name in shown)


def _breakdowns(intent: Intent, group: list[Filter], said: str, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the figures of one group by other groupings: no ranking, and no share of what is the whole here."""
    inside = narrowed_by(intent, tuple(group))
    for grouping in islice(suggested_groupings(inside, vocabulary), 2 * MOST_BREAKDOWNS):
        name = said_grouping(grouping, vocabulary)
        parts = {"limit": None, "skip": 0, "limit_within": (), "with_ties": False, "having": (), "order": ()}
        figures = tuple(item.model_copy(update={"transform": None, "window": None}) for item in intent.measures)
        within = changed(inside, dimensions=grouping, measures=figures, fill_gaps=False, **parts)
        yield edit(f"By {name}", f"Where {said}, by {name}", within, vocabulary)
