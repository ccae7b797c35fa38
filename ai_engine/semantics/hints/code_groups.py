"""Which kind of code stands in which column, where one table lists them all: "`cd_grp` ('PROD' for `prod_cd`)"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.clauses import clauses
from ai_engine.semantics.hints.kinds import CodesHint
from ai_engine.semantics.infer.code_lists import code_list_columns

_KIND = r"['\"‘](?P<kind>[^'\"’\n]{1,30})['\"’]"
_NAME = r"`?(?P<column>[A-Za-z_]\w*(?:\.\w+)?)`?"
_KIND_FIRST = re.compile(
    rf"{_KIND}\s*(?:=|:|->|=>|→|\b(?:is|are|stands|holds|lists)\s+(?:the\s+codes\s+)?(?:for|of)\b|\bfor\b|\bof\b|\bin\b)\s*"
    rf"(?:the\s+)?(?:codes\s+(?:of|in)\s+|column\s+)?{_NAME}",
)
_COLUMN_FIRST = re.compile(
    rf"{_NAME}\s*(?:=|:|->|=>|→|\b(?:uses|has|is\s+in|are\s+in|is\s+of|under|with|is\s+explained\s+(?:in|by|under)|where)\b)\s*"
    rf"(?:the\s+)?(?:group|kind|type|list|(?:codes?|values?)\s+(?:of|in|from)(?:\s+`?\w+`?\s+(?:with|where|under))?)?\s*"
    rf"(?:`?\w+`?\s*=\s*)?{_KIND}",
)


def code_groups(text: str, catalogue: Catalogue) -> tuple[list[CodesHint], str]:
    """Return the kinds of code that a text tells of columns, and the text without the sentences that do."""
    lists = [table for table in catalogue.tables if code_list_columns(table) is not None]
    names = {name.lower() for table in lists for name in (table.name, *(column.name for column in table.columns))}
    found: list[CodesHint] = []
    if not lists:
        return found, text
    kept = []
    for line in text.split("\n"):
        about = [part for part in _sentences(line) if names & set(re.findall(r"\w+", part.lower()))]
        for part in about:
            told = list(_told(part, names, catalogue))
            found += told
            line = line.replace(part, "") if told else line  # noqa: PLW2901 - one sentence after another
        kept.append(line)
    return found, "\n".join(kept)


def _sentences(line: str) -> Iterator[str]:
    yield from re.split(r"(?<=\.)\s+", line)


def _told(text: str, names: Iterable[str], catalogue: Catalogue) -> Iterator[CodesHint]:
    for clause in clauses(text):
        for pattern in (_KIND_FIRST, _COLUMN_FIRST):
            pairs = [(said["kind"], said["column"]) for said in pattern.finditer(clause)]
            hints = [hint for kind, name in pairs for hint in [_hint(kind, name, catalogue)] if hint is not None]
            if hints and len(hints) == len(pairs) and not any(hint.column.lower() in names for hint in hints):
                yield from hints
                break


def _hint(kind: str, name: str, catalogue: Catalogue) -> CodesHint | None:
    table, _, column = name.rpartition(".")
    held = [item for item in catalogue.tables if item.column(column) and table.lower() in {"", item.name.lower()}]
    return CodesHint(held[0].name if table else None, column, kind) if held else None
