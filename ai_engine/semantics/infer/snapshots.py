"""Which tables hold a row per thing and date, so that their balances do not add up over time."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.semantics.infer.naming import NamedTable
from ai_engine.semantics.model import Field
from ai_engine.semantics.names import singular
from ai_engine.semantics.schema_words import word_set
from ai_engine.semantics.spelled_days import stored_day

_SNAPSHOTS = frozenset({"snapshot", "eod", "eom"})
_STATES = word_set("balance position holding exposure arrears outstanding inventory")
_REPEATED = word_set("daily weekly monthly quarterly yearly annual day month history")
_STOCKS = word_set("balance outstanding exposure principal position arrears provision overdue aum")
_FLOWS = word_set(
    """
    paid interest fee fees charge charges charged received credit credits debit debits income expense revenue turnover
    volume inflow outflow flow deposited withdrawn repaid booked transaction transactions commission
    """
)
_STAYS = word_set("balance outstanding rate limit")


def snapshot_time(named: NamedTable, key: tuple[str, ...], fields: Sequence[Field], time: str | None) -> str | None:
    """Return the field that dates the snapshots of a table, None for a table of anything else.

    A table is one of snapshots when its key is a date and something else and it holds a balance, or when its name says
    so and its rows have no key of their own.

    Args:
        named: the table.
        key: its primary key.
        fields: its fields.
        time: the field that dates its rows.
    """
    by_name = {item.name: item for item in fields}
    if time is None or by_name[time].type in {"timestamp", "integer"}:
        return None
    nouns = {singular(word) for word in named.label.split()} | {singular(word) for word in _name_words(named)}
    stored = stored_day(by_name[time].expression)
    column = stored[0] if stored else time
    by_date = len(key) > 1 and column in key
    holds = any(_STOCKS & set(item.label.split()) for item in fields if item.role == "measure")
    says = bool(nouns & _SNAPSHOTS) or (bool(nouns & _STATES) and bool(nouns & _REPEATED))
    if by_date and (holds or says):
        return time
    return time if says and holds and len(key) != 1 else None


def snapshot_nouns(label: str, fields: Sequence[Field]) -> tuple[str, ...]:
    """Return other nouns for a table of snapshots: "balance snapshot" and "purse snapshot" of daily purse balances.

    A bare "balance" is the figure in them.
    """
    words = [word for word in label.split() if word not in _REPEATED]
    figures = {item.label for item in fields if item.role == "measure"}
    owners = [" ".join(words), *([" ".join(words[:-1])] if len(words) > 1 and words[-1] in figures else [])]
    named = [noun for owner in owners if owner for noun in (owner, f"{owner} snapshot", f"daily {owner} snapshot")]
    left_out = {label, *owners[1:], *_STATES}
    return tuple(noun for noun in dict.fromkeys(["snapshot", "daily snapshot", *named]) if noun not in left_out)


def flows(fields: Sequence[Field]) -> tuple[str, ...]:
    """Return the figures of a table of snapshots that add up over its dates: interest paid, fees, credits."""
    return tuple(
        item.name
        for item in fields
        if item.role == "measure" and _FLOWS & set(item.label.split()) and not _STAYS & set(item.label.split())
    )


def _name_words(named: NamedTable) -> set[str]:
    return set(named.table.name.lower().replace("_", " ").split())
