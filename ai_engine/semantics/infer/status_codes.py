"""Statuses in columns that look like states of a country: `mbr_st_cd` with A and C is the status of a member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.names import split_identifier
from ai_engine.types import Scalar

_STATED = ("st", "state")


def as_status(item: NamedColumn, samples: Sequence[Scalar]) -> NamedColumn:
    """Return a column called a status where its `st` holds codes of one letter, which no state of a country has."""
    codes = {str(value).strip() for value in samples if value is not None}
    spelled = split_identifier(item.column.name)
    if "st" not in spelled or not codes or not all(len(code) == 1 and code.isalpha() for code in codes):
        return item
    said = tuple("status" if word in _STATED else word for word in item.words)
    return replace(item, label=" ".join(said), words=said) if " ".join(item.words) == item.label else item


def called_state(item: NamedColumn) -> tuple[str, ...]:
    """Return what a status written `st` is also called: "account state" beside "account status"."""
    if "st" not in split_identifier(item.column.name) or "status" not in item.words or len(item.words) == 1:
        return ()
    said = " ".join("state" if word == "status" else word for word in item.words)
    bare = said.removesuffix(" code")
    return tuple(dict.fromkeys((said, bare))) if len(bare.split()) > 1 else ()
