""" "How have our deposits moved this year?": a figure along the steps that are said, or along its months."""

from __future__ import annotations

import re

_MOVED = re.compile(
    r"\bhow (?:have|has|had|did|do|does|are|is) (?:(?:our|the|my|its|their) )?(?P<what>(?:(?!how\b)[^?!;])+?) "
    r"(?:been )?(?P<verb>mov(?:ed?|ing)|develop(?:ed|ing)?|evolv(?:ed?|ing)|trend(?:ed|ing)?|progress(?:ed|ing)?"
    r"|behaved?|chang(?:ed?|ing)|gone)\b(?P<rest>[^?!;]*)",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"\b(?:(?P<unit>day|week|month|quarter|year)s? (?:by|on|over|after) (?P=unit)|daily|weekly|monthly|quarterly|yearly"
    r"|(?:by|per|each|every) (?:day|week|month|quarter|year)|over time)\b",
    re.IGNORECASE,
)
_TWO_ENDS = frozenset({"change", "changed", "changing"})
"""What changed is asked of two periods, unless steps are said."""


def as_trends(question: str) -> str:
    """Say how something moved as the figure with its steps."""
    return _MOVED.sub(_along_its_steps, question)


def _along_its_steps(found: re.Match[str]) -> str:
    if _STEP.search(found["rest"]):
        return f"{found['what']}{found['rest']}"
    return found.group() if found["verb"].lower() in _TWO_ENDS else f"trend of {found['what']}{found['rest']}"
