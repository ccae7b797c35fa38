"""Filters of an earlier question changed by those of a later one, field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Filter, Membership, Value

How: TypeAlias = Literal["replace", "add", "again", "remove"]
_LOWER, _UPPER = {">", ">="}, {"<", "<="}
_NEGATIVE = {"!=", "not in"}
_LISTS = {"=", "in"}


def place_of(item: Filter) -> tuple[str, str] | None:
    """The field a filter is about; None where it is about several or none."""
    if isinstance(item, Condition):
        return item.field.dataset, item.field.field
    if isinstance(item, AnyOf):
        places = {place_of(part) for part in item.filters}
        return places.pop() if len(places) == 1 else None
    return None


def with_filter(
    earlier: tuple[Filter, ...], new: Filter, how: How, beside: tuple[Filter, ...] = ()
) -> tuple[Filter, ...]:
    """Put a filter among others: in the place of one about the same field, else beside them.

    "remove" takes a value off that was asked for, where any other denial turns the condition round; "add" and "again"
    bring back one that was left out.

    What was said in the same breath (`beside`) stays: "both a gold loan and a personal loan". A bound on the other
    side of a range, and an exclusion beside what it narrows, stand together.
    """
    if isinstance(new, Membership) and any(isinstance(item, Membership) and item in beside for item in earlier):
        return (*earlier, new)
    changed, done = _placed(earlier, new, how)
    return changed if done else (*earlier, new)


def without_fields(earlier: tuple[Filter, ...], gone: Callable[[FieldRef], bool]) -> tuple[Filter, ...]:
    """Leave out the conditions on some fields, wherever they stand; what is left empty goes too."""
    kept: list[Filter] = []
    for item in earlier:
        if isinstance(item, Condition):
            if not gone(item.field):
                kept.append(item)
        elif isinstance(item, Membership):
            inner = without_fields(item.filters, gone)
            if inner or not item.filters:
                kept.append(item.model_copy(update={"filters": inner}))
        else:
            inner = without_fields(item.filters, gone)
            if len(inner) == len(item.filters):
                kept.append(item)
    return tuple(kept)


def fields_of(filters: Iterable[Filter]) -> tuple[FieldRef, ...]:
    """Every field that is compared, inside memberships too."""
    found: list[FieldRef] = []
    for item in filters:
        if isinstance(item, Condition):
            found.append(item.field)
        else:
            found.extend(fields_of(item.filters))
    return tuple(found)


def _placed(earlier: tuple[Filter, ...], new: Filter, how: How) -> tuple[tuple[Filter, ...], bool]:
    place = place_of(new)
    if isinstance(new, Membership):
        same = [item for item in earlier if isinstance(item, Membership) and item.dataset == new.dataset]
        if not same or how == "add":
            return earlier, False
        return tuple(new if item is same[-1] else item for item in earlier), True
    for index, item in enumerate(earlier):
        if isinstance(item, Membership):
            inner, done = _placed(item.filters, new, how)
            if done:
                changed = (item.model_copy(update={"filters": inner}),) if inner or not item.filters else ()
                return (*earlier[:index], *changed, *earlier[index + 1 :]), True
        elif place is not None and place_of(item) == place:
            joined = _joined(item, new, how)
            if joined is not None:
                return (*earlier[:index], *joined, *earlier[index + 1 :]), True
    return earlier, False


def _joined(old: Filter, new: Filter, how: How) -> tuple[Filter, ...] | None:
    """What becomes of two filters on one field; None when both stay."""
    if not isinstance(old, Condition) or not isinstance(new, Condition):
        return (new,)
    new = new.model_copy(update={"field": old.field})
    if new.operator in _NEGATIVE:
        return _excluded(old, new, how)
    if {old.operator, new.operator} & _LOWER and {old.operator, new.operator} & _UPPER:
        return None
    if how in {"add", "again"} and old.operator in _NEGATIVE and new.operator in _LISTS:
        out = tuple(value for value in old.values if value not in new.values)
        return (old.model_copy(update={"operator": "not in" if len(out) > 1 else "!=", "values": out}),) if out else ()
    if how == "add" and old.operator in _LISTS and new.operator in _LISTS:
        values = tuple(dict.fromkeys((*old.values, *new.values)))
        return (old.model_copy(update={"operator": "in" if len(values) > 1 else "=", "values": values}),)
    return (new,)


def _excluded(old: Condition, new: Condition, how: How) -> tuple[Filter, ...]:
    if old.operator in _LISTS:
        left: tuple[Value, ...] = tuple(value for value in old.values if value not in new.values)
        if not left:
            return () if how == "remove" else (new,)
        return (old.model_copy(update={"operator": "in" if len(left) > 1 else "=", "values": left}),)
    if old.operator in _NEGATIVE:
        values = tuple(dict.fromkeys((*old.values, *new.values)))
        return (old.model_copy(update={"operator": "not in" if len(values) > 1 else "!=", "values": values}),)
    return (old, new)
