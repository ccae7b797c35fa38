"""Which columns of which rows are shown."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.phrases import Ask
from ai_engine.built_in.grammar.reasons import Priced, Reason, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.semantics.intent import FieldRef
from ai_engine.semantics.words import words


def columns_shown(s: Schema, ask: Ask, cols: tuple[FieldRef, ...]) -> Priced | None:
    """A list that shows just these columns; each row has one value of every one."""
    rows = ask.rows
    if rows is None or not rows.named or not s.reaches(rows.dataset, cols):
        return None
    because = reasons_against(s, rows.dataset, cols)
    if all(s.field(ref).role == "measure" for ref in cols):
        because += ("only amounts are listed",)
    return Priced(replace(ask, columns=cols, listed=True), because)


def reasons_against(s: Schema, dataset: str, cols: tuple[FieldRef, ...]) -> tuple[Reason, ...]:
    """Why columns are rather not meant of these rows; an amount is rather theirs where they have one."""
    because: tuple[Reason, ...] = ()
    for ref in cols:
        if ref.dataset != dataset:
            because += times(_of_others(s, ref), 2 if s.field(ref).role == "measure" else 1)
        elif _is_key_of_others(s, ref):
            because += ("a key of others",)
    return because


def _of_others(s: Schema, ref: FieldRef) -> Reason:
    """A name, a date or a number is rather that of the rows themselves."""
    item = s.field(ref)
    said = item.role in {"time", "identifier"} or item.name not in s.knows.dataset(ref.dataset).display[:1]
    own = item.role in {"name", "time", "identifier"} and not ref.via and said
    return "a name of others" if own else "a column of others"


def _is_key_of_others(s: Schema, ref: FieldRef) -> bool:
    """A column that holds the key of other rows: "id" is rather that of the rows themselves."""
    key = s.knows.key(ref.dataset)
    if key is not None and key.field == ref.field:
        return False
    links = s.knows.model.relationships_of(ref.dataset)
    return any(link.from_dataset == ref.dataset and ref.field in link.from_columns for link in links)


def identifying(s: Schema, ref: FieldRef) -> bool:
    """Tell whether a column says which row it is: its name, its key, or another number of its own."""
    return s.field(ref).role == "name" or (s.field(ref).role == "identifier" and not _is_key_of_others(s, ref))


def is_rather_theirs(s: Schema, ref: FieldRef, cols: tuple[FieldRef, ...]) -> bool:
    """ "claim number and amount": the amount of a claim, where it has one, and not that of what was recovered."""
    if s.field(ref).role != "measure":
        return False
    said = set(words(s.field(ref).label))
    others = {other.dataset for other in cols if identifying(s, other)} - {ref.dataset}
    own = (item for name in others for item in s.knows.dataset(name).fields if item.role == "measure")
    return any(said < set(words(item.label)) for item in own)


def leading_dataset(s: Schema, cols: tuple[FieldRef, ...]) -> str | None:
    """The rows that have all of these columns."""
    return next((ref.dataset for ref in cols if s.reaches(ref.dataset, cols)), None)
