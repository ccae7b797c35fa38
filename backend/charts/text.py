"""Text inside a chart: what came from outside is shown letter by letter, and no label is longer than its place."""

from __future__ import annotations

import calendar
import re
import textwrap
from collections.abc import Iterable

from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_cell
from ai_engine.insight.dates import cycle_of, spell_position
from ai_engine.seen_text import seen
from ai_engine.types import OutputColumn, Scalar

NARROW_PX = 358
"""Width of a chart on a phone of 390 px."""
_CHAR_PX = 6.6
_LABEL_CHARS = 24
_LABEL_LINE_CHARS = 20
_TITLE_LINE_CHARS = 44
_TITLE_CHARS = 176
_HOVER_CHARS = 120
_LONG_NAMES = re.compile("|".join((*calendar.month_name[1:], *(f"^{day}$" for day in calendar.day_name))))
_BEFORE_YEAR = re.compile(r" (?=(FY)?\d{4}(-\d{2})?$)")
_YEAR = re.compile(r" \d{4}\b(?!-)")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": " ", "\r": " ", "\t": " "})


def literal(text: str) -> str:
    """Write text so that Plotly, which reads a little HTML in every label, shows it as it is."""
    return seen(text).translate(_ENTITIES)


def width_px(texts: Iterable[str]) -> float:
    """Estimate how wide the widest of some labels is drawn."""
    return max((len(line) for text in texts for line in text.split("<br>")), default=0) * _CHAR_PX


def tick_label(text: str) -> str:
    """Write a tick or a legend entry: names of months and weekdays short, the rest cut at a bearable length."""
    return literal(_cut(_short(text), _LABEL_CHARS))


def row_label(text: str) -> str:
    """Write what stands beside a bar, on two lines where it is long."""
    lines = textwrap.wrap(_short(seen(text)), _LABEL_LINE_CHARS) or [""]
    first, rest = lines[0], " ".join(lines[1:])
    return "<br>".join(literal(line) for line in (first, _cut(rest, _LABEL_LINE_CHARS)) if line)


def part_label(days: str) -> str:
    """Write a tick of a step that is covered only in part."""
    return literal(_cut(part_days(days), _LABEL_CHARS))


def part_days(days: str) -> str:
    """Shorten the days that are covered of a step: "1 to 22 November 2026" → "1–22 Nov"; unescaped."""
    one_year = len(_YEAR.findall(days)) == 1
    return _short(_YEAR.sub("", days) if one_year else days).replace(" to ", "–")


def time_label(text: str) -> list[str]:
    """Write a tick of a run of time as lines, the year below the rest."""
    return _BEFORE_YEAR.sub("\n", tick_label(text)).split("\n")


def distinct(labels: list[str]) -> list[str]:
    """Number the repetitions, for charts that would take two equal labels for one thing."""
    return [
        f"{label} ({labels[:place].count(label) + 1})" if label in labels[:place] else label
        for place, label in enumerate(labels)
    ]


def hover_label(text: str) -> str:
    """Write one line of a hover."""
    return literal(_cut(text, _HOVER_CHARS))


def title(text: str, line_chars: int = _TITLE_LINE_CHARS) -> str:
    """Write a title over as many lines as it needs on a narrow screen."""
    return "<br>".join(literal(line) for line in _wrapped(_cut(text, _TITLE_CHARS), line_chars))


def chars_in(room_px: float) -> int:
    """Return how many characters stand in some pixels."""
    return max(8, int(room_px / _CHAR_PX))


def spelled(cell: Scalar, column: OutputColumn, cells: list[Scalar], formats: Formats) -> str:
    """Write a cell as its column is read: positions in time as finely as they step, the rest in the formats."""
    if column.role == "time" or cycle_of(column, cells) is not None:
        return seen(spell_position(cell, column, cells, formats=formats))
    return seen(format_cell(cell, column, formats))


def _wrapped(text: str, line_chars: int) -> list[str]:
    return textwrap.wrap(text, line_chars, break_on_hyphens=False)


def _short(text: str) -> str:
    return _LONG_NAMES.sub(lambda name: name[0][:3], text.removeprefix("week of "))


def _cut(text: str, most: int) -> str:
    text = seen(text)
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
