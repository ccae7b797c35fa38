"""A picture in the making: plain traces and layout, made a figure once, as every change of a figure costs 10 ms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go


@dataclass
class Picture:
    """What is drawn so far, in the words of Plotly's figure reference."""

    data: list[dict[str, Any]] = field(default_factory=list)
    layout: dict[str, Any] = field(default_factory=dict)

    def add(self, kind: str, **trace: Any) -> None:
        """Draw one more trace."""
        self.data.append({"type": kind, **trace})

    def note(self, **annotation: Any) -> None:
        """Write one more text."""
        self.layout.setdefault("annotations", []).append(annotation)

    def axis(self, name: str, **looks: Any) -> None:
        """Lay out an axis ("xaxis", "yaxis2"); what is said again replaces what was said."""
        self.layout.setdefault(name, {}).update(looks)

    def lay_out(self, **looks: Any) -> None:
        """Set what belongs to the whole picture."""
        self.layout.update(looks)

    def figure(self) -> go.Figure:
        """Return the figure, checked by Plotly."""
        return go.Figure({"data": self.data, "layout": self.layout})
