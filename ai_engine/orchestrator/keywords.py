"""First guess of who is asked: which agents' words stand in the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from ai_engine.agent import Agent


def keyword_candidates(question: str, agents: Sequence[Agent]) -> tuple[str, ...]:
    """Return the agents that most words speak for, in the order in which they would work.

    An agent of the outside is one when no other has more words, an agent of the bank's own data when no other such
    agent has more. The outside comes first; then the order of `agents` decides, also between equals. When nothing
    speaks for anyone, the agents that are the default.
    """
    scores = {agent.name: score(question, agent.capabilities.keywords) for agent in agents}
    outside = [agent for agent in agents if agent.capabilities.works_on == "outside"]
    own_data = [agent for agent in agents if agent.capabilities.works_on == "own_data"]
    chosen = (*_leading(outside, scores, scores.values()), *_leading(own_data, scores, _of(own_data, scores)))
    return chosen or tuple(agent.name for agent in agents if agent.capabilities.default)


def score(question: str, keywords: Iterable[str]) -> int:
    """Count the keywords that stand in the question as words: "summit" has no "sum"."""
    return sum(_pattern(keyword).search(question) is not None for keyword in keywords)


def _leading(agents: Iterable[Agent], scores: dict[str, int], rivals: Iterable[int]) -> tuple[str, ...]:
    most = max(rivals, default=0)
    return tuple(agent.name for agent in agents if 0 < scores[agent.name] >= most)


def _of(agents: Iterable[Agent], scores: dict[str, int]) -> list[int]:
    return [scores[agent.name] for agent in agents]


@cache
def _pattern(keyword: str) -> re.Pattern[str]:
    """Ends that are letters or digits end a word; "get /" and "/api/" go on after their slash."""
    before = r"(?<!\w)" if keyword[:1].isalnum() else ""
    after = r"(?!\w)" if keyword[-1:].isalnum() else ""
    return re.compile(before + r"\s+".join(map(re.escape, keyword.split())) + after, re.IGNORECASE)
