"""Who is to answer without a model: by the words of each agent's texts, and by what agents claim to answer."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from ai_engine.agent import in_thread
from ai_engine.bm25 import FUNCTION_WORDS, Bm25, terms
from ai_engine.preamble import without_preamble
from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.greeter import UNDECIDED
from ai_engine.routing.messages import ClassifierResult, ConversationMessage, ParticipantRole
from ai_engine.semantics.words import stem, words

_SHORT_WORDS = 8
_OPENING_WORDS = 5
_VERY_SHORT_WORDS = 3
_NAMING_WORDS = 5
_MARGIN_SLOPE = 5.0
_SUREST = 0.95
_SURE_OF_A_NAME = 0.5
_SHARE_SLOPE = 1.6
_CLAIM_WEIGHT = 0.5
"""What a full claim counts beside a message all of whose words are those of one agent."""
_SPOKE = re.compile(r"\A\[([a-z0-9-]+)\] ")
_FOLLOW_UP = re.compile(
    r"(?i)\A\W*(?:and|but|or|also|then|now|only|just|same|again|instead|without|except|including|yes|yep|yeah|ok|okay|"
    r"sure|no|nope|not|why|how so|what about|how about|what if|if|make it|explain|sort|order|group|show (?:it|them|me)|"
    r"list (?:it|them)|by|per|at|for|in|with|next|go on|continue|more|less|"
    r"the (?:first|second|third|fourth|fifth|last|next|other|former|latter|top|bottom)|"
    r"(?:is|does) (?:it|that|this)|(?:are|do) (?:they|those|these)|"
    r"how (?:much|many|often|long) (?:is|are|must|does|do) (?:it|that|this|they|those|these))\b"
)
_ASKING = frozenset(
    "anything check compile create draft get give info information know make need prepare put something tell want "
    "write".split()
)
"""Words of asking for anything at all, which speak for nobody."""
_OPENING = frozenset(
    "are can do does has have how is may must should was were what when where which who whom whose why will".split()
)
"""Function words whose pair with another one still tells what kind of answer is wanted: "how many", "who may"."""
_NUMBER = "0"
_UNSAID = 0.5
"""Weight of what a message leaves unsaid, so that few words never speak with full certainty."""
_POINTS_BACK = frozenset("it its that this they them their those these there one ones same such".split())


@dataclass(frozen=True, slots=True)
class _Index:
    """All words of each agent as one text, each of its examples as one too, and the words of its name."""

    agents: tuple[str, ...]
    whole: Bm25
    examples: Bm25
    owners: tuple[str, ...]
    names: Mapping[str, frozenset[str]]


class WordClassifier:
    """Ranks agents by BM25 and their own claims; a short follow-up stays with whoever spoke last.

    Args:
        threshold: below this confidence nobody is chosen.
        follow_up_share: how much of a message's weight a follow-up gives to the agent that spoke last.
    """

    def __init__(self, *, threshold: float = 0.3, follow_up_share: float = 1.0) -> None:
        self._threshold = threshold
        self._follow_up_share = follow_up_share

    async def classify(
        self, input_text: str, chat_history: Sequence[ConversationMessage], agents: Mapping[str, RoutedAgent]
    ) -> ClassifierResult:
        """See Classifier; claims are heard in a thread, each takes some milliseconds."""
        claims = await in_thread(claims_of, input_text, agents)
        return self.choose(input_text, chat_history, agents, claims)

    def choose(
        self,
        input_text: str,
        chat_history: Sequence[ConversationMessage],
        agents: Mapping[str, RoutedAgent],
        claims: Mapping[str, float],
    ) -> ClassifierResult:
        """Choose, as `classify` does, with what each agent claims, by id."""
        texts = tuple(
            (key, agent.name, agent.description, agent.keywords, agent.examples) for key, agent in agents.items()
        )
        index = _index_of(texts)
        last = last_speaker(chat_history, agents)
        shares = _shares(input_text, index)
        opening = " ".join(input_text.split()[:_OPENING_WORDS])
        if opening != " ".join(input_text.split()):
            # What is wanted stands at the beginning ("prepare a report", "how many"), its subject after that.
            begun = _shares(opening, index)
            shares = {key: (share + begun.get(key, 0.0)) / 2 for key, share in shares.items()}
        named = _named(input_text, index)
        if named is not None:
            open_question = unanswered(chat_history)
            return ClassifierResult(agents[named], 1.0, f"You named {agents[named].name}.", user_input=open_question)
        if not _is_one_word(input_text, shares):
            for key, claim in claims.items():
                shares[key] = shares.get(key, 0.0) + _CLAIM_WEIGHT * claim
        follows = last is not None and (is_follow_up(input_text) or _is_new_name(input_text, index))
        if follows and last is not None:
            shares[last] = shares.get(last, 0.0) + self._follow_up_share
        ranked = sorted(((share, key) for key, share in shares.items() if share > 0), key=lambda one: -one[0])
        if not ranked:
            return ClassifierResult(None, 0.0, "No word of the message speaks for anybody.")
        best, chosen = ranked[0]
        second = ranked[1][0] if len(ranked) > 1 else 0.0
        full = 1.0 if follows or not claims else 1.0 + _CLAIM_WEIGHT
        confidence = min(_SUREST, _SHARE_SLOPE * best / full) * min(1.0, _MARGIN_SLOPE * (best - second) / best)
        if follows and chosen == last and not is_follow_up(input_text):
            confidence = min(confidence, _SURE_OF_A_NAME)
        if not follows:
            confidence *= math.sqrt(max(_known_part(input_text, index), max(claims.values(), default=0.0)))
        candidates = tuple(agents[key] for share, key in ranked[:3] if share >= best / 2)
        if confidence < self._threshold:
            return ClassifierResult(None, 0.0, _undecided(candidates), candidates)
        if follows and chosen == last:
            reason = f"A follow-up stays with {agents[chosen].name}, who answered last."
        else:
            reason = f"The message is closest to what {agents[chosen].name} does and can answer."
        return ClassifierResult(agents[chosen], round(confidence, 3), reason, candidates[1:])


def claims_of(message: str, agents: Mapping[str, RoutedAgent]) -> dict[str, float]:
    """Return how surely each agent can answer, by id, of those that can tell."""
    heard = ((key, agent.claim(message)) for key, agent in agents.items())
    return {key: claim for key, claim in heard if claim is not None}


def _is_one_word(message: str, shares: Mapping[str, float]) -> bool:
    """Whether all who know the one word of a message know it alike; what an agent reads into that is a guess."""
    known = {round(share, 3) for share in shares.values() if share > 0}
    return len(known) <= 1 and len(message.split()) <= 2


def last_speaker(chat_history: Sequence[ConversationMessage], agents: Mapping[str, RoutedAgent]) -> str | None:
    """Return the id of the agent whose answer is the latest, of those that there are; questions back do not count."""
    for message in reversed(chat_history):
        if UNDECIDED in message.text:
            continue
        found = _SPOKE.match(message.text) if message.role is ParticipantRole.ASSISTANT else None
        if found and found[1] in agents:
            return found[1]
    return None


def unanswered(chat_history: Sequence[ConversationMessage]) -> str | None:
    """Return the message for which nobody could be chosen, where that is the latest thing that happened."""
    if len(chat_history) < 2 or UNDECIDED not in chat_history[-1].text:
        return None
    return chat_history[-2].text


def _named(message: str, index: _Index) -> str | None:
    """Return the agent that a message names and says hardly anything besides."""
    said = terms(message)
    if len(words(message)) > _NAMING_WORDS:
        return None
    return next((key for key, name in index.names.items() if name and name == frozenset(said)), None)


def is_follow_up(message: str) -> bool:
    """Whether a message leans on what was said before: it is short, and begins or points like one."""
    message = without_preamble(message)
    said = words(message)
    if len(said) > _SHORT_WORDS:
        return False
    return bool(_FOLLOW_UP.match(message)) or bool(_POINTS_BACK & set(said))


def cues(text: str) -> list[str]:
    """Cut a message into what tells who is asked: stems, pairs of neighbouring words ("how many"), and its numbers."""
    said = [_NUMBER if word.isdigit() else word for word in words(text.replace("%", " percent "))]
    single = [stem(word) for word in said if word not in FUNCTION_WORDS and word not in _ASKING and word != _NUMBER]
    pairs = [
        f"{stem(one)} {stem(two)}"
        for one, two in pairwise(said)
        if one in _OPENING or one not in FUNCTION_WORDS or two not in FUNCTION_WORDS
    ]
    return [*single, *pairs]


def _is_new_name(message: str, index: _Index) -> bool:
    """Whether a message is a few words that speak for nobody: "Pune", after a question about a branch."""
    return len(words(message)) <= _VERY_SHORT_WORDS and not any(index.whole.texts_with(cue) for cue in cues(message))


def _known_part(message: str, index: _Index) -> float:
    """Return which part of a message's words anybody knows: what is mostly strange is asked back."""
    said = [cue for cue in cues(message) if " " not in cue]
    return sum(index.whole.texts_with(cue) > 0 for cue in said) / len(said) if said else 1.0


def _shares(message: str, index: _Index) -> dict[str, float]:
    """Return how well each agent fits a message, 0 to about 1: all its words and its best example count alike."""
    asked = [cue for cue in cues(message) if " " not in cue or index.examples.texts_with(cue)]
    if len(asked) == 1:
        # One word alone says nothing about what is wanted: all who know it are equal.
        scores = index.whole.scores(asked)
        return {agent: float(score > 0) for agent, score in zip(index.agents, scores, strict=True)}
    most = index.whole.best_possible(asked) + _UNSAID
    shares = {agent: score / most / 2 for agent, score in zip(index.agents, index.whole.scores(asked), strict=True)}
    most = index.examples.best_possible(asked) + _UNSAID
    best: dict[str, float] = {}
    for owner, score in zip(index.owners, index.examples.scores(asked), strict=True):
        best[owner] = max(best.get(owner, 0.0), score / most / 2)
    return {agent: share + best.get(agent, 0.0) for agent, share in shares.items()}


@lru_cache(maxsize=32)
def _index_of(agents: tuple[tuple[str, str, str, tuple[str, ...], tuple[str, ...]], ...]) -> _Index:
    whole = [
        " . ".join((name, description, *keywords, *examples)) for _, name, description, keywords, examples in agents
    ]
    owned = [(key, example) for key, *_, examples in agents for example in examples]
    return _Index(
        tuple(key for key, *_ in agents),
        Bm25(whole, cues),
        Bm25([example for _, example in owned], cues),
        tuple(owner for owner, _ in owned),
        {key: frozenset(terms(name)) for key, name, *_ in agents},
    )


def _undecided(candidates: Sequence[RoutedAgent]) -> str:
    if len(candidates) < 2:
        return "Too few words of the message speak for anybody."
    return f"It could be for {' or for '.join(agent.name for agent in candidates)}."
