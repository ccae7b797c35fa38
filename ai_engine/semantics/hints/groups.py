"""Groups of rows with a name of their own: "Loyal clients are clients with two or more cards"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.clauses import clean
from ai_engine.semantics.names import singular, split_identifier
from ai_engine.semantics.wording import plural

_IS = re.compile(
    r"^(?:an?\s+|the\s+)?(?P<name>\w[\w' -]*?)\s+(?:is|are|means?|refers?\s+to|=)\s+(?:(?:all|an?|the|any|those)\s+)?"
    r"(?P<meaning>(?P<noun>\w+(?:\s\w+)?)\s+(?:with|without|who|that|which|where|whose|having)\s+.+)$",
    re.IGNORECASE,
)
_IS_ONE = re.compile(
    r"^(?:an?\s+|the\s+)?(?P<name>\w[\w' -]*?)\s+(?:is|are|means?)\s+(?:(?:some)?one|ones|those|any)\s+"
    r"(?P<meaning>(?:with|without|who|that|which|whose|having|aged)\s+.+)$",
    re.IGNORECASE,
)
_HAS = re.compile(
    r"^(?:an?\s+|the\s+)?(?P<name>\w[\w' -]*?)\s+(?:have|has)\s+"
    r"(?P<meaning>(?:no|at\s+least|at\s+most|more\s+than|fewer\s+than|less\s+than|only|exactly)\s+.+)$",
    re.IGNORECASE,
)
_LONGEST_NAME_WORDS = 4


@dataclass(frozen=True, slots=True)
class GroupHint:
    """`words` name the rows that `meaning` describes; `meaning` begins with their noun."""

    words: str
    meaning: str


def group_of(clause: str, catalogue: Catalogue) -> GroupHint | None:
    """Return the group that a clause defines, None where its noun is no table's."""
    nouns = {singular(split_identifier(table.name)[-1]) for table in catalogue.tables}
    one = _IS_ONE.match(clause)
    found = one or _IS.match(clause) or _HAS.match(clause)
    if found is None:
        return None
    name, meaning = clean(found["name"]), found["meaning"].strip(" .")
    noun = found.groupdict().get("noun") or name.rpartition(" ")[2]
    if singular(noun.lower().split()[-1]) not in nouns or not 1 < len(name.split()) <= _LONGEST_NAME_WORDS:
        return None
    if "noun" not in found.groupdict():
        meaning = f"{plural(noun.lower())} {meaning}" if one else f"{noun} with {meaning}"
    return GroupHint(name, _with_nouns_for_keys(meaning, catalogue))


def _with_nouns_for_keys(meaning: str, catalogue: Catalogue) -> str:
    """Say "no branch" for "no branch_id": a row without the key has none of the things."""
    keys = {name for table in catalogue.tables for key in table.foreign_keys for name in key.columns}
    return re.sub(
        r"\bno\s+(\w+)_(?:id|no|cd|code|key)\b",
        lambda found: f"no {found[1].replace('_', ' ')}" if found[0].split()[-1] in keys else found[0],
        meaning,
    )
