"""What one word cannot be where it stands: a noun after its subject, a verb after an article, a ranking after "at"."""

from __future__ import annotations

from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.meanings import Candidate, Cue, Stored, Thing
from ai_engine.built_in.tokens import Token

_ARTICLES = {"a", "an", "the", "any", "each", "every"}
_BEFORE_VERBS = frozenset("who that which we they i you to do does did can could will would must".split())


def in_their_place(
    tokens: tuple[Token, ...], start: int, candidates: list[Candidate], lexicon: Lexicon
) -> list[Candidate]:
    """Leave out what the word at `start` cannot mean there."""
    kept = _bounds(tokens, start, _nouns(tokens, start, _verbs(tokens[start], candidates, lexicon)))
    kept = _counts(tokens, start, _comparisons(tokens, start, kept))
    return _kinds(tokens, start, kept, lexicon)


def _verbs(token: Token, candidates: list[Candidate], lexicon: Lexicon) -> list[Candidate]:
    """ "who hold X": a verb that shares no more than its stem with a noun is no "holding"."""
    if not any(isinstance(c.meaning, Cue) and c.meaning.kind == "have" for c in candidates):
        return candidates
    return [c for c in candidates if not isinstance(c.meaning, Thing) or lexicon.is_noun(token.word, c.meaning)]


def _nouns(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "had an offer": after an article the word is the thing, not the verb."""
    things = [found for found in candidates if isinstance(found.meaning, Thing)]
    if not start or tokens[start - 1].word not in _ARTICLES or not things:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind in {"have", "list"})]


def _bounds(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "at least one", "at most 3": a bound, and no ranking."""
    word, before = tokens[start].word, tokens[start - 1].word if start else ""
    if before != "at" or word not in {"least", "most"}:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "superlative")]


def _comparisons(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "is different from": what differs is compared, and not counted once."""
    following = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if tokens[start].word != "different" or following not in {"from", "to", "than"}:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "distinct")]


def _counts(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "number of accounts" counts them: before "of" the word does not merely name a number."""
    following = [token.word for token in tokens[start + 1 : start + 3]]
    if tokens[start].word not in {"number", "count"} or following[:1] != ["of"] or len(following) == 1:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "weak")]


def _kinds(tokens: tuple[Token, ...], start: int, candidates: list[Candidate], lexicon: Lexicon) -> list[Candidate]:
    """ "the most sell orders": right before the noun of its rows a value is their kind, and no verb."""
    before = tokens[start - 1].word if start else ""
    held = {c.meaning.dataset for c in candidates if isinstance(c.meaning, Stored)}
    if not held or before in _BEFORE_VERBS or start + 1 == len(tokens):
        return candidates
    noun = tokens[start + 1].word
    named = (c.meaning for c in lexicon.names((noun,)) if isinstance(c.meaning, Thing))
    if not any(thing.dataset in held and lexicon.is_noun(noun, thing) for thing in named):
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "have")]
