"""What of a question found no place, for the refusal."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.chart import Chart
from ai_engine.built_in.grammar.moments import Settling
from ai_engine.built_in.grammar.phrases import Ask
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days
from ai_engine.built_in.one_reading import LEFT_OVER_COST
from ai_engine.built_in.tokens import Token

_FRAGMENTS = {"Q": 0.5, "Ask": 0.6, "Figs": 0.8, "Rows": 0.8, "Mod": 0.9, "Groups": 1.0, "Cols": 1.0, "Group": 1.0}
_SKIPPED_COST = 0.05
_NEVER = 9e9
_CHANGING = frozenset({":change"})
_COMPARING = frozenset({":change", ":compare", ":versus", ":against"})
_RANKING = frozenset({":superlative"})
_MEASURING = frozenset({"Adj", "Degree"})  # they are of no figure that there is
_NOW_ONLY = "known as of now only"
_APART = frozenset("between difference gap spread".split())  # what lies between two figures is no change


def left_over(chart: Chart, tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """The words that no phrase takes, or the shortest phrase of those that do not hang together."""
    left, shortest = _pieces(chart)
    measured = _places(chart, _MEASURING)
    if left or measured:
        return tuple(tokens[place].text for place in left or sorted(measured))
    return (" ".join(tokens[place].text for place in shortest),)


def left_open(chart: Chart, tokens: tuple[Token, ...], s: Schema) -> tuple[str, ...]:
    """The same, with the reason instead of words of change or comparison that lack something."""
    left, shortest = _pieces(chart)
    if _places(chart, _COMPARING).issuperset(left) and (reason := _known_now_only(chart, s)):
        return (reason,)
    apart = any(token.word in _APART for token in tokens)
    changing = _places(chart, _CHANGING)
    if apart or len(_days(chart)) > 1 or changing.isdisjoint(left or shortest):
        return left_over(chart, tokens)
    known = changing | _places(chart, _RANKING)
    return ("change: since when", *(tokens[place].text for place in left if place not in known))


def _places(chart: Chart, categories: frozenset[str]) -> frozenset[int]:
    """The places of words that may be of these categories, with whatever value."""
    spans = (span for span, cell in chart.cells.items() if categories & {name.split("=")[0] for name in cell})
    return frozenset(place for span in spans for place in range(*span))


def _days(chart: Chart) -> tuple[Days, ...]:
    """The periods that are spoken of, the longest of those that lie in each other."""
    spans = [span for span, cell in chart.cells.items() if cell.get("Days")]
    widest = [(a, b) for a, b in spans if not any(c <= a and b <= d and (a, b) != (c, d) for c, d in spans)]
    return tuple(chart.cells[span]["Days"][0].value for span in sorted(widest))


def _known_now_only(chart: Chart, s: Schema) -> str:
    """ "compare deposits this year with last year": nobody kept what they were."""
    comparing = _places(chart, _COMPARING)
    figures = [cell["Fig"][0].value for cell in chart.cells.values() if comparing and cell.get("Fig")]
    asked = [
        Ask(figs=(replace(fig, rows=replace(fig.rows, period=days)),))
        for fig in figures
        for days in _days(chart)
        if fig.rows.period is None
    ]
    return next((reason for ask in asked if (reason := Settling(s, ask).reason).endswith(_NOW_ONLY)), "")


def _pieces(chart: Chart) -> tuple[tuple[int, ...], range]:
    """Cut the question into as few phrases as cover the most of it: the places between them, the shortest phrase."""
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
    left: list[int] = []
    taken: list[tuple[int, int]] = []
    end = chart.size
    while end > 0:
        _, start, kind = best[end]
        if kind == "left":
            left.append(start)
        elif kind == "phrase":
            taken.append((start, end))
        end = start
    shortest = min(taken, key=lambda span: span[1] - span[0], default=(0, chart.size))
    return tuple(reversed(left)), range(*shortest)
