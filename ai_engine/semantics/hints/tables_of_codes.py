"""Tables drawn with strokes in a page of notes: codes with their meaning, or columns with theirs, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.schema_words import word_set

_ROW = re.compile(r"^\s*\|(?P<cells>.+)\|\s*$")
_RULE = re.compile(r"^[\s:|-]+$")
_CODES = word_set("code codes value values val key flag")
_MEANINGS = word_set("meaning meanings description descriptions means label text explanation definition name")
_COLUMNS = word_set("column columns field fields attribute")
_TABLES = word_set("table tables")
_NAMED = re.compile(r"`?([A-Za-z_]\w*(?:\.\w+)?)`?")


def rows_said(text: str, catalogue: Catalogue) -> str:
    """Return the text with each drawn table as sentences; one that tells of no column known here is left out."""
    lines = text.split("\n")
    said: list[str] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and _ROW.match(lines[end]):
            end += 1
        if end - at > 1:
            rows = [_cells(line) for line in lines[at:end] if not _RULE.match(line)]
            above = next((line for line in reversed(said) if line.strip()), "")
            said += _sentences(rows, above, catalogue)
        else:
            end = at + 1
            said.append(lines[at])
        at = end
    return "\n".join(said)


def _cells(line: str) -> list[str]:
    return [cell.strip(" `*") for cell in line.strip().strip("|").split("|")]


def _sentences(rows: Sequence[Sequence[str]], above: str, catalogue: Catalogue) -> Iterator[str]:
    head = [cell.lower() for cell in rows[0]]
    kinds = {"code": _CODES, "table": _TABLES, "column": _COLUMNS, "said": _MEANINGS}
    places = {
        kind: next((at for at, cell in enumerate(head) if words & set(cell.split())), None)
        for kind, words in kinds.items()
    }
    own = _column(rows[0][0], catalogue)
    code, said = (0 if own else places["code"]), places["said"]
    heading = own or next(
        (name for name in map(_plain, reversed(_NAMED.findall(above))) if _column(name, catalogue)), ""
    )
    if said is None and len(head) > 1:
        said = 1 if own else None
    table = column = ""
    for row in rows[1:]:
        if said is None or len(row) != len(head) or not row[said]:
            continue
        table = row[places["table"]] if places["table"] is not None and row[places["table"]] else table
        if places["column"] is not None:
            column = row[places["column"]] or column
        name = f"{table}.{column}" if table and column and "." not in column else column or heading
        if not name or not _column(name, catalogue):
            continue
        if code is not None and row[code] and (own or code != places["column"]):
            yield f"{name}: '{row[code].strip(chr(39))}' = {row[said]}"
        elif places["column"] is not None:
            yield f"{name} means {row[said]}"


def _plain(name: str) -> str:
    return name.strip("`")


def _column(name: str, catalogue: Catalogue) -> str:
    """Return the name where it is a column of the catalogue, with or without its table; "" for anything else."""
    found = _NAMED.fullmatch(name.strip())
    table, _, column = found[1].rpartition(".") if found else ("", "", "")
    held = [item for item in catalogue.tables if column and item.column(column)]
    return found[1] if found and any(table.lower() in {"", item.name.lower()} for item in held) else ""
