"""What a reply says: as a table, and in words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from ai_engine.agent import TabularResult
from ai_engine.formats import Formats
from ai_engine.insight import unretold_figures
from ai_engine.insight.amounts import format_cell
from ai_engine.operators.links import fetches_or_links
from ai_engine.specialists.api_docs.catalogue import Endpoint
from ai_engine.types import OutputColumn

MAX_ROWS = 1_000
MAX_SHOWN_CHARS = 4_000
_TOLD_FIELDS = 8
_TOLD_ROWS = 3
_TOLD_SENTENCES = 12
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_FIELD = re.compile(r"\{(\w+)\}")


class ApiSummary(BaseModel):
    """A model's words about a reply."""

    summary: str


def parsed(body: str) -> Any:
    """Read JSON with exact decimals; text that is none comes back as it is."""
    try:
        return json.loads(body, parse_float=Decimal, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return body


def table_of(found: Any, endpoint: Endpoint | None) -> TabularResult | None:
    """Return the rows of a reply: a list of objects, wherever it stands; a single object is one row.

    Objects within a row become columns of their own (`period.start`); lists within one stay text.
    """
    rows = _rows(found, endpoint.returns.table if endpoint is not None else None)
    if not rows:
        return None
    flat = [_flat(row) for row in rows[:MAX_ROWS]]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    return TabularResult(columns=columns, rows=[{name: row.get(name) for name in columns} for row in flat])


def units_of(table: TabularResult, endpoint: Endpoint | None) -> dict[str, str]:
    """Return the known units of a table's columns."""
    known = endpoint.returns.units if endpoint is not None else {}
    return {name: known[name] for name in table.columns if name in known}


def told_by_rule(found: Any, table: TabularResult | None, endpoint: Endpoint, currency: str | None) -> str:
    """Say what came back: by the endpoint's own sentence, else field by field."""
    if table is None or not table.rows:
        text = found if isinstance(found, str) else ""
        return f"{endpoint.summary}: {text[:200]}" if text.strip() else f"{endpoint.summary}: no data was returned."
    units = units_of(table, endpoint)
    own = [_by_sentence(row, endpoint.returns.sentence, units, currency) for row in table.rows[:_TOLD_SENTENCES]]
    if len(table.rows) == 1 and own[0] is not None:
        return own[0]
    if all(own):
        lines, count = [str(line) for line in own], len(table.rows)
    else:
        lines = [_in_words(row, units, currency) for row in table.rows[:_TOLD_ROWS]]
        count = len(table.rows)
    if count == 1:
        return f"{endpoint.summary}: {lines[0]}."
    rest = f"; and {count - len(lines)} more" if count > len(lines) else ""
    return f"{endpoint.summary}, {count} rows: {'; '.join(lines)}{rest}."


def _by_sentence(
    row: Mapping[str, Any], sentence: str | None, units: Mapping[str, str], currency: str | None
) -> str | None:
    """Fill in the endpoint's own sentence; None where it has none or the reply lacks a part of it."""
    if sentence is None or any(row.get(name) is None for name in _FIELD.findall(sentence)):
        return None
    return _FIELD.sub(lambda name: _written(row[name[1]], name[1], units, currency), sentence)


def says_only_what_is_there(summary: str, body: str, question: str, table: TabularResult | None = None) -> bool:
    """Tell whether every number of a summary, in words too, stands in a reply or in the question, and leads nowhere.

    Args:
        summary: a model's.
        body: what of the reply the model was shown.
        question: what was asked.
        table: the reply's rows.
    """
    given = {_plain(number) for number in _NUMBER.findall(f"{body} {question}")}
    if not all(_plain(number) in given for number in _NUMBER.findall(summary)):
        return False
    rows = [[[row[name] for name in table.columns] for row in table.rows]] if table is not None else []
    return not unretold_figures(summary, [body, question], rows) and not fetches_or_links(summary, body)


def _rows(found: Any, key: str | None) -> list[Mapping[str, Any]]:
    if isinstance(found, Mapping) and key is not None and isinstance(found.get(key), list):
        found = found[key]
    if isinstance(found, Mapping):
        lists = [value for value in found.values() if _is_table(value)]
        return lists[0] if len(lists) == 1 else [found] if found else []
    if _is_table(found):
        return list(found)
    if isinstance(found, list) and found and not any(isinstance(item, (list, Mapping)) for item in found):
        return [{"value": item} for item in found]
    return []


def _is_table(found: Any) -> bool:
    return isinstance(found, list) and bool(found) and all(isinstance(row, Mapping) for row in found)


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping) and not prefix:
            flat |= _flat(value, f"{name}.")
        elif isinstance(value, (list, Mapping)):
            flat[f"{prefix}{name}"] = json.dumps(value, default=str, ensure_ascii=False)
        else:
            flat[f"{prefix}{name}"] = _cell(value)
    return flat


def _cell(value: Any) -> Any:
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return value
    return value


def _in_words(row: Mapping[str, Any], units: Mapping[str, str], currency: str | None) -> str:
    told = [(name, value) for name, value in row.items() if value is not None][:_TOLD_FIELDS]
    return ", ".join(f"{_label(name)} {_written(value, name, units, currency)}" for name, value in told)


def _label(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace(".", " ").lower()


def _written(value: Any, name: str, units: Mapping[str, str], currency: str | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, Decimal)) and name in units:
        return format_cell(value, OutputColumn(name, name, units[name], "measure"), Formats(currency))
    return str(value)


def _plain(number: str) -> Decimal:
    return Decimal(number.replace(",", "")).normalize()
