"""Figures of which less is better: "the worst failure rate" is the highest one."""

from __future__ import annotations

from ai_engine.built_in.harm import HARM
from ai_engine.built_in.meanings import Attribute, Figure, Stored
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.words import stem, words


def ranks_harm(walk: Walk) -> bool:
    """Tell whether "best" and "worst" stand before a figure or a state that does harm."""
    found = walk.peek(1)
    said = [walk.items[walk.position + 1].text] if found is not None else []
    if isinstance(found, Figure):
        said.append(walk.knowledge.model.metric(found.metric).label)
    elif isinstance(found, Attribute):
        said.append(walk.knowledge.field(found).label)
    judged = walk.text().lower().split()[-1] in {"best", "worst"} and isinstance(found, Figure | Attribute | Stored)
    return judged and any(stem(word) in HARM for text in said for word in words(text))
