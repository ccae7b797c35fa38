"""Phrases of several words, a part of which alone would say something else: "service requests", "at least three"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ai_engine.built_in.meanings import Attribute, Candidate, Cue, Span, Stored, Thing
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.names import FREQUENCIES, column_words
from ai_engine.semantics.words import NAME_GLUE, words

_HALF_COST = 0.5
LENGTHS = frozenset({"day", "week", "month", "quarter", "year"})
_OF_ONE = frozenset("at on of for from to with by in".split())
_HAVING = frozenset("have has had having with without not get got".split())
_GROUPING = frozenset({"per", "by"})


def without_verbs_in_names(
    spans: tuple[Span, ...], dearest_name: float, is_figure: Callable[[Attribute], bool]
) -> tuple[Span, ...]:
    """ "pending service requests" are of that name, and nobody services them; so is the "requested amount".

    Nor is the "sanctioned amount" that of what is in the state "sanctioned".
    """

    def called_in_order(meant: object, span: Span) -> bool:
        return isinstance(meant, Attribute) and is_figure(meant) and column_words(meant.field) == words(span.text)

    whole = {
        span.start: any(called_in_order(c.meaning, span) for c in span.candidates if c.cost < dearest_name)
        for span in sorted(spans, key=lambda span: span.end)
        if span.end > span.start + 1
        and any(
            c.cost < dearest_name and (isinstance(c.meaning, Thing) or called_in_order(c.meaning, span))
            for c in span.candidates
        )
    }

    def is_no_part(meaning: object, start: int) -> bool:
        verb = isinstance(meaning, Cue) and meaning.kind == "have"
        return verb or (isinstance(meaning, Stored) and whole[start])

    kept = []
    for span in spans:
        if span.start in whole and span.end == span.start + 1:
            plain = tuple(c for c in span.candidates if not is_no_part(c.meaning, span.start))
            kept += [replace(span, candidates=plain)] if plain else []
        else:
            kept.append(span)
    return tuple(kept)


def halves_of_names_dearer(spans: tuple[Span, ...], dearest_name: float) -> tuple[Span, ...]:
    """ "balance per account type" is by the account type, though "balance per account" is a figure's name."""

    def is_whole(span: Span) -> bool:
        named = (isinstance(c.meaning, Attribute) and c.cost < dearest_name for c in span.candidates)
        return span.end > span.start + 1 and any(named)

    ends: dict[int, int] = {}
    for span in spans:
        if is_whole(span):
            ends[span.start] = max(span.end, ends.get(span.start, 0))

    def cuts(span: Span) -> bool:
        told = span.text.lower().split()
        inner = range(span.start + 2, span.end)
        return any(told[start - span.start - 1] in _GROUPING and ends.get(start, 0) > span.end for start in inner)

    return tuple(
        _dearer(span) if len(span.text.split()) == span.end - span.start and cuts(span) else span for span in spans
    )


def _dearer(span: Span) -> Span:
    return replace(span, candidates=tuple(replace(c, cost=c.cost + _HALF_COST) for c in span.candidates))


def without_small_words(
    tokens: Sequence[Token], start: int, end: int, candidates: list[Candidate], is_time: Callable[[Attribute], bool]
) -> list[Candidate]:
    """ "those with at least three" ranks nothing, the "a" of "within a year" is no value, "city the branch" no name."""
    if end > start + 1 and tokens[end - 1].word in FREQUENCIES:
        return []  # "closing balance monthly" is told for each month, "monthly balances" may be called so
    if _is_an_article(tokens, start):
        return [c for c in candidates if not isinstance(c.meaning, Stored)]
    if any(tokens[place].word == "the" and tokens[place - 1].word not in NAME_GLUE for place in range(start + 1, end)):
        # "the date the claim was made" is one name; "in each city the branch with" are two
        return [c for c in candidates if not isinstance(c.meaning, Attribute) or is_time(c.meaning)]
    if not start or tokens[start - 1].word != "at" or tokens[start].word not in {"least", "most"}:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "superlative")]


def _is_an_article(tokens: Sequence[Token], start: int) -> bool:
    """ "within a year" and "have a rating", where "A" is a grade too."""
    before, after = (tokens[place].word if 0 <= place < len(tokens) else "" for place in (start - 1, start + 1))
    if tokens[start].text != "a" or not after:
        return False
    if before in _OF_ONE and after.isalpha() and after not in {"and", "or"}:
        return True  # "repairs at a lock"
    return before in _HAVING or (before in {"within", "over", "for", "in", "per"} and after in LENGTHS)
