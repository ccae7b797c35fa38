"""Shares a question out: which agent does which part of it, as they themselves say by rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from ai_engine.preamble import without_preamble

_SEAMS = re.compile(
    r"""
    [?;!]\s+(?:(?:and|also|then)\s+)?                 # ... opened? And what ...
    | \.\s+(?=[A-Z])                                   # ... opened. What ...
    | ,?\s+(?:and\s+also|and\s+then|as\s+well\s+as)\s+
    | ,?\s+(?:and|then|also|plus)\s+
    | ,\s+
    """,
    re.VERBOSE,
)
_INSIDE_A_SPAN = re.compile(r"\bbetween\s+(?:(?!\band\b|[,;?!]).)*$", re.IGNORECASE)
"""What stands before the "and" of "between 1 April and 30 June", which opens no part."""
_BEGINS_A_QUESTION = re.compile(
    r"(?:what|how|which|when|where|who|whose|why|is|are|does|do|did|can|could|show|list|give|tell|find|count|calculate|"
    r"compute|convert|forecast|project|estimate|simulate|call|get|look)\b",
    re.IGNORECASE,
)
_BEGINS_A_THING = re.compile(r"(?:the|an?|our|today's|current)\b", re.IGNORECASE)
_SUPPOSES = re.compile(r"(?:(?:and|then|so|now)\s+)?(?:if|assum|suppos|say|imagine)(?!.*[?;!.]\s)", re.IGNORECASE)
"""Begins a supposition, which asks nothing without what follows it."""
_ENDS_A_SENTENCE = frozenset("?;!.")

_SURE = 0.75
"""A claim from here on is a claim to the whole part."""
_CUT = 0.02
_CUT_WITHIN_ONE_AGENT = 0.2
_CUT_FROM_ITS_SUPPOSITION = 0.5
_JOINED_QUESTIONS = 0.15
_JOINED_CLAUSES = 0.05
_MOST_PIECES = 6

Claim = Callable[[str, str], float | None]
"""Agent and part to how surely the agent does all of it; None when it cannot tell."""


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a question and who does it; `agent` is None when nobody said that it does."""

    part: str
    agent: str | None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the question with the seam before it, and what it costs to leave that seam closed."""

    text: str
    seam: str
    joined_cost: float


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    seam: str
    begins_a_question: bool
    agent: str | None
    cost: float


def share_out(question: str, agents: Sequence[str], claim: Claim) -> tuple[Share, ...]:
    """Cut the question into parts that agents are sure of; in the order of the parts.

    Every way to cut has a cost, and the cheapest is taken: what a part's agent is not sure of, a cut where nothing
    begins, two questions left in one part. Neighbouring parts that nobody claims stay together.

    Args:
        question: what is asked.
        agents: names, in the order in which they are asked whether a part is theirs; the first of equals gets it.
        claim: called at most once for each agent and part.
    """
    pieces = _pieces(without_preamble(question))

    @cache
    def part(start: int, end: int) -> _Part:
        inside = pieces[start:end]
        text = (
            "".join([inside[0].text, *(piece.seam + piece.text for piece in inside[1:])]).strip().rstrip(",;").strip()
        )
        agent, claimed = _taker(text, agents, claim)
        cost = (1 - claimed) * len(inside) + sum(piece.joined_cost for piece in inside[1:])
        return _Part(text, inside[0].seam, inside[0].joined_cost >= _JOINED_QUESTIONS, agent, cost)

    ways = [[part(start, end) for start, end in pairwise(bounds)] for bounds in _cuts(len(pieces))]
    return _together(min(ways, key=_cost), question)


def is_sure(claimed: float | None) -> bool:
    """Whether a claim is one to the whole part."""
    return (claimed or 0.0) >= _SURE


def _cuts(pieces: int) -> Iterator[tuple[int, ...]]:
    """Yield the bounds of every way to cut, the whole first."""
    for chosen in range(2 ** (pieces - 1)):
        inner = tuple(place + 1 for place in range(pieces - 1) if chosen >> place & 1)
        yield (0, *inner, pieces)


def _cost(parts: Sequence[_Part]) -> float:
    cuts = 0.0
    for before, after in pairwise(parts):
        same = before.agent == after.agent and before.agent is not None
        if _SUPPOSES.match(before.text) and not _ENDS_A_SENTENCE & set(after.seam):
            cuts += _CUT_FROM_ITS_SUPPOSITION
        else:
            cuts += _CUT_WITHIN_ONE_AGENT if same and not after.begins_a_question else _CUT
    return cuts + sum(part.cost for part in parts)


def _pieces(question: str) -> tuple[_Piece, ...]:
    """Cut at every seam, from the left up to so many pieces; each keeps the seam before it."""
    pieces: list[_Piece] = []
    start, seam = 0, ""
    for match in _SEAMS.finditer(question):
        if len(pieces) == _MOST_PIECES - 1:
            break
        if match.start() > start and not _INSIDE_A_SPAN.search(question[start : match.start()]):
            pieces.append(_piece(question[start : match.start()], seam))
            start, seam = match.end(), match.group()
    pieces.append(_piece(question[start:], seam))
    return tuple(pieces)


def _piece(text: str, seam: str) -> _Piece:
    if _ENDS_A_SENTENCE & set(seam) or (seam and _BEGINS_A_QUESTION.match(text)):
        return _Piece(text, seam, _JOINED_QUESTIONS)
    is_clause = "," in seam and len(seam.strip()) > 1
    return _Piece(text, seam, _JOINED_CLAUSES if is_clause or (seam and _BEGINS_A_THING.match(text)) else 0.0)


def _taker(part: str, agents: Sequence[str], claim: Claim) -> tuple[str | None, float]:
    """Return who claims most of a part, and how much; whoever is certain is asked no further."""
    best, most = None, 0.0
    for agent in agents:
        claimed = claim(agent, part) or 0.0
        if claimed >= _SURE and claimed > most:
            best, most = agent, claimed
        if most >= 1:
            break
    return best, most


def _together(parts: Sequence[_Part], question: str) -> tuple[Share, ...]:
    """Leave a question whole that nobody claims any part of, and unclaimed neighbours in one part."""
    if all(part.agent is None for part in parts):
        return (Share(question.strip(), None),)
    merged: list[Share] = []
    for part in parts:
        if merged and part.agent is None and merged[-1].agent is None:
            merged[-1] = Share(f"{merged[-1].part}{part.seam}{part.text}", None)
        else:
            merged.append(Share(part.text, part.agent))
    return tuple(merged)
