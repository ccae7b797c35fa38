"""What a change is, and that it is offered only where its result can be compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Intent, Measure
from ai_engine.semantics.settled_periods import known_until
from ai_engine.semantics.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Edit:
    """One change that is offered.

    Attributes:
        label: what is chosen, in a menu: "Pune".
        said: the change standing alone, where no chip stands before it: "Top 5", "Also by city".
        intent: the whole question after it.
        notes: what is assumed with it, one sentence each.
    """

    label: str
    said: str
    intent: Intent
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers in a part of a question, in the place of which others may be given.

    Attributes:
        now: those of now, one or the two ends of a range.
        put: the question with others, as many as `now`; None where it would be the same, or cannot be asked.
        whole: only whole numbers make sense.
        least: none is below it.
    """

    now: tuple[Decimal, ...]
    put: Callable[[Sequence[float]], Edit | None]
    whole: bool = False
    least: int | None = None


@dataclass(frozen=True)
class Chip:
    """One part of a question, in plain words, with all that may become of it.

    Attributes:
        label: the part in words.
        removal: the question without it, None where it cannot go.
        find: finds what may stand in its place, each of which takes about a millisecond to compile.
        takes_days: own days may be chosen for it, by `on_days` in `periods.py`.
        numbers: numbers in it that may be changed.
        adds: it stands for what is not there yet, and only offers choices.
    """

    label: str
    removal: Edit | None
    find: Callable[[], Iterator[Edit]]
    takes_days: bool = False
    numbers: Numbers | None = None
    adds: bool = False

    @cached_property
    def choices(self) -> tuple[Edit, ...]:
        """All that may stand in its place, found when it is first asked for."""
        return tuple(self.find())

    @cached_property
    def opens(self) -> bool:
        """Whether anything may stand in its place; no more is found than the first."""
        return self.takes_days or self.numbers is not None or next(self.find(), None) is not None


def changed(intent: Intent, **parts: Any) -> Intent:
    """Return the intent with other parts, and without what hangs on parts that are no longer there."""
    return _tidied(intent.model_copy(update=parts))


def offered(edits: Iterable[Edit], before: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the edits that change something and can be compiled, each result once; one is compiled when it is due."""
    seen = {before}
    for edit in edits:
        if edit.intent not in seen and compiles(edit.intent, vocabulary):
            seen.add(edit.intent)
            yield edit


def chip_of(
    label: str, without: Edit, others: Callable[[], Iterable[Edit]], before: Intent, vocabulary: Vocabulary,
    numbers: Numbers | None = None,
) -> Chip:  # fmt: skip
    """Return the chip of a part of the question `before`."""
    removal = next(offered([without], before, vocabulary), None)
    return Chip(label, removal, lambda: offered(others(), before, vocabulary), numbers=numbers)


def compiles(intent: Intent, vocabulary: Vocabulary) -> bool:
    """Tell whether the vocabulary and the compiler can say an intent."""
    try:
        compile_intent(intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    except (IntentNotCovered, KeyError):  # a kept question may name what the vocabulary no longer has
        return False
    return True


def edit(label: str, said: str, intent: Intent, vocabulary: Vocabulary, notes: tuple[str, ...] = ()) -> Edit:
    """Return an edit whose period knows how far the data goes."""
    return Edit(label, said, known_until(intent, vocabulary), notes)


_ALONG_TIME = ("running_total", "rolling_average", "rolling_sum")
_CHANGES = ("change", "change_percent")


def _tidied(intent: Intent) -> Intent:
    shown = {item.field for item in intent.dimensions} | set(intent.columns)
    grouped = bool(intent.measures)
    by_time = any(item.field.grain is not None for item in intent.dimensions)
    parts: dict[str, Any] = {
        "measures": tuple(_without_lost_steps(item, intent, by_time=by_time) for item in intent.measures),
        "limit_within": tuple(ref for ref in intent.limit_within if ref in shown),
    }
    if grouped:
        parts["order"] = tuple(item for item in intent.order if item.field is None or item.field in shown)
    if grouped and not intent.dimensions and not intent.over_groups:
        parts |= {"order": (), "having": (), "limit": None, "skip": 0, "with_ties": False, "fill_gaps": False}
    if intent.fill_gaps and not by_time:
        parts["fill_gaps"] = False
    tidied = intent.model_copy(update=parts)
    measures = tidied.measures
    order = tuple(_with_measure(item, intent.measures, measures) for item in tidied.order)
    return tidied.model_copy(update={"order": order})


def _without_lost_steps(measure: Measure, intent: Intent, *, by_time: bool) -> Measure:
    """Take off a figure what is only said of rows along time, or of groups, where there are none."""
    lost = (
        (measure.transform in _ALONG_TIME and not by_time)
        or (measure.transform in _CHANGES and not by_time and intent.compare is None)
        or (measure.transform in ("share_of_total", "rank") and not intent.dimensions)
    )
    return measure.model_copy(update={"transform": None, "window": None}) if lost else measure


def _with_measure(item: Any, before: tuple[Measure, ...], after: tuple[Measure, ...]) -> Any:
    if item.measure is None or item.measure not in before:
        return item
    return item.model_copy(update={"measure": after[before.index(item.measure)]})
