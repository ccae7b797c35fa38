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
_GROUPING = frozenset({"per", "by"})


def without_verbs_in_names(
    spans: tuple[Span, ...], dearest_name: float, is_figure: Callable[[Attribute], bool]
) -> tuple[Span, ...]:
    """ "pending service requests" are of that name, and nobody services them; so is the "requested amount"."""

    def names_whole(span: Span) -> bool:
        named = [c.meaning for c in span.candidates if c.cost < dearest_name]
        in_order = words(span.text)
        return any(
            isinstance(meant, Thing)
            or (isinstance(meant, Attribute) and is_figure(meant) and column_words(meant.field) == in_order)
            for meant in named
        )

    named = {span.start for span in spans if span.end > span.start + 1 and names_whole(span)}
    kept = []
    for span in spans:
        if span.start in named and span.end == span.start + 1:
            plain = tuple(c for c in span.candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "have"))
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
    """ "within a year", where "A" is a grade too: between a preposition and a unit of time it is none."""
    before, after = (tokens[place].word if 0 <= place < len(tokens) else "" for place in (start - 1, start + 1))
    return tokens[start].text == "a" and before in {"within", "over", "for", "in", "per"} and after in LENGTHS
