"""Statuses and flags under short names, told by what is stored: `mbr_st_cd` with A and C is the status of a member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.semantics.infer.code_lists import abbreviates
from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.names import split_identifier
from ai_engine.semantics.schema_words import WORDS
from ai_engine.types import Scalar

_STATED = ("st", "state")
_WITH_ITS_SUBJECT = 2
_MARKS = {"y", "n"}
_MARKED = ("fl", "f")
_CODED: tuple[tuple[str, ...], ...] = ((), ("code",))


def as_status(item: NamedColumn, samples: Sequence[Scalar], noun: str) -> NamedColumn:
    """Return a column called a status where its `st` holds codes of one letter, which no state of a country has.

    So is the `ust_cd` of a unit, whose `noun` begins like it; a last `fl` with Y and N is a flag.
    """
    codes = {str(value).strip() for value in samples if value is not None}
    spelled = split_identifier(item.column.name)
    if " ".join(item.words) != item.label or not codes or not all(len(code) == 1 and code.isalpha() for code in codes):
        return item
    said = item.words
    if "st" in spelled:
        said = tuple("status" if word in _STATED else word for word in said)
    elif said[0] == spelled[0] not in WORDS and abbreviates(spelled[0].removesuffix("st"), noun) and said[1:] in _CODED:
        said = (*noun.split(), "status", *said[1:]) if spelled[0].endswith("st") else said
    elif len(said) > 1 and said[-1] in _MARKED and {code.lower() for code in codes} <= _MARKS:
        said = (*said[:-1], "flag")
    return replace(item, label=" ".join(said), words=said)


def status_names(item: NamedColumn, label: str) -> tuple[str, ...]:
    """Return other names of a status: "account state" of an `st`, and "kyc" of a kyc status, which is pending itself.

    `label` is the noun for a row of its table, whose status is no name for it.
    """
    said = item.words[:-1] if item.words[-1:] == ("code",) else item.words
    if len(said) < _WITH_ITS_SUBJECT or said[-1] != "status":
        return ()
    found = []
    if "st" in split_identifier(item.column.name):
        found += [" ".join((*said[:-1], "state", *item.words[len(said) :])), " ".join((*said[:-1], "state"))]
    if len(said) == _WITH_ITS_SUBJECT and said[0] not in WORDS and said[0] not in label.split():
        found.append(said[0])
    return tuple(dict.fromkeys(found))
