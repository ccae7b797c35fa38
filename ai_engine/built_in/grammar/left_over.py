"""What of a question found no place, for the refusal."""

from __future__ import annotations

from ai_engine.built_in.grammar.chart import Chart
from ai_engine.built_in.one_reading import LEFT_OVER_COST
from ai_engine.built_in.tokens import Token

_FRAGMENTS = {"Q": 0.5, "Ask": 0.6, "Figs": 0.8, "Rows": 0.8, "Mod": 0.9, "Groups": 1.0, "Cols": 1.0, "Group": 1.0}
_SKIPPED_COST = 0.05
_NEVER = 9e9


def left_over(chart: Chart, tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """The words that no phrase takes, or the shortest phrase of those that do not hang together."""
    left, taken = _pieces(chart, tokens)
    if left:
        return left
    shortest = min(taken, key=lambda span: span[1] - span[0], default=(0, len(tokens)))
    return (" ".join(token.text for token in tokens[slice(*shortest)]),)


def _pieces(chart: Chart, tokens: tuple[Token, ...]) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    """Cut the question into as few phrases as cover the most of it: the words between them, and the phrases."""
    pieces: dict[int, list[tuple[int, float]]] = {}
    for (start, end), cell in chart.cells.items():
        prices = [price for name, price in _FRAGMENTS.items() if cell.get(name)]
        if prices:
            pieces.setdefault(end, []).append((start, min(prices)))
    best: list[tuple[float, int, str]] = [(0.0, -1, "")] + [(_NEVER, -1, "")] * chart.size
    for end in range(1, chart.size + 1):
        options = [(best[start][0] + price, start, "phrase") for start, price in pieces.get(end, ())]
        options += [(best[start][0] + _SKIPPED_COST, start, "skipped") for start in chart.back[end] if start < end]
        best[end] = min([*options, (best[end - 1][0] + LEFT_OVER_COST, end - 1, "left")])
    left: list[str] = []
    taken: list[tuple[int, int]] = []
    end = chart.size
    while end > 0:
        _, start, kind = best[end]
        if kind == "left":
            left.append(tokens[start].text)
        elif kind == "phrase":
            taken.append((start, end))
        end = start
    return tuple(reversed(left)), taken
