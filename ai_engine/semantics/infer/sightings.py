"""What the values of one column tell of people, so that the values themselves need not be kept to know it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ai_engine.semantics.infer.inner_names import are_truths, inner_values, listed_values
from ai_engine.semantics.infer.personal import has_personal_form
from ai_engine.semantics.infer.roles import is_card_number
from ai_engine.types import ColumnType, Scalar

_OF_MOMENTS_AND_TRUTHS = frozenset({"boolean", "date", "timestamp", "time"})


@dataclass(frozen=True, slots=True)
class Sighting:
    """What was seen in a column.

    Attributes:
        has_form: its values look like what reaches or identifies a person.
        keys: the names that they bring along, in JSON, in maps and in structs.
        has_inner_form: so does what stands beside such a name, or in a list.
        lacks_cards: it has values, of which none is as long as the number of a payment card.
        is_whole: nothing of it is left that was not looked at.
    """

    has_form: bool = False
    keys: frozenset[str] = frozenset()
    has_inner_form: bool = False
    lacks_cards: bool = False
    is_whole: bool = True

    def __or__(self, other: Sighting) -> Sighting:
        """What was seen in two columns that nothing tells apart."""
        return Sighting(
            self.has_form or other.has_form,
            self.keys | other.keys,
            self.has_inner_form or other.has_inner_form,
            self.lacks_cards and other.lacks_cards,
            self.is_whole and other.is_whole,
        )


NOTHING_SEEN = Sighting()
UNSEEN = Sighting(is_whole=False)


def look_into(
    kind: ColumnType,
    native_type: str,
    values: Sequence[Scalar],
    *,
    parts: Iterable[str] = (),
    is_whole: bool = True,
) -> Sighting:
    """Look at the distinct values of a column.

    Args:
        kind: its type; a text where a day, a time or a truth value should be is looked at as one.
        native_type: as the database spells it.
        values: NULL is passed over.
        parts: what long ones go on with.
        is_whole: neither a row nor a part of one is missing.
    """
    present = [value for value in values if value is not None]
    if not present:
        return Sighting(is_whole=is_whole)
    lacks_cards = not any(is_card_number(str(value)) for value in present)
    if kind in _OF_MOMENTS_AND_TRUTHS:
        present, kind = [value for value in present if isinstance(value, str)], "text"
    inner: list[Sequence[Scalar]] = []
    found = inner_values(kind, present, parts)
    inner += [*found.values(), list(found)]  # {"asha@bank.in": 3} has persons for keys
    if native_type.endswith("]"):
        kind, present = "text", [one for value in present for one in listed_values(value)]
    elif present and all(str(value).startswith("[") for value in present):
        inner.append([one for value in present for one in listed_values(value)])
    return Sighting(
        has_form=has_personal_form(kind, present),
        keys=frozenset(key for key, own in found.items() if not are_truths(own)),
        has_inner_form=any(has_personal_form("other", own) for own in inner),
        lacks_cards=lacks_cards,
        is_whole=is_whole,
    )
