"""Filters taken off, turned round, or on another value."""

from __future__ import annotations

from collections.abc import Iterator

from ai_engine.semantics.edits.edit import Chip, Edit, changed, chip_of, edit
from ai_engine.semantics.edits.numbers import in_filter, in_having
from ai_engine.semantics.edits.ways import other_ways
from ai_engine.semantics.intent import AnyOf, Condition, Filter, Having, Intent, Membership, Value
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import Words

MOST_VALUES = 12
_OPPOSITE = {
    "=": "!=", "!=": "=", "in": "not in", "not in": "in", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "is null": "is not null", "is not null": "is null", "contains": "not contains", "not contains": "contains",
    "starts with": "not starts with", "not starts with": "starts with", "ends with": "not ends with",
    "not ends with": "ends with",
}  # fmt: skip


def filter_chips(intent: Intent, vocabulary: Vocabulary) -> Iterator[Chip]:
    """Yield one chip per filter and per demand on groups."""
    words = Words(vocabulary.model, spoken=True)
    for place, item in enumerate(intent.filters):
        yield _filter_chip(item, place, intent, words, vocabulary)
    for place, having in enumerate(intent.having if not intent.over_groups else ()):
        yield _having_chip(having, place, intent, words, vocabulary)


def _filter_chip(item: Filter, place: int, intent: Intent, words: Words, vocabulary: Vocabulary) -> Chip:
    def put(other: Filter) -> Edit:
        return _edit(words.filter(other), _with_filter(intent, place, other), vocabulary)

    said = words.filter(item)
    removal = edit("Leave out", f"Without “{said}”", _with_filter(intent, place, None), vocabulary)
    found = in_filter(item, put, intent, vocabulary)
    return chip_of(said, removal, lambda: map(put, _others(item, intent, vocabulary)), intent, vocabulary, found)


def _having_chip(having: Having, place: int, intent: Intent, words: Words, vocabulary: Vocabulary) -> Chip:
    before, after = intent.having[:place], intent.having[place + 1 :]

    def put(other: Having) -> Edit:
        return _edit(words.whose(other), changed(intent, having=(*before, other, *after)), vocabulary)

    said = words.whose(having)
    removal = edit("Leave out", f"Without “{said}”", changed(intent, having=(*before, *after)), vocabulary)
    turned = having.model_copy(update={"operator": _OPPOSITE[having.operator]})
    found = in_having(having, put, intent, vocabulary)
    return chip_of(said, removal, lambda: [put(turned)], intent, vocabulary, found)


def narrowed_by(intent: Intent, added: tuple[Filter, ...]) -> Intent:
    """Return the intent with further filters, none of them twice."""
    return changed(intent, filters=tuple(dict.fromkeys((*intent.filters, *added))))


def _edit(said: str, intent: Intent, vocabulary: Vocabulary) -> Edit:
    said = said[:1].upper() + said[1:]
    return edit(said, said, intent, vocabulary)


def _with_filter(intent: Intent, place: int, other: Filter | None) -> Intent:
    put = () if other is None else (other,)
    return changed(intent, filters=(*intent.filters[:place], *put, *intent.filters[place + 1 :]))


def _others(item: Filter, intent: Intent, vocabulary: Vocabulary) -> Iterator[Filter]:
    if isinstance(item, AnyOf):
        yield from item.filters
        return
    if isinstance(item, Membership):
        if item.at_least is None and item.at_most is None:
            yield item.model_copy(update={"negated": not item.negated})
        return
    yield from _fewer_values(item)
    if item.operator in _OPPOSITE:
        yield item.model_copy(update={"operator": _OPPOSITE[item.operator]})
    if item.other is None and item.versus is None:
        for way in other_ways(item.field, intent, vocabulary.model):
            yield item.model_copy(update={"field": way})
    if item.operator in ("=", "in", "!=", "not in") and item.field.grain is None and item.field.since is None:
        for value in _values(item, vocabulary):
            yield Condition(field=item.field, operator="=", values=(value,))


def _fewer_values(item: Condition) -> Iterator[Filter]:
    """Yield each of several values alone."""
    if item.operator in ("in", "not in") and len(item.values) > 1:
        for value in item.values:
            yield Condition(field=item.field, operator="=" if item.operator == "in" else "!=", values=(value,))


def _values(item: Condition, vocabulary: Vocabulary) -> tuple[Value, ...]:
    """Return the other values of a field that are known, the most frequent first."""
    field = vocabulary.model.dataset(item.field.dataset).field(item.field.field)
    known = vocabulary.values.values_of(item.field.dataset, item.field.field)
    if field.sensitive or known is None or field.type == "boolean":
        return ()
    others = (value for value in known.values if isinstance(value, (str, int)) and value not in item.values)
    return tuple(others)[:MOST_VALUES]
