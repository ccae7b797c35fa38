"""A result as a Plotly figure, the same for page, export and API."""

from __future__ import annotations

from backend.charts.drawing import draw, figure_json, figure_of
from backend.charts.titles import caption, title_of

__all__ = ["caption", "draw", "figure_json", "figure_of", "title_of"]
