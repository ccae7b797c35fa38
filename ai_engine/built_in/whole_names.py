"""Names of several words, whose first word alone would be a verb: "service requests", "issue types"."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.meanings import Candidate, Cue, Span, Thing


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
