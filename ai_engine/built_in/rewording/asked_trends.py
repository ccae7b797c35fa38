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
_TREND_OF_STEPS = re.compile(
    r"\b(?:(?:the|a) )?(?P<step>daily|weekly|monthly|quarterly|yearly|annual) (?P<what>(?:[\w&'-]+ ){1,4}?)trends?\b",
    re.IGNORECASE,
)
_STEPS = {"daily": "day", "annual": "year"}
_FROM_TO = re.compile(
    r"\s*\bfrom (?P<begin>[^,?]+?) to (?P<end>[^,?]+?)(?=\s*(?:[,?]|\b(?:by|for|per|across)\b|$))", re.I
)
_IN_PERCENT = re.compile(r"\bin (?:percent|per cent|%)", re.IGNORECASE)
_TWO_ENDS = frozenset({"change", "changed", "changing"})
"""What changed is asked of two periods, unless steps are said."""


def as_trends(question: str) -> str:
    """Say how something moved as the figure with its steps."""
    return _TREND_OF_STEPS.sub(_by_its_steps, _MOVED.sub(_along_its_steps, question))


def _by_its_steps(found: re.Match[str]) -> str:
    """ "The monthly disbursement trend": "disbursement by month"."""
    step = found["step"].lower()
    return f"{found['what']}by {_STEPS.get(step, step.removesuffix('ly'))}"


def _along_its_steps(found: re.Match[str]) -> str:
    if _STEP.search(found["rest"]):
        return f"{found['what']}{found['rest']}"
    if found["verb"].lower() not in _TWO_ENDS and not _IN_PERCENT.search(found["rest"]):
        return f"trend of {found['what']}{found['rest']}"
    return (
        f"{found['what']}{_FROM_TO.sub(_held_against, found['rest'])}"
        if _FROM_TO.search(found["rest"]) and not _IN_PERCENT.search(found["rest"])
        else found.group()
    )


def _held_against(ends: re.Match[str]) -> str:
    """ "From 2024 to 2025": "2025 vs 2024"."""
    return f", {ends['end']} vs {ends['begin']}"
