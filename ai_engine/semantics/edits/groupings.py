"""Groupings taken off, exchanged, seen at another grain or added."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from ai_engine.semantics.edits.edit import Chip, Edit, changed, chip_of, edit, offered
from ai_engine.semantics.edits.suggested import suggested_groupings
from ai_engine.semantics.edits.ways import other_ways
from ai_engine.semantics.intent import Dimension, FieldRef, Grain, Intent
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import GRAIN_WORDS, Words

MOST_GROUPINGS = 6
_MOST_AT_ONCE = 2
_GRAINS: tuple[Grain, ...] = ("day", "week", "month", "quarter", "year", "fiscal_quarter", "fiscal_year")
_JANUARY = 1
Grouping = tuple[Dimension, ...]


def grouping_chips(intent: Intent, vocabulary: Vocabulary) -> Iterator[Chip]:
    """Yield one chip per grouping, and one to add another."""
    if not intent.measures or intent.over_groups:
        return
    groupings = groupings_of(intent, vocabulary)
    for grouping in groupings:
        said = _said(grouping, vocabulary)
        without = _exchanged(intent, grouping, ())
        removal = edit("Leave out", f"Without “{said}”", without, vocabulary)
        yield chip_of(said, removal, partial(_instead, grouping, intent, vocabulary), intent, vocabulary)
    if len(groupings) < _MOST_AT_ONCE:
        further = Chip("Group by", None, lambda: offered(breakdowns(intent, vocabulary), intent, vocabulary), adds=True)
        if further.opens:
            yield further


def groupings_of(intent: Intent, vocabulary: Vocabulary) -> list[Grouping]:
    """Return what an intent is grouped by; the key and the names of one thing are one grouping."""
    model = vocabulary.model
    keyed = {
        (item.field.dataset, item.field.via)
        for item in intent.dimensions
        if (item.field.field,) == model.dataset(item.field.dataset).primary_key and not item.field.grain
    }
    found: dict[object, list[Dimension]] = {}
    for item in intent.dimensions:
        field = model.dataset(item.field.dataset).field(item.field.field)
        of_thing = (item.field.dataset, item.field.via) in keyed and field.role in ("identifier", "name")
        found.setdefault((item.field.dataset, item.field.via) if of_thing else item, []).append(item)
    return [tuple(items) for items in found.values()]


def breakdowns(intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    """Yield the intent with one grouping more, the best first; what ranks the groups of now goes."""
    for grouping in islice(suggested_groupings(intent, vocabulary), 2 * MOST_GROUPINGS):
        said = f"Also {_said(grouping, vocabulary)}" if intent.dimensions else _said(grouping, vocabulary)
        label = _said(grouping, vocabulary).removeprefix("by ")
        parts = {"limit": None, "skip": 0, "limit_within": (), "with_ties": False, "having": (), "order": ()}
        wider = changed(intent, dimensions=(*intent.dimensions, *grouping), **parts)
        yield edit(_capital(label), _capital(said), wider, vocabulary)


def said_grouping(grouping: Grouping, vocabulary: Vocabulary) -> str:
    """Say a grouping: "branch", "month of opening date"."""
    return Words(vocabulary.model, spoken=True).dimensions(grouping)


def _said(grouping: Grouping, vocabulary: Vocabulary) -> str:
    return f"by {said_grouping(grouping, vocabulary)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _edit(other: Grouping, intent: Intent, vocabulary: Vocabulary) -> Edit:
    grain = other[0].field.grain
    said = _capital(_said(other, vocabulary))
    return edit(f"By {GRAIN_WORDS[grain]}" if grain else said, said, intent, vocabulary)


def _instead(grouping: Grouping, intent: Intent, vocabulary: Vocabulary) -> Iterator[Edit]:
    for other in _others(grouping, intent, vocabulary):
        yield _edit(other, _exchanged(intent, grouping, other), vocabulary)


def _others(grouping: Grouping, intent: Intent, vocabulary: Vocabulary) -> Iterator[Grouping]:
    first = grouping[0]
    if (
        first.field.grain in _GRAINS
        and not vocabulary.model.dataset(first.field.dataset).field(first.field.field).is_year
    ):
        fiscal = vocabulary.model.fiscal_year_start_month != _JANUARY
        for grain in _GRAINS if fiscal else _GRAINS[:5]:
            yield (first.model_copy(update={"field": first.field.model_copy(update={"grain": grain})}),)
    for way in other_ways(first.field, intent, vocabulary.model):
        yield tuple(_by_way(item, way) for item in grouping)
    yield from islice(suggested_groupings(intent, vocabulary), MOST_GROUPINGS)


def _by_way(item: Dimension, way: FieldRef) -> Dimension:
    return item.model_copy(update={"field": item.field.model_copy(update={"via": way.via})})


def _exchanged(intent: Intent, old: Grouping, new: Grouping) -> Intent:
    """Put a grouping in the place of another; an order by the old one becomes one by the new one."""
    place = intent.dimensions.index(old[0])
    kept = [item for item in intent.dimensions if item not in old]
    before = len([item for item in intent.dimensions[:place] if item not in old])
    renamed = {item.field: other.field for item, other in zip(old, new, strict=False)}
    order = tuple(
        item.model_copy(update={"field": renamed[item.field]}) if item.field in renamed else item
        for item in intent.order
        if item.field is None or item.field in renamed or item.field not in {one.field for one in old}
    )
    within = tuple(renamed.get(ref, ref) for ref in intent.limit_within)
    dimensions = (*kept[:before], *new, *kept[before:])
    return changed(intent, dimensions=dimensions, order=order, limit_within=within)
