"""Who is to answer, by words alone: those of each agent's description, keywords and example messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ai_engine.routing.agent import RoutedAgent
from ai_engine.bm25 import Bm25, terms
from ai_engine.routing.messages import ClassifierResult, ConversationMessage, ParticipantRole
from ai_engine.semantics.words import words

_SHORT_WORDS = 8
_VERY_SHORT_WORDS = 3
_SPOKE = re.compile(r"\A\[([a-z0-9-]+)\] ")
_FOLLOW_UP = re.compile(
    r"(?i)\A\W*(?:and|but|or|also|then|now|only|just|same|again|instead|without|except|including|yes|yep|yeah|ok|okay|sure|no|nope|not|"
    r"why|how so|what about|how about|what if|explain|sort|order|group|show (?:it|them|me)|list (?:it|them)|by|per|at|for|in|with|"
    r"the (?:first|second|third|fourth|fifth|last|next|other|former|latter|top|bottom)|next|go on|continue|more|less|"
    r"is (?:it|that|this)|are (?:they|those|these)|does (?:it|that|this)|do (?:they|those|these)|how (?:much|many|often|long) (?:is|are|must|does|do) "
    r"(?:it|that|this|they|those|these))\b"
)
_POINTS_BACK = frozenset("it its that this they them their those these there one ones same such".split())


@dataclass(frozen=True, slots=True)
class _Index:
    """Texts of all agents: each agent's description and keywords, and each of its examples, are texts of their own."""

    bm25: Bm25
    owners: tuple[str, ...]
    about: tuple[bool, ...]
    names: Mapping[str, frozenset[str]]


class WordClassifier:
    """Ranks agents by BM25; a short follow-up stays with whoever spoke last.

    Args:
        threshold: below this confidence nobody is chosen.
        follow_up_share: how much of a message's weight a follow-up gives to the agent that spoke last.
    """

    def __init__(self, *, threshold: float = 0.3, follow_up_share: float = 0.6) -> None:
        self._threshold = threshold
        self._follow_up_share = follow_up_share

    async def classify(
        self, input_text: str, chat_history: Sequence[ConversationMessage], agents: Mapping[str, RoutedAgent]
    ) -> ClassifierResult:
        """See Classifier; takes well under a millisecond, so it blocks."""
        return self.choose(input_text, chat_history, agents)

    def choose(
        self, input_text: str, chat_history: Sequence[ConversationMessage], agents: Mapping[str, RoutedAgent]
    ) -> ClassifierResult:
        """Choose, as `classify` does."""
        texts = tuple(
            (key, agent.name, agent.description, agent.keywords, agent.examples) for key, agent in agents.items()
        )
        index = _index_of(texts)
        last = last_speaker(chat_history, agents)
        shares = _shares(input_text, index)
        follows = last is not None and is_follow_up(input_text)
        if follows and last is not None:
            shares[last] = shares.get(last, 0.0) + self._follow_up_share
        ranked = sorted(((share, key) for key, share in shares.items() if share > 0), key=lambda one: -one[0])
        if not ranked:
            return ClassifierResult(None, 0.0, "No word of the message speaks for anybody.")
        best, chosen = ranked[0]
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        confidence = min(best, 1.0) * (1 - second / best) ** 0.5 if best > second else 0.0
        candidates = tuple(agents[key] for share, key in ranked[:3] if share >= best / 2)
        if confidence < self._threshold:
            return ClassifierResult(None, 0.0, _undecided(candidates), candidates)
        if follows and chosen == last:
            reason = f"A follow-up stays with {agents[chosen].name}, who answered last."
        else:
            reason = f"The words of the message are closest to what {agents[chosen].name} does."
        return ClassifierResult(agents[chosen], round(confidence, 3), reason, candidates[1:])


def last_speaker(chat_history: Sequence[ConversationMessage], agents: Mapping[str, RoutedAgent]) -> str | None:
    """Return the id of the agent whose answer is the latest, of those that there are."""
    for message in reversed(chat_history):
        found = _SPOKE.match(message.text) if message.role is ParticipantRole.ASSISTANT else None
        if found and found[1] in agents:
            return found[1]
    return None


def is_follow_up(message: str) -> bool:
    """Whether a message leans on what was said before: it is short, and begins or points like one."""
    said = words(message)
    if len(said) > _SHORT_WORDS:
        return False
    return bool(_FOLLOW_UP.match(message)) or bool(_POINTS_BACK & set(said)) or len(said) <= _VERY_SHORT_WORDS


def _shares(message: str, index: _Index) -> dict[str, float]:
    """Return each agent's part of the message's weight, 0 to about 1: its best example and its description together."""
    asked = terms(message)
    if not asked:
        return {}
    most = sum(index.bm25.weight(term) for term in dict.fromkeys(asked))
    examples: dict[str, float] = {}
    described: dict[str, float] = {}
    for score, owner, about in zip(index.bm25.scores(asked), index.owners, index.about, strict=True):
        kind = described if about else examples
        kind[owner] = max(kind.get(owner, 0.0), score)
    return {owner: (0.6 * examples.get(owner, 0.0) + 0.6 * described[owner]) / (most + 1.0) for owner in described}


@lru_cache(maxsize=32)
def _index_of(agents: tuple[tuple[str, str, str, tuple[str, ...], tuple[str, ...]], ...]) -> _Index:
    texts: list[str] = []
    owners: list[str] = []
    about: list[bool] = []
    for key, name, description, keywords, examples in agents:
        texts += [" ".join((name, description, *keywords)), *examples]
        owners += [key] * (1 + len(examples))
        about += [True] + [False] * len(examples)
    names = {key: frozenset(terms(name)) for key, name, *_ in agents}
    return _Index(Bm25(texts), tuple(owners), tuple(about), names)


def _undecided(candidates: Sequence[RoutedAgent]) -> str:
    if len(candidates) < 2:
        return "Too few words of the message speak for anybody."
    return f"It could be for {' or for '.join(agent.name for agent in candidates)}."
