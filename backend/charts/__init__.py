"""A result as a Plotly figure, the same for page, export and API."""

from __future__ import annotations

from backend.charts.drawing import draw
from backend.charts.frame import caption

__all__ = ["caption", "draw"]
