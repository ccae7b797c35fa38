"""Keys that the database does not declare: "`ln.repay_acct` is the account (`acct.no`) from which it is repaid"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ai_engine.catalogue import Catalogue, Table
from ai_engine.semantics.hints.kinds import LinkHint
from ai_engine.semantics.model import Dataset, Relationship, SemanticModel
from ai_engine.semantics.names import column_words
from ai_engine.semantics.schema_words import KEY_WORDS

_COLUMN = r"`?(?P<{}>\w+\.\w+|\w+)`?"
_ARTICLE = r"(?:the\s+|an?\s+)?"
_IS_ONE = re.compile(
    rf"^(?:the\s+)?(?:column\s+)?{_COLUMN.format('left')}\s+(?:is|are|holds?|gives?|means|refers\s+to|=|:)\s+"
    rf"{_ARTICLE}(?P<noun>[A-Za-z][\w -]*?)\s*\(\s*{_COLUMN.format('right')}\s*\)\s*(?P<role>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_POINTS = re.compile(
    rf"^(?:the\s+)?(?:column\s+)?{_COLUMN.format('left')}\s*"
    r"(?:\s(?:is\s+a\s+)?(?:foreign\s+key\s+(?:to|of|on)|references?|refers\s+to|points?\s+(?:to|at)|links?\s+(?:to|with)|joins?"
    r"(?:\s+(?:to|with|on))?|matches|corresponds\s+to|is\s+the\s+same\s+as)\s|->|=>|→|=)\s*"
    rf"{_ARTICLE}(?:column\s+)?{_COLUMN.format('right')}(?P<role>)$",
    re.IGNORECASE,
)
_OWNED = re.compile(
    rf"^(?:the\s+)?{_COLUMN.format('left')}\s+(?:is|gives|holds)\s+(?:the|an?)\s+(?P<owner>\w+)'s?\s+(?P<role>[a-z]+(?:\s[a-z]+)?)$",
    re.IGNORECASE,
)
_WHO = re.compile(r"^who\s+(?:has\s+|have\s+)?(?P<verb>[a-z]+)\b", re.IGNORECASE)
_BY_WHOM = re.compile(r"^(?:by|to)\s+whom\s.*\b(?P<done>\w+ed)$", re.IGNORECASE)
_NO_DEED = frozenset("is are was were has have had can may must belongs".split())


def link_of(clause: str, catalogue: Catalogue) -> LinkHint | None:
    """Return the key that a clause tells of, None for any other clause."""
    owned = _OWNED.match(clause)
    if owned:
        table = _only(owned["left"], catalogue)
        column = owned["left"].rpartition(".")[2]
        keyed = table is not None and column_words(column)[-1] in KEY_WORDS
        return LinkHint(table.name, column, None, None, (owned["role"].lower(),)) if table and keyed else None
    found = _IS_ONE.match(clause) or _POINTS.match(clause)
    if found is None or "." not in found["right"]:
        return None
    left, right = _only(found["left"], catalogue), _only(found["right"], catalogue)
    columns = [found[side].rpartition(".")[2] for side in ("left", "right")]
    if left is None or right is None or (left is right and columns[0] == columns[1]):
        return None
    return LinkHint(left.name, columns[0], right.name, columns[1], tuple(_roles(found["role"].strip(" .,"))))


def _only(name: str, catalogue: Catalogue) -> Table | None:
    table, _, column = name.rpartition(".")
    held = [item for item in catalogue.tables if item.column(column) and table.lower() in {"", item.name.lower()}]
    return held[0] if len(held) == 1 else None


def _roles(said: str) -> Iterable[str]:
    """Yield who somebody is who does that: "who handles the complaint" is a handler."""
    who = _WHO.match(said) or _BY_WHOM.match(said)
    verb = (who.groupdict().get("verb") or who.groupdict().get("done") or "").lower() if who else ""
    if not verb or verb in _NO_DEED:
        return
    if verb.endswith("ed"):
        yield f"{verb} by"
    elif verb.endswith("s") and not verb.endswith("ss"):
        stem = verb.removesuffix("s")
        yield f"{stem}r" if stem.endswith("e") else f"{stem}er"


def with_links(model: SemanticModel, hints: Iterable[LinkHint]) -> tuple[Relationship, ...]:
    """Return the relationships with those that were told, and with the roles of those that were known."""
    found = list(model.relationships)
    for hint in hints:
        source = _dataset(model, hint.table)
        known = [item for item in found if source and item.from_dataset == source.name
                 and tuple(map(str.lower, item.from_columns)) == (hint.column.lower(),)]  # fmt: skip
        if known:
            for item in known:
                found[found.index(item)] = replace(item, synonyms=tuple(dict.fromkeys((*hint.roles, *item.synonyms))))
        elif source and hint.to_table and hint.to_column:
            found += _told(source, _dataset(model, hint.to_table), hint)
    return tuple(found)


def _told(source: Dataset, target: Dataset | None, hint: LinkHint) -> list[Relationship]:
    """Return the link from many rows to the one with that key, whichever side was named first."""
    if target is None or hint.to_column is None:
        return []
    if not _is_key(target, hint.to_column) and _is_key(source, hint.column):
        turned = LinkHint(target.name, hint.to_column, source.name, hint.column)
        return _told(target, source, turned)
    if not _is_key(target, hint.to_column):
        return []
    start, end = _spelled(source, hint.column), _spelled(target, hint.to_column)
    said = column_words(start)
    noun = set(target.label.split()) | KEY_WORDS
    role = "" if start.lower() == end.lower() else " ".join(word for word in said if word not in noun)
    roles = tuple(dict.fromkeys((*hint.roles, *([role] if role else []))))
    name = f"{source.name}_{start}_to_{target.name}"
    return [Relationship(name, source.name, (start,), target.name, (end,), synonyms=roles)]


def _is_key(dataset: Dataset, column: str) -> bool:
    keys = (dataset.primary_key, *dataset.unique_keys)
    return any(tuple(map(str.lower, key)) == (column.lower(),) for key in keys)


def _spelled(dataset: Dataset, column: str) -> str:
    return next((item.name for item in dataset.fields if item.name.lower() == column.lower()), column)


def _dataset(model: SemanticModel, table: str) -> Dataset | None:
    tables = {item.source.rpartition(".")[2].strip('"').lower(): item for item in reversed(model.datasets)}
    return tables.get(table.lower())
