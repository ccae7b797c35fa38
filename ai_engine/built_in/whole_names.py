"""Phrases of several words, a part of which alone would say something else: "service requests", "at least three"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.built_in.meanings import Candidate, Cue, Span, Thing
from ai_engine.built_in.tokens import Token


def without_verbs_in_names(spans: tuple[Span, ...], dearest_name: float) -> tuple[Span, ...]:
    """ "pending service requests" are of that name, and nobody services them."""

    def names_rows(candidate: Candidate) -> bool:
        return isinstance(candidate.meaning, Thing) and candidate.cost < dearest_name

    named = {span.start for span in spans if span.end > span.start + 1 and any(map(names_rows, span.candidates))}
    kept = []
    for span in spans:
        if span.start in named and span.end == span.start + 1:
            plain = tuple(c for c in span.candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "have"))
            kept += [replace(span, candidates=plain)] if plain else []
        else:
            kept.append(span)
    return tuple(kept)


def without_ends_of_bounds(tokens: Sequence[Token], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "those with at least three" ranks nothing: "least" and "most" after "at" are parts of a bound."""
    if not start or tokens[start - 1].word != "at" or tokens[start].word not in {"least", "most"}:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "superlative")]
