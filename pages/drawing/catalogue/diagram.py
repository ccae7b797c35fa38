"""Relationships as a drawing: boxes in columns, from tables with many rows on the left to what they point at."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from ai_engine.semantics.model import Relationship, SemanticModel
from pages.drawing.escaping import as_html

MOST_BOXES = 40
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 170, 34, 60, 16, 12
_MOST_CHARS = 20
_MOST_ROWS = 12
_SWEEPS = 4
_LIGHT = ("#1B2430", "#F3F6FA", "#7B8794")
_DARK = ("#E6EBF2", "#1B222D", "#8592A0")
"""Of text, boxes and lines."""


def around(model: SemanticModel, start: str | None) -> tuple[str, ...]:
    """Return the tables to draw: the nearest to one, or those with the most relationships, up to `MOST_BOXES`."""
    linked = sorted(
        (item.name for item in model.datasets if model.relationships_of(item.name)),
        key=lambda name: -len(model.relationships_of(name)),
    )
    if start is None:
        return tuple(linked[:MOST_BOXES])
    found = dict.fromkeys([start])
    for name in (queue := [start]):
        for step in model.steps_of(name):
            if step.target not in found and len(found) < MOST_BOXES:
                found[step.target] = None
                queue.append(step.target)
    return tuple(found)


def drawing(model: SemanticModel, names: Sequence[str], marked: str | None = None, *, dark: bool = False) -> str:
    """Return the tables and the relationships between them as HTML with a picture, an SVG that loads nothing."""
    links = [
        link for link in model.relationships
        if link.from_dataset in names and link.to_dataset in names and link.from_dataset != link.to_dataset
    ]  # fmt: skip
    columns = _columns(names, links)
    places = {
        name: (_MARGIN + x * (_WIDTH + _GAP_X), _MARGIN + y * (_HEIGHT + _GAP_Y) + _top(column, columns))
        for x, column in enumerate(columns)
        for y, name in enumerate(column)
    }
    width = 2 * _MARGIN + len(columns) * (_WIDTH + _GAP_X) - _GAP_X
    height = 2 * _MARGIN + max(map(len, columns), default=1) * (_HEIGHT + _GAP_Y) - _GAP_Y
    body = "".join(_edge(link, places) for link in links) + "".join(
        _box(name, model.dataset(name).label, places[name], is_marked=name == marked) for name in names
    )
    told = f"{len(names)} tables and {len(links)} relationships, listed below"
    text, box, line = _DARK if dark else _LIGHT
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"<style>rect{{fill:{box};stroke:{line}}}.marked rect{{stroke:#2F78C4;stroke-width:3}}"
        f"text{{fill:{text};font:13px sans-serif}}path{{fill:none;stroke:{line};stroke-width:1.4}}</style>{body}</svg>"
    )
    source = base64.b64encode(svg.encode()).decode()
    return (
        '<div class="ba-scroll" tabindex="0" role="group" aria-label="Diagram of relationships">'
        f'<img class="ba-diagram" alt="{told}" width="{width}" height="{height}" '
        f'src="data:image/svg+xml;base64,{source}"></div>'
    )


def _columns(names: Sequence[str], links: Sequence[Relationship]) -> list[list[str]]:
    """Part the tables by how far they point, and order each part so that few lines cross."""
    rank = dict.fromkeys(names, 0)
    for _ in names:
        changed = False
        for link in links:
            deeper = rank[link.from_dataset] + 1
            if rank[link.to_dataset] < deeper < len(names):
                rank[link.to_dataset], changed = deeper, True
        if not changed:
            break
    near: dict[str, list[str]] = {name: [] for name in names}
    for link in links:
        near[link.from_dataset].append(link.to_dataset)
        near[link.to_dataset].append(link.from_dataset)
    layers = [[name for name in names if rank[name] == at] for at in sorted(set(rank.values()))]
    columns = [
        layer[first : first + _MOST_ROWS] for layer in layers for first in range(0, len(layer), _MOST_ROWS)
    ]  # fmt: skip
    for _ in range(_SWEEPS):
        height = {name: place - len(column) / 2 for column in columns for place, name in enumerate(column)}
        for column in columns:
            column.sort(key=lambda name: sum(height[one] for one in near[name]) / max(len(near[name]), 1))
            height |= {name: place - len(column) / 2 for place, name in enumerate(column)}
    return columns


def _top(column: Sequence[str], columns: Sequence[Sequence[str]]) -> int:
    return (max(map(len, columns)) - len(column)) * (_HEIGHT + _GAP_Y) // 2


def _box(name: str, label: str, place: tuple[int, int], *, is_marked: bool) -> str:
    x, y = place
    short = label if len(label) <= _MOST_CHARS else f"{label[: _MOST_CHARS - 1]}…"
    marked = ' class="marked"' if is_marked else ""
    return (
        f'<g{marked}><title>{as_html(name)}</title><rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
        f'<text x="{x + _WIDTH // 2}" y="{y + _HEIGHT // 2 + 5}" text-anchor="middle">{as_html(short)}</text></g>'
    )


def _edge(link: Relationship, places: Mapping[str, tuple[int, int]]) -> str:
    """Draw a line from the many side, which has a fork, to the one side."""
    (x1, y1), (x2, y2) = places[link.from_dataset], places[link.to_dataset]
    y1, y2 = y1 + _HEIGHT // 2, y2 + _HEIGHT // 2
    if x1 == x2:
        x1, x2, out = x1 + _WIDTH, x2 + _WIDTH, 1
        bend = f"C {x1 + _GAP_X // 2} {y1}, {x2 + _GAP_X // 2} {y2}"
    else:
        out = 1 if x2 > x1 else -1
        x1, x2 = (x1 + _WIDTH, x2) if out == 1 else (x1, x2 + _WIDTH)
        middle = (x1 + x2) // 2
        bend = f"C {middle} {y1}, {middle} {y2}"
    fork = f"M {x1} {y1 - 5} L {x1 + 9 * out} {y1} L {x1} {y1 + 5}"
    columns = ", ".join(link.from_columns)
    return f"<g><title>{as_html(f'{link.name}: {columns}')}</title><path d='M {x1} {y1} {bend}, {x2} {y2} {fork}'/></g>"
