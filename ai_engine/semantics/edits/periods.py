"""Another period, own days, another year to count in, and the comparison with an earlier period."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from ai_engine.semantics.calendar_days import Unit, around
from ai_engine.semantics.common_scope import CommonScope, narrowed
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.edits.edit import Chip, Edit, changed, chip_of, edit, offered
from ai_engine.semantics.edits.ways import base_of
from ai_engine.semantics.intent import FieldRef, Intent, Period
from ai_engine.semantics.period_words import covered_days, during, said_days
from ai_engine.semantics.restatement import COMPARE_WORDS
from ai_engine.semantics.rolled_periods import period_from
from ai_engine.semantics.scope_words import scope_of
from ai_engine.semantics.settled_periods import settled
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import Words

_USUAL = ("this month", "last month", "this quarter", "last quarter", "last 12 months")
_FISCAL = ("this fiscal year", "last fiscal year")
_SHORTER: tuple[Unit, ...] = ("year", "quarter", "month")
_JANUARY = 1


def period_chips(intent: Intent, vocabulary: Vocabulary) -> Iterator[Chip]:
    """Yield the chip of the period, or one to add a period where the figures are dated, and that of a comparison."""
    if intent.period is not None or takes_a_period(intent, vocabulary):
        always = edit("All time", "All time", dated(intent, None), vocabulary)
        chip = chip_of(_said(intent, vocabulary), always, lambda: _choices(intent, vocabulary), intent, vocabulary)
        adds = intent.period is None
        yield replace(chip, removal=None if adds else chip.removal, takes_days=True, adds=adds)
    if intent.compare is not None:
        alone = edit("Leave out", "Without the comparison", changed(intent, compare=None), vocabulary)
        said = COMPARE_WORDS[intent.compare]
        yield chip_of(said, alone, lambda: _compared(intent, vocabulary), intent, vocabulary)
    else:
        compared = Chip("Compare", None, lambda: offered(_compared(intent, vocabulary), intent, vocabulary), adds=True)
        if compared.opens:
            yield compared


def on_days(intent: Intent, first: date, last: date, vocabulary: Vocabulary) -> Edit | None:
    """Return the question about the days from `first` to `last`, both included; None where it cannot be asked so."""
    end = last + timedelta(days=1)
    said = said_days(first, end, vocabulary.model.fiscal_year_start_month)
    return next(offered([_on(intent, Period(start=first, end=end, label=said), vocabulary)], intent, vocabulary), None)


def compared_with_before(intent: Intent, vocabulary: Vocabulary) -> Edit | None:
    """Return the question with its figures of the period before beside it, None where that cannot be."""
    return next(offered(_compared(intent, vocabulary), intent, vocabulary), None) if not intent.compare else None


def last_months(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the question about the last month, and about the last twelve, where it takes a period and has none."""
    if intent.period is None and takes_a_period(intent, vocabulary):
        for words in ("last month", "last 12 months"):
            period = period_from(words, vocabulary)
            if period is not None:
                yield _on(intent, period, vocabulary)


def shorter_periods(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the question about the last whole year, quarter and month of its own period, or of all time."""
    now = intent.period
    tomorrow = vocabulary.as_of + timedelta(days=1)
    end = min(now.end, tomorrow) if now is not None and now.end is not None else tomorrow
    fiscal_start = vocabulary.model.fiscal_year_start_month
    for unit in _SHORTER:
        first, behind = around(unit, end - timedelta(days=1), 0, fiscal_start)
        if behind > end:
            first, behind = around(unit, first, -1, fiscal_start)
        if now is None or now.start is None or now.start < first or (now.start == first and behind < end):
            shorter = on_days(intent, first, behind - timedelta(days=1), vocabulary)
            if shorter is not None:
                yield shorter


def dated(intent: Intent, period: Period | None) -> Intent:
    """Return the intent about other days, by the date that it is about; without days, about all time."""
    if period is None:
        return changed(intent, period=None, compare=None)
    own = intent.period.field if intent.period is not None else None
    return changed(intent, period=period.model_copy(update={"field": own}))


def _said(intent: Intent, vocabulary: Vocabulary) -> str:
    if intent.period is None:
        return "All time"
    words = Words(vocabulary.model).period(intent.period)
    return words.removeprefix("for ")


def takes_a_period(intent: Intent, vocabulary: Vocabulary) -> bool:
    """Tell whether figures are still the same ones over a period: a balance as of now is not."""
    probe = period_from("last month", vocabulary)
    return not narrowed(intent, CommonScope(period=probe), vocabulary).left_out if intent.measures else False


def _on(intent: Intent, period: Period, vocabulary: Vocabulary) -> Edit:
    moved, notes = settled(dated(intent, period), vocabulary)
    assert moved.period is not None  # noqa: S101 - it was put there
    days = covered_days(moved.period, vocabulary.model.fiscal_year_start_month)
    label = period.label[:1].upper() + period.label[1:]
    label = label if label == days else f"{label} ({days})"
    own = during(days)
    return Edit(label, own[:1].upper() + own[1:], moved, notes)


def _choices(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    fiscal_start, today = vocabulary.model.fiscal_year_start_month, vocabulary.as_of
    for words in (*_USUAL, *(_FISCAL if fiscal_start != _JANUARY else ())):
        period = period_from(words, vocabulary)
        if period is not None:
            yield _on(intent, period, vocabulary)
    for shift in (0, -1):
        start, end = around("year", today, shift, fiscal_start)
        yield _on(intent, Period(start=start, end=end, label=str(start.year)), vocabulary)
    yield from _other_dates(intent, vocabulary)


def _other_dates(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the same days by another date of the rows: by closing date, and not by opening date."""
    base, own = base_of(intent, vocabulary.model), date_of(intent, vocabulary.model)
    if intent.period is None or base is None or own is None:
        return
    for item in vocabulary.model.dataset(base).fields:
        ref = FieldRef(dataset=base, field=item.name)
        if (
            item.role == "time"
            and not item.sensitive
            and not item.is_year
            and ref != own.model_copy(update={"via": ()})
        ):
            said = f"By {item.label}"
            yield edit(said, said, _by(intent, ref), vocabulary)


def _by(intent: Intent, ref: FieldRef) -> Intent:
    assert intent.period is not None  # noqa: S101 - asked for before
    return changed(intent, period=intent.period.model_copy(update={"field": ref}))


def _compared(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the comparisons that stand open, each with the days it is held against."""
    if intent.period is None or not intent.measures or intent.over_groups:
        return
    for compare, words in COMPARE_WORDS.items():
        if compare != intent.compare:
            beside = changed(intent, compare=compare)
            days = scope_of(beside, vocabulary.model).compared if _is_closed(intent.period) else ""
            said = words[:1].upper() + words[1:]
            said = f"{said} ({days})" if days else said
            yield edit(said, said, beside, vocabulary)


def _is_closed(period: Period) -> bool:
    return period.start is not None and period.end is not None
