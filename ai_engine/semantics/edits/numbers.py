"""The numbers in a question, and the same question with others in their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from ai_engine.semantics.edits.edit import Edit, Numbers, offered
from ai_engine.semantics.intent import Condition, Filter, Having, Intent, Membership, Value
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.vocabulary import Vocabulary

_BOUNDS = ("<", "<=", ">", ">=", "between")
_LARGEST = 2**53
"""Above it a browser cannot tell two numbers apart."""


def in_filter(item: Filter, put: Callable[[Filter], Edit], before: Intent, vocabulary: Vocabulary) -> Numbers | None:
    """Return the numbers of a filter, None where it has none; `put` makes an edit of another filter."""
    if isinstance(item, Membership):
        bounds = [name for name in ("at_least", "at_most") if getattr(item, name) is not None]
        now = tuple(getattr(item, name) for name in bounds)
        return numbers(
            now, lambda given: put(item.model_copy(update=dict(zip(bounds, map(int, given), strict=True)))), before,
            vocabulary, whole=True, least=0,
        )  # fmt: skip
    if not isinstance(item, Condition) or not _is_measured(item, vocabulary.model):
        return None
    field = vocabulary.model.dataset(item.field.dataset).field(item.field.field)
    return numbers(
        item.values, lambda given: put(item.model_copy(update={"values": tuple(sorted(given))})), before, vocabulary,
        whole=field.type == "integer" or item.field.grain is not None,
    )  # fmt: skip


def in_having(item: Having, put: Callable[[Having], Edit], before: Intent, vocabulary: Vocabulary) -> Numbers | None:
    """Return the number that groups are held against, None where that is another figure."""
    now = (item.value,) if item.value is not None else ()
    return numbers(now, lambda given: put(item.model_copy(update={"value": given[0]})), before, vocabulary)


def numbers(
    now: tuple[Value, ...], put: Callable[[tuple[Decimal, ...]], Edit], before: Intent, vocabulary: Vocabulary,
    *, whole: bool = False, least: int | None = None,
) -> Numbers | None:  # fmt: skip
    """Return numbers that others may take the place of, None where something else stands there, or nothing."""
    known = tuple(Decimal(value) for value in now if isinstance(value, (int, Decimal)) and not isinstance(value, bool))
    if not known or len(known) < len(now) or any(abs(number) >= _LARGEST for number in known):
        return None

    def edit_to(given: Sequence[float]) -> Edit | None:
        return next(offered([put(tuple(map(_exact, given)))], before, vocabulary), None)

    return Numbers(known, edit_to, whole and all(number == int(number) for number in known), least)


def _exact(number: float) -> Decimal:
    return Decimal(int(number)) if number == int(number) else Decimal(repr(number))


def _is_measured(item: Condition, model: SemanticModel) -> bool:
    """Whether a field's numbers are more or less, and not codes."""
    if item.field.grain not in (None, "age_years"):
        return False
    role = model.dataset(item.field.dataset).field(item.field.field).role
    return item.operator in _BOUNDS or (item.operator in ("=", "!=") and role == "measure")
