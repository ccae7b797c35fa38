"""Other words for stored values: from descriptions, lists of codes and conventions, with abbreviations written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ai_engine.semantics.clauses import code_meanings
from ai_engine.semantics.infer.code_lists import CodeList, CodeLists, kind_of
from ai_engine.semantics.infer.codes import convention, written_out
from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.infer.places import place_words
from ai_engine.semantics.model import FieldRole
from ai_engine.semantics.schema_words import word_set
from ai_engine.types import Scalar

_LONGEST_CODE = 3
_YES = word_set("y yes true t 1")
_FLAG_ENDINGS = word_set("flag indicator ind yn")
_FLAG_OPENERS = word_set("is flag")
_SAYING_ROLES: frozenset[FieldRole] = frozenset({"category", "flag", "text"})


def list_of_codes(
    item: NamedColumn, samples: Sequence[Scalar], role: FieldRole, label: str, lists: CodeLists
) -> CodeList | None:
    """Return the list that says what a column's codes mean, None where there is none or its description says it.

    Arguments as in `value_synonyms`; `lists` are those of the database.
    """
    stored = _stored(samples)
    if role not in _SAYING_ROLES or _described(item, stored):
        return None
    kind = kind_of(item.words, label.split(), frozenset(stored), lists, item.column.name)
    return lists[kind] if kind is not None else None


def value_synonyms(
    item: NamedColumn, samples: Sequence[Scalar], role: FieldRole, label: str, listed: CodeList | None
) -> Mapping[str, tuple[str, ...]]:
    """Return the everyday words of stored values; no convention contradicts a description or a list of codes.

    Args:
        item: the column and its words.
        samples: some of its distinct values.
        role: what the column is for.
        label: the noun for one row of its table.
        listed: the list that says what they mean; see `list_of_codes`.
    """
    stored = _stored(samples)
    described = _described(item, stored)
    usual = _usual_words(item.words, label.split(), stored) if role in _SAYING_ROLES else {}
    if listed is not None:
        described = [(code, listed.meanings[code]) for code in sorted(stored)]
    if any(meaning.lower() not in usual.get(code.lower(), ()) for code, meaning in described):
        usual = {}
    if role == "flag":
        said = _property(item.words)
        usual |= {code: (*usual.get(code, ()), said) for code in _YES & set(stored) if said}
    for code, _ in described:
        stored.setdefault(code.lower(), code)
    words = {code: list(said) for code, said in usual.items()}
    for code, meaning in described:
        words.setdefault(code.lower(), []).append(meaning)
    return {
        stored[code]: tuple(word for word in dict.fromkeys(said) if word != code)
        for code, said in words.items()
        if set(said) - {code}
    }


def _stored(samples: Sequence[Scalar]) -> dict[str, str]:
    return {str(value).strip().lower(): str(value) for value in samples if value is not None}


def _described(item: NamedColumn, stored: Mapping[str, str]) -> list[tuple[str, str]]:
    return [
        (code, meaning)
        for code, meaning in item.told.codes.items() or code_meanings(item.description)
        if code.lower() in stored or (not stored and (item.told.codes or _looks_like_code(code)))
    ]


def _usual_words(column: Sequence[str], table: Sequence[str], stored: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    codes = frozenset(stored)
    spelled = {code: (text,) for code, value in stored.items() if (text := written_out(value))}
    return spelled | dict(place_words(column, codes)) | dict(convention(column, table, codes))


def _property(words: Sequence[str]) -> str:
    """Return what a marked flag says of a row: "kyc" of `kyc_flg`, "high risk" of `is_high_risk`; "" without a mark."""
    kept = list(words)
    while len(kept) > 1 and kept[-1] in _FLAG_ENDINGS:
        kept.pop()
    while len(kept) > 1 and kept[0] in _FLAG_OPENERS:
        kept.pop(0)
    return " ".join(kept) if len(kept) < len(words) else ""


def _looks_like_code(text: str) -> bool:
    return len(text) <= _LONGEST_CODE or (text.isupper() and " " not in text)
